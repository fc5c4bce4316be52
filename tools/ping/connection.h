// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// ping/connection.h: one endpoint with buffers that messages go out of and come into.
// Not here: what is in them (payload.h), which side sends first (client, server).
#pragma once

#include <vector>

#include "common/dat_events.h"
#include "common/dat_objects.h"

namespace datum::ping {

class Connection {
 public:
  // Its events go to that EVD. The Receive buffers are posted at once.
  Connection(const tools::Interface& ia, const tools::Evd& evd, std::size_t size);

  [[nodiscard]] const tools::Ep& ep() const { return ep_; }
  [[nodiscard]] std::span<std::byte> outgoing() { return slot(kReceives); }
  // What a completed receive brought; stays until receive_again().
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
  tools::Ep ep_; // after what it uses: freed before
};

} // namespace datum::ping
