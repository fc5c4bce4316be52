// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// ping/connection.h: one endpoint with its send and receive buffers.
// Not here: the contents of the buffers (payload.h), which side sends first (client.h, server.h).
#pragma once

#include <vector>

#include "common/dat_events.h"
#include "common/dat_objects.h"

namespace datum::ping {

class Connection {
 public:
  // All events of the endpoint go to evd. The constructor posts the receives.
  Connection(const tools::Interface& ia, const tools::Evd& evd, std::size_t size);

  [[nodiscard]] const tools::Ep& ep() const { return ep_; }
  [[nodiscard]] std::span<std::byte> outgoing() { return slot(kReceives); }
  // The bytes of a completed receive, valid until receive_again().
  std::span<std::byte> arrived(const DAT_DTO_COMPLETION_EVENT_DATA& done);
  void receive_again(const DAT_DTO_COMPLETION_EVENT_DATA& done);
  static bool is_receive(const DAT_DTO_COMPLETION_EVENT_DATA& done);
  void send(std::size_t length);

 private:
  static constexpr std::size_t kReceives = 2;
  std::span<std::byte> slot(std::size_t index);
  void post_recv(std::size_t index);

  std::size_t size_;
  std::vector<std::byte> memory_;
  tools::Pz pz_;
  tools::Region region_;
  tools::Ep ep_; // after the objects that it uses, so that it is freed first
};

} // namespace datum::ping
