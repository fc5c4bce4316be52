// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// perf/control.h: the connection over which the two sides agree on what to do next.
// Lives here: one message there, one back, over Sends. Not here: what they mean (client, server).
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

// What a connection request has to begin with: the program and its protocol's version.
inline constexpr unsigned kProtocolVersion = 1;
inline constexpr std::string_view kControlHello = "dat-perf 1 control";
inline constexpr std::string_view kDataHello = "dat-perf 1 data ";
inline constexpr std::string_view kChurnHello = "dat-perf 1 data churn";

class Control {
 public:
  explicit Control(const tools::Interface& ia);
  void connect(const tools::Address& address, DAT_CONN_QUAL port, std::chrono::milliseconds timeout,
               const std::string& peer);
  // The client has until the deadline to say its first word.
  void accept(tools::Cr request, tools::Deadline deadline, const std::string& peer);

  void send(const Message& message);
  // Blocks. Throws PeerLost when the peer closed or said nothing for that long, and what the peer
  // reported if it sent an "error".
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
  // A Recv is posted again when its message has been taken: a peer that talks on and on has to
  // wait.
  std::deque<Arrived> inbox_;
  bool sending_ = false, connected_ = false;
  bool ended_ = false; // which was told; no event tells it once more
};

} // namespace datum::perf
