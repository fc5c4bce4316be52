// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Each event in each state of a listening socket, and of a half-open connection. The expected next
// states are in tables that were written from docs/design/tcp.md and docs/design/shm.md.
#include "transport/host/listening_state.h"

#include "tests/unit/state_walk.h"

namespace datum {
namespace {

TEST(ListeningState, EveryEventInEveryState) {
  using State = ListeningState;
  using Event = ListeningEvent;
  constexpr test::StateLetter<State> kStates[] = {{'U', State::Unwatched},
                                                  {'W', State::Watched},
                                                  {'R', State::Resting},
                                                  {'A', State::AwaitRoom},
                                                  {'C', State::Closed}};
  constexpr test::EventRow<Event> kEvents[] = {
      //                     UWRAC
      {Event::Begin, /*   */ "W...."}, {Event::Failed, /*  */ ".R..."},
      {Event::NoRoom, /*  */ ".A..."}, {Event::RoomMade, /**/ "...W."},
      {Event::TimeOver, /**/ "..WW."}, {Event::Refused, /* */ ".CCC."},
  };
  test::expect_transitions(kListeningTable, kStates, kEvents);
}

TEST(HalfOpenState, EveryEventInEveryState) {
  using State = HalfOpenState;
  using Event = HalfOpenEvent;
  constexpr test::StateLetter<State> kStates[] = {
      {'S', State::Stranger}, {'K', State::Known}, {'O', State::Over}};
  constexpr test::EventRow<Event> kEvents[] = {
      //                  SKO
      {Event::Spoke, /**/ "K.."},
      {Event::Leave, /**/ "OO."},
  };
  test::expect_transitions(kHalfOpenTable, kStates, kEvents);
}

} // namespace
} // namespace datum
