// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/sim/panes.h: the memory that a party opens to its peers by an RMR, bind by bind.
// Lives here: the state of each context, and the check that shut memory has not changed.
// Not here:   posting binds (party_rights.cc).
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "expected.h"

namespace datum::test {

// Two pieces of memory to which peers may write only by an RMR. No RMR ever covers the last bytes
// of either piece.
inline constexpr std::size_t kPanes = 2;
inline constexpr std::uint64_t kPaneBytes = 32 * 1024;
inline constexpr std::uint64_t kPaneRing = 28 * 1024;
inline constexpr std::uint64_t kPaneUnused = 128;

// The window of one bind.
struct Opening {
  // Posted: the bind is posted and has no completion, so the window may be open already. When the
  // next bind is posted, an open window may be shut at any time.
  enum class State : std::uint8_t { Posted, Open, Shut };
  std::uint64_t bind = 0; // its cookie
  Stag stag = 0;          // 0: an unbind
  bool write = false;     // false: peers may read
  std::uint64_t at = 0;   // in the party's memory
  std::uint64_t length = 0;
  std::uint64_t base = 0; // the address by which peers name its first byte
  State state = State::Posted;
};

class Panes {
 public:
  // `memory` has kPanes times kPaneBytes. It begins at offset `at` in the party's memory.
  Panes(const std::byte* memory, std::uint64_t at);

  void post(const Opening& opening);
  // The bind has been carried out, so all earlier openings are shut.
  void carried_out(std::uint64_t bind);
  // The bind was flushed, or its RMR was freed. Then no opening up to this bind is open.
  void shut_until(std::uint64_t bind);
  void shut_all();

  // The opening that is open, or will be open once all binds are carried out. null: no opening.
  const Opening* newest() const;
  // True: no bind is under way.
  bool settled() const {
    return openings_.empty() || openings_.back().state != Opening::State::Posted;
  }
  // An opening through which a request must be refused. null: no such opening.
  const Opening* stale(std::uint64_t choice) const;

  Pieces& ring(std::uint64_t at) { return rings_[pane_of(at)]; }
  std::uint64_t start(std::uint64_t at) const { return at_ + pane_of(at) * kPaneBytes; }
  // Checks that no shut memory has changed.
  void check(std::uint32_t party) const;

 private:
  std::size_t pane_of(std::uint64_t at) const { return (at - at_) / kPaneBytes; }
  const std::byte* pane(std::size_t index) const { return memory_ + index * kPaneBytes; }
  void watch_shut_panes();

  const std::byte* memory_;
  std::uint64_t at_;
  std::deque<Opening> openings_; // the oldest first
  std::array<Pieces, kPanes> rings_{Pieces(kPaneRing), Pieces(kPaneRing)};
  std::array<std::vector<std::byte>, kPanes> as_shut_; // empty: peers may write to the pane
};

} // namespace datum::test
