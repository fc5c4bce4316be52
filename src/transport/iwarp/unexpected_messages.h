// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/unexpected_messages.h: messages of the peer's for which there is no Recv yet.
// Lives here: what is kept of them, and how much; how they go to their Recvs.
// Not here:   for how long they wait (core/port/waiting_messages.h); their checks (inbound.h).
// Threads:    the adapter's lock.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/port/waiting_messages.h"
#include "transport/iwarp/delivery.h"
#include "transport/iwarp/stream.h"

namespace datum::iwarp {

class UnexpectedMessages {
 public:
  UnexpectedMessages(Stream& stream, StreamControl& control, Delivery& delivery,
                     const RecvPatience& patience)
      : stream_(stream), control_(control), delivery_(delivery), messages_(patience) {}

  bool empty() const { return messages_.empty(); }
  // Whether one may wait at all.
  bool may_wait() const { return messages_.may_wait(*stream_.events); }

  // --- as they arrive ----------------------------------------------------------------------------
  enum class Begun : std::uint8_t { Yes, Full, NoMemory };
  // A place for the message that begins with this segment.
  Begun begin(const UntaggedHeader& header, std::uint16_t ulpdu);
  // Where octets of the youngest, from `offset` on, belong. 0: TCP holds them for now.
  std::size_t places(std::uint64_t offset, std::uint64_t length, std::span<Segment> out);
  // The youngest is whole.
  void end_send() { messages_.back().whole = true; }
  void end_immediate(Octets data);
  // A Write has been carried out: in posting order, behind the messages that still wait. False:
  // none does.
  bool count_write() { return messages_.count_write(); }

  // --- as they end -------------------------------------------------------------------------------
  // The segment of queue 0 that was read last, and where it ends in its message.
  struct LastSegment {
    std::uint32_t msn = 0;
    std::uint64_t end = 0;
  };
  // Recvs were posted. What is left of the segment under way goes straight to its Recv from then
  // on.
  void deliver(const std::optional<LastSegment>& last);
  // When the first will have waited too long.
  Instant deadline() const { return messages_.deadline(); }
  void on_time();
  // The peer has ended.
  void must_end() { messages_.must_end(stream_.now); }

 private:
  struct Unexpected {
    UntaggedHeader header; // of its first segment
    std::uint16_t ulpdu = 0;
    bool whole = false;
    std::vector<std::byte> octets;
  };

  std::size_t cost() const;
  bool deliver_first(const std::optional<LastSegment>& last);
  bool fits(std::uint64_t length, std::uint64_t capacity);

  Stream& stream_;
  StreamControl& control_;
  Delivery& delivery_;
  WaitingMessages<Unexpected> messages_;
  std::size_t octets_ = 0;
};

} // namespace datum::iwarp
