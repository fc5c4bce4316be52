// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/sim/panes.h: what a party opens to its peers through an RMR, bind by bind.
// Lives here: which context is open, may be or is not any more; that shut memory stays as it was.
// Not here:   posting binds (party_rights.cc).
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "expected.h"

namespace datum::test {

// Two pieces of memory that peers may write to by an RMR only. Of each the last bytes are never
// within its bounds.
inline constexpr std::size_t kPanes = 2;
inline constexpr std::uint64_t kPaneBytes = 32 * 1024;
inline constexpr std::uint64_t kPaneRing = 28 * 1024;
inline constexpr std::uint64_t kPaneUnused = 128;

// What one bind opens.
struct Opening {
  // Between its bind and the completion of that, and again from the next bind on, it may be open.
  enum class State : std::uint8_t { Posted, Open, Shut };
  std::uint64_t bind = 0; // its cookie
  Stag stag = 0;          // 0: an unbind
  bool write = false;     // else peers may read
  std::uint64_t at = 0;   // in the party's memory
  std::uint64_t length = 0;
  std::uint64_t base = 0; // what peers call its first byte
  State state = State::Posted;
};

class Panes {
 public:
  // `memory`: kPanes times kPaneBytes, at `at` in the party's.
  Panes(const std::byte* memory, std::uint64_t at);

  void post(const Opening& opening);
  // The bind is known to be carried out, and what was open before is shut.
  void carried_out(std::uint64_t bind);
  // It was flushed, or its RMR has gone: nothing is open that was bound until then.
  void shut_until(std::uint64_t bind);
  void shut_all();

  // The one that is open, or will be when all is carried out; null: none.
  const Opening* newest() const;
  // No bind is under way.
  bool settled() const {
    return openings_.empty() || openings_.back().state != Opening::State::Posted;
  }
  // One that must be refused; null: there is none.
  const Opening* stale(std::uint64_t choice) const;

  Pieces& ring(std::uint64_t at) { return rings_[pane_of(at)]; }
  std::uint64_t start(std::uint64_t at) const { return at_ + pane_of(at) * kPaneBytes; }
  // Nobody has written where no context is.
  void check(std::uint32_t party) const;

 private:
  std::size_t pane_of(std::uint64_t at) const { return (at - at_) / kPaneBytes; }
  const std::byte* pane(std::size_t index) const { return memory_ + index * kPaneBytes; }
  void watch_shut_panes();

  const std::byte* memory_;
  std::uint64_t at_;
  std::deque<Opening> openings_; // the oldest first
  std::array<Pieces, kPanes> rings_{Pieces(kPaneRing), Pieces(kPaneRing)};
  std::array<std::vector<std::byte>, kPanes> as_shut_; // empty: may be written to
};

} // namespace datum::test
