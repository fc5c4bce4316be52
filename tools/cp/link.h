// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/link.h: what source and sink need from the connection between them.
// Lives here: the interface. Channel implements it with DAT; tests with two queues.
// Each side has depth slots of registered memory; slot i here corresponds to slot i there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>

#include "cp/protocol.h"

namespace datum::cp {

struct SlotArrived {
  std::uint32_t slot = 0; // a read_slot() of it has finished
};
struct Notified {}; // notify() was called
using LinkEvent = std::variant<Message, SlotArrived, Notified>;

class Link {
 public:
  virtual ~Link() = default;

  // Queues the message; never blocks. Messages arrive in order, several in one frame: the last ones
  // leave with flush(), or before next() waits.
  virtual void send(const Message& message) = 0;
  virtual void flush() = 0;
  // More is queued than the peer is ready to take: produce nothing that can wait.
  [[nodiscard]] virtual bool congested() const = 0;

  virtual std::span<std::byte> slot(std::uint32_t index) = 0;
  // RDMA Write from slot index to the peer's; complete there before a later message arrives.
  virtual void write_slot(std::uint32_t index, std::uint32_t length) = 0;
  // RDMA Read from the peer's slot to ours; SlotArrived follows, in the order of these calls.
  virtual void read_slot(std::uint32_t index, std::uint32_t length) = 0;

  // Throws ToolError: PeerLost when the connection ended or nothing came for too long. Hold: what
  // was sent may wait on, because a notify() comes soon and more to send with it.
  enum class Sent { Flush, Hold };
  virtual LinkEvent next(Sent sent) = 0;
  LinkEvent next() { return next(Sent::Flush); }
  virtual std::optional<LinkEvent> poll() = 0;

  // next() gives Notified soon. The only call that any thread may make.
  virtual void notify() = 0;

  // To be called now and then during long local work, so that the peer does not give up on us.
  virtual void tick() = 0;
};

} // namespace datum::cp
