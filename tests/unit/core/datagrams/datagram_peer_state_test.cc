// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Each event in each state of a datagram peer. The expected next states are in a table that was
// written from docs/design/ud.md.
#include "core/datagrams/datagram_peer_state.h"

#include "tests/unit/state_walk.h"

namespace datum {
namespace {

TEST(DatagramPeerState, EveryEventInEveryState) {
  using State = DatagramPeerState;
  using Event = DatagramPeerEvent;
  constexpr test::StateLetter<State> kStates[] = {{'R', State::Resolving},
                                                  {'O', State::Open},
                                                  {'G', State::Gone},
                                                  {'F', State::Failed},
                                                  {'S', State::Spent}};
  constexpr test::EventRow<Event> kEvents[] = {
      //                          ROGFS
      {Event::Established, /*  */ "O...."},
      {Event::ConnectFailed, /**/ "F...."},
      {Event::PeerEnded, /*    */ ".G..."},
      {Event::Spend, /*        */ "SSSS."},
  };
  test::expect_transitions(kDatagramPeerTable, kStates, kEvents);
}

} // namespace
} // namespace datum
