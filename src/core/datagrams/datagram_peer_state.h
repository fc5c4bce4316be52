// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/datagrams/datagram_peer_state.h: the states of a peer of an endpoint of datagrams, as one
// table.
// Not here:   what is reported and lost at a change of state (datagram_peer.cc).
#pragma once

#include <array>
#include <cstdint>

#include "base/state_table.h"

namespace datum {

enum class DatagramPeerState : std::uint8_t {
  Resolving, // connect or accept was called
  Open,      // datagrams go both ways
  Gone,      // the other side has ended; what is sent is lost
  Failed,    // never opened; kept for the private data of its event
  Spent,     // only to be destroyed
};

enum class DatagramPeerEvent : std::uint8_t {
  Established,
  ConnectFailed, // refused, out of time, or without a valid mark
  PeerEnded,     // the peer's side ended, and the channel with it
  Spend,         // no longer needed, or its opening could not be reported
};

using DatagramPeerRow = StateRow<DatagramPeerState, DatagramPeerEvent>;

inline constexpr std::array kDatagramPeerTable{
    DatagramPeerRow{DatagramPeerState::Resolving, DatagramPeerEvent::Established,
                    DatagramPeerState::Open},
    DatagramPeerRow{DatagramPeerState::Resolving, DatagramPeerEvent::ConnectFailed,
                    DatagramPeerState::Failed},
    DatagramPeerRow{DatagramPeerState::Resolving, DatagramPeerEvent::Spend,
                    DatagramPeerState::Spent},
    DatagramPeerRow{DatagramPeerState::Open, DatagramPeerEvent::PeerEnded, DatagramPeerState::Gone},
    DatagramPeerRow{DatagramPeerState::Open, DatagramPeerEvent::Spend, DatagramPeerState::Spent},
    DatagramPeerRow{DatagramPeerState::Gone, DatagramPeerEvent::Spend, DatagramPeerState::Spent},
    DatagramPeerRow{DatagramPeerState::Failed, DatagramPeerEvent::Spend, DatagramPeerState::Spent},
};

inline constexpr std::array kDatagramPeerStates{
    DatagramPeerState::Resolving, DatagramPeerState::Open, DatagramPeerState::Gone,
    DatagramPeerState::Failed, DatagramPeerState::Spent};
inline constexpr std::array kDatagramPeerEvents{
    DatagramPeerEvent::Established, DatagramPeerEvent::ConnectFailed, DatagramPeerEvent::PeerEnded,
    DatagramPeerEvent::Spend};

static_assert(every_enumerator_is_in(kDatagramPeerStates) &&
              every_enumerator_is_in(kDatagramPeerEvents));
static_assert(no_two_rows_match(kDatagramPeerTable));
static_assert(every_state_is_reached(kDatagramPeerTable, kDatagramPeerStates,
                                     std::array{DatagramPeerState::Resolving}));
static_assert(every_state_is_left(kDatagramPeerTable, kDatagramPeerStates, kDatagramPeerEvents,
                                  DatagramPeerState::Spent));

} // namespace datum
