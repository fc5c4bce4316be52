// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/link.h: the connection between source and sink, as these see it.
// Lives here: the interface. Channel implements it with DAT, and tests implement it with two
// queues.
// Each side has depth slots of registered memory. Slot i of this side corresponds to slot i of the
// peer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>

#include "cp/protocol.h"

namespace datum::cp {

struct SlotArrived {
  std::uint32_t slot = 0; // a read_slot() of this slot has finished
};
struct Notified {}; // notify() was called
using LinkEvent = std::variant<Message, SlotArrived, Notified>;

class Link {
 public:
  virtual ~Link() = default;

  // Queues the message; never blocks. Messages arrive in order. Several travel in one frame, so the
  // last ones leave only with flush(), or before next() waits.
  virtual void send(const Message& message) = 0;
  virtual void flush() = 0;
  // True: more is queued than the peer is ready to take. Then the caller produces nothing that can
  // wait.
  [[nodiscard]] virtual bool congested() const = 0;

  virtual std::span<std::byte> slot(std::uint32_t index) = 0;
  // RDMA Write from slot `index` to the peer's slot `index`. The octets are placed before a later
  // message arrives.
  virtual void write_slot(std::uint32_t index, std::uint32_t length) = 0;
  // RDMA Read from the peer's slot `index` to this side's. A SlotArrived follows for each of these
  // calls, in their order.
  virtual void read_slot(std::uint32_t index, std::uint32_t length) = 0;

  // Throws ToolError: PeerLost if the connection ended or nothing came for too long. Hold: queued
  // messages may wait, because a notify() comes soon and brings more to send.
  enum class Sent { Flush, Hold };
  virtual LinkEvent next(Sent sent) = 0;
  LinkEvent next() { return next(Sent::Flush); }
  virtual std::optional<LinkEvent> poll() = 0;

  // Makes next() return Notified soon. Any thread may call this function, but no other function.
  virtual void notify() = 0;

  // Called now and then during long local work, so that the peer does not give this process up.
  virtual void tick() = 0;
};

} // namespace datum::cp
