// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/unexpected_messages.h: messages of the peer for which there is no Recv yet.
// Lives here: keeping their octets, up to a limit; their way to their Recvs.
// Not here:   the time that they may wait (core/port/waiting_messages.h); their checks (inbound.h).
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
  // True: a message may wait at all.
  bool may_wait() const { return messages_.may_wait(*stream_.events); }

  // --- as they arrive ----------------------------------------------------------------------------
  enum class Begun : std::uint8_t { Yes, Full, NoMemory };
  // Makes a place for the message that begins with this segment.
  Begun begin(const UntaggedHeader& header, std::uint16_t ulpdu);
  // The places for octets of the youngest message, from `offset` on. 0: there is no place, so TCP
  // holds the octets for now.
  std::size_t places(std::uint64_t offset, std::uint64_t length, std::span<Segment> out);
  // The youngest message is whole.
  void end_send() { messages_.back().whole = true; }
  void end_immediate(Octets data);
  // A Write has been carried out. In posting order it counts behind the messages that still wait.
  // False: no message waits.
  bool count_write() { return messages_.count_write(); }

  // --- as they end -------------------------------------------------------------------------------
  // The last segment of queue 0 that was read, and where it ends in its message.
  struct LastSegment {
    std::uint32_t msn = 0;
    std::uint64_t end = 0;
  };
  // Recvs were posted. From then on the rest of the segment under way goes straight to its Recv.
  void deliver(const std::optional<LastSegment>& last);
  // When the oldest message will have waited too long.
  Instant deadline() const { return messages_.deadline(); }
  void on_time();
  // The peer sends no more.
  void must_end() { messages_.must_end(stream_.now); }

 private:
  struct Unexpected {
    UntaggedHeader header; // header of the first segment
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
