// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Each event in each state of a connection inside a link. The expected next states are in a table
// that was written from docs/design/link.md.
#include "transport/link/link_state.h"

#include <gtest/gtest.h>

#include <string_view>

namespace datum {
namespace {

struct Letter {
  char letter;
  LinkState state;
};
constexpr Letter kLetters[] = {
    {'D', LinkState::Dialling}, {'R', LinkState::Requested}, {'I', LinkState::Incoming},
    {'A', LinkState::Accepted}, {'O', LinkState::Open},      {'F', LinkState::Failing},
    {'C', LinkState::Closed},
};

struct Happening {
  LinkEvent event;
  // The next state for each state, in the order of the columns. A dot means that the event does not
  // happen in that state.
  std::string_view next;
};
constexpr Happening kHappenings[] = {
    //                           DRIAOFC
    {LinkEvent::Dialled, /*    */ "R......"}, {LinkEvent::DialFailed, /**/ "F......"},
    {LinkEvent::PeerRetired, /**/ ".D....."}, {LinkEvent::Accept, /*    */ "..A...."},
    {LinkEvent::AcceptTooLate, "..F...."},    {LinkEvent::AcceptArrived, ".O....."},
    {LinkEvent::ConfirmArrived, "...O..."},   {LinkEvent::Leave, /*     */ "CCCCCC."},
};

char letter_of(LinkState state) {
  for (const Letter& each : kLetters)
    if (each.state == state) return each.letter;
  return '?';
}

TEST(LinkState, EveryEventInEveryState) {
  ASSERT_EQ(std::size(kHappenings), 8U);
  for (const Happening& happening : kHappenings) {
    ASSERT_EQ(happening.next.size(), std::size(kLetters));
    for (std::size_t i = 0; i < std::size(kLetters); ++i) {
      const auto next = next_in(kLinkTable, kLetters[i].state, happening.event);
      EXPECT_EQ(next ? letter_of(*next) : '.', happening.next[i])
          << kLetters[i].letter << " on event " << static_cast<int>(happening.event);
    }
  }
}

} // namespace
} // namespace datum
