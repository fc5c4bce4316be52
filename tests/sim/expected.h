// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/sim/expected.h: the requests that were posted and have not completed, with the data that
// their check needs.
// Not here: the check (party_events.cc).
#pragma once

#include <cstdint>

#include "core/port/types.h"

namespace datum::test {

// A ring of bytes. Each transfer gets its own piece. Old pieces are used again.
class Pieces {
 public:
  explicit Pieces(std::uint64_t size) : size_(size) {}
  // Returns the offset of the piece. `serial`: the bytes handed out before it.
  std::uint64_t take(std::uint64_t length, std::uint64_t& serial) {
    const std::uint64_t at = handed_out_ % size_;
    // A piece never crosses the end of the ring.
    const std::uint64_t skip = length > size_ - at ? size_ - at : 0;
    handed_out_ += skip;
    serial = handed_out_;
    handed_out_ += length;
    return serial % size_;
  }
  // True: no piece that was handed out later can have overwritten this one.
  bool intact(std::uint64_t serial) const { return handed_out_ - serial <= size_; }
  // True: a piece of this length would overlap no piece from `oldest` on, even if the end of the
  // ring is skipped.
  bool has_room(std::uint64_t length, std::uint64_t oldest) const {
    return handed_out_ + 2 * length - oldest <= size_;
  }
  std::uint64_t handed_out() const { return handed_out_; }

 private:
  std::uint64_t size_;
  std::uint64_t handed_out_ = 0;
};

struct PostedRequest {
  std::uint64_t cookie = 0;
  Opcode opcode = Opcode::Send;
  bool suppressed = false;
  std::uint64_t length = 0;
  std::uint64_t source = 0;      // own offset, or the peer's for a Read
  std::uint64_t target = 0;      // the peer's offset, or our own for a Read
  std::uint64_t serial = 0;      // of the piece to which the request transfers
  const Pieces* ring = nullptr;  // Write: the ring that the piece is from
  bool forbidden = false;        // the peer has to refuse it
  bool doubtful = false;         // the peer may refuse it: the window that it uses is being bound
  std::uint64_t peer_rights = 0; // Party::rights() of the peer when it was posted
  Token window = nullptr;        // Bind: the window
};

struct PostedReceive {
  std::uint64_t cookie = 0;
  std::uint64_t offset = 0;
  std::uint64_t capacity = 0;
  std::uint64_t serial = 0; // of the piece
};

// A Send or Write as the other side must see it.
struct Sent {
  bool write = false;
  std::uint64_t length = 0;
  std::uint64_t source = 0;
  std::uint64_t target = 0;     // for a Write
  std::uint64_t serial = 0;     // for a Write
  const Pieces* ring = nullptr; // for a Write
  bool forbidden = false;       // for a Write
};

} // namespace datum::test
