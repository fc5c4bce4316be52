// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// perf/control.h: the connection over which the two sides agree on what to do next.
// Lives here: exchanging one message for one answer, over Sends.
// Not here:   what the messages mean (client.h, server.h).
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>

#include "common/dat_events.h"
#include "common/dat_objects.h"
#include "perf/message.h"

namespace datum::perf {

// The private data of a request to dat-perf begins with one of these. The number is the version.
inline constexpr unsigned kProtocolVersion = 1;
inline constexpr std::string_view kControlHello = "dat-perf 1 control";
inline constexpr std::string_view kDataHello = "dat-perf 1 data ";
inline constexpr std::string_view kChurnHello = "dat-perf 1 data churn";

class Control {
 public:
  explicit Control(const tools::Interface& ia);
  void connect(const tools::Address& address, DAT_CONN_QUAL port, std::chrono::milliseconds timeout,
               const std::string& peer);
  // Waits until the deadline for the first message of the client.
  void accept(tools::Cr request, tools::Deadline deadline, const std::string& peer);

  void send(const Message& message);
  // Blocks. Throws ToolError: with ExitCode::PeerLost if the peer closed or sent nothing for
  // `patience`, with the peer's text if the peer sent "error".
  Message receive(std::optional<std::chrono::seconds> patience = {});
  Message ask(const Message& message); // send, then receive
  bool waiting();                      // a message can be received at once
  void close();                        // orderly
  [[nodiscard]] std::string path() const { return tools::path_of(ep_); }

 private:
  struct Arrived {
    std::size_t slot;
    std::size_t length;
  };

  std::span<std::byte> slot(std::size_t index);
  void post_recv(std::size_t index);
  void handle(const DAT_EVENT& event);

  static constexpr std::size_t kReceives = 4;
  std::array<std::byte, (kReceives + 1) * kMaxMessage> memory_{};
  tools::Pz pz_;
  tools::Evd evd_;
  tools::Region region_;
  tools::Ep ep_;
  std::string peer_ = "peer";
  // A Recv is posted again only after receive() has taken its message. So a peer that sends without
  // end has to wait.
  std::deque<Arrived> inbox_;
  bool sending_ = false, connected_ = false;
  bool ended_ = false; // handle() has thrown for the end of the connection; no event follows
};

} // namespace datum::perf
