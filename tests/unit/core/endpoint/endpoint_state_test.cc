// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Each event in each state of an EP. The expected next states are in a table that was written from
// the manual pages of dat_ep_connect, dat_cr_accept, dat_ep_disconnect, dat_ep_reset and
// dat_rsp_create.
#include "core/endpoint/endpoint_state.h"

#include <gtest/gtest.h>

#include <string_view>

namespace datum {
namespace {

struct Named {
  char letter;
  EpState state;
  unsigned number; // of DAT_EP_STATE
  Detail detail;
};

constexpr Named kStates[] = {
    {'U', EpState::Unconnected, 0, Detail::EpUnconnected},
    {'R', EpState::Reserved, 2, Detail::EpReserved},
    {'P', EpState::PassivePending, 4, Detail::EpPassiveConnectionPending},
    {'A', EpState::ActivePending, 6, Detail::EpActiveConnectionPending},
    {'T', EpState::TentativePending, 7, Detail::EpTentativeConnectionPending},
    {'C', EpState::Connected, 9, Detail::EpConnected},
    {'D', EpState::DisconnectPending, 10, Detail::EpDisconnectPending},
    {'X', EpState::Disconnected, 11, Detail::EpDisconnected},
    {'Q', EpState::CompletionPending, 12, Detail::EpCompletionPending},
    {'O', EpState::Datagrams, 9, Detail::EpConnected},
};

struct Happening {
  EpEvent event;
  // The next state for each state, in the order of the columns. A dot means that the event is not
  // possible in that state and changes nothing.
  std::string_view next;
};

constexpr Happening kHappenings[] = {
    //                        URPATCDXQO
    {EpEvent::Connect, /*  */ "A........."}, {EpEvent::Reserve, /*  */ "R........."},
    {EpEvent::Release, /*  */ ".UU......."}, {EpEvent::Accept, /*   */ "Q.Q.Q....."},
    {EpEvent::Abort, /*    */ "...X.XXXXX"}, {EpEvent::Drain, /*    */ "...X.DDXXX"},
    {EpEvent::Reset, /*    */ "U......U.."}, {EpEvent::Requested, /**/ ".P........"},
    {EpEvent::Established, "...C....C."},    {EpEvent::ConnectFailed, "...X....X."},
    {EpEvent::Drained, /*  */ "......X..."}, {EpEvent::Lost, /*     */ "...X.XX.XX"},
    {EpEvent::Opened, /*   */ "O........O"},
};

char letter_of(EpState state) {
  for (const Named& named : kStates)
    if (named.state == state) return named.letter;
  return '?';
}

TEST(EndpointState, EveryEventInEveryState) {
  for (const Happening& happening : kHappenings) {
    ASSERT_EQ(happening.next.size(), std::size(kStates));
    for (std::size_t i = 0; i < std::size(kStates); ++i) {
      const std::optional<EpState> next = next_in(kEpTable, kStates[i].state, happening.event);
      EXPECT_EQ(next ? letter_of(*next) : '.', happening.next[i])
          << kStates[i].letter << " on event " << static_cast<int>(happening.event);
    }
  }
}

TEST(EndpointState, IsSeenWithTheNumbersOfTheInterfaceAndTheirSubtypes) {
  for (const Named& named : kStates) {
    EXPECT_EQ(static_cast<unsigned>(seen_as(named.state)), named.number);
    EXPECT_EQ(invalid_state(named.state), Status(Type::InvalidState, named.detail));
  }
}

} // namespace
} // namespace datum
