// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/host/listening_state.h: the states of a listening socket, and of accepted sockets that
// are no connection yet, as one table each.
// Not here:   how many half-open sockets there may be, and which gives way (shm/half_open,
//             tcp/tcp_listener).
#pragma once

#include <array>
#include <cstdint>

#include "base/state_table.h"

namespace datum {

// --- the socket ----------------------------------------------------------------------------------

enum class ListeningState : std::uint8_t {
  Unwatched, // the reactor does not know it
  Watched,   // connections are accepted
  Resting,   // accept() has failed; new connections wait in the backlog
  AwaitRoom, // there are as many half-open connections as allowed
  Closed,    // the kernel can no longer be told what to report of the socket
};

enum class ListeningEvent : std::uint8_t {
  Begin,
  Failed,   // accept() failed, and not for one peer alone
  NoRoom,   // there is no room for another half-open connection, and none gives way
  RoomMade, // a half-open connection is over
  TimeOver, // the socket has rested, or a half-open connection may give way now
  Refused,  // a sandbox refuses epoll_ctl()
};

using ListeningRow = StateRow<ListeningState, ListeningEvent>;

inline constexpr std::array kListeningTable{
    ListeningRow{ListeningState::Unwatched, ListeningEvent::Begin, ListeningState::Watched},
    ListeningRow{ListeningState::Watched, ListeningEvent::Failed, ListeningState::Resting},
    ListeningRow{ListeningState::Watched, ListeningEvent::NoRoom, ListeningState::AwaitRoom},
    ListeningRow{ListeningState::Resting, ListeningEvent::TimeOver, ListeningState::Watched},
    ListeningRow{ListeningState::AwaitRoom, ListeningEvent::RoomMade, ListeningState::Watched},
    ListeningRow{ListeningState::AwaitRoom, ListeningEvent::TimeOver, ListeningState::Watched},
    ListeningRow{ListeningState::Watched, ListeningEvent::Refused, ListeningState::Closed},
    ListeningRow{ListeningState::Resting, ListeningEvent::Refused, ListeningState::Closed},
    ListeningRow{ListeningState::AwaitRoom, ListeningEvent::Refused, ListeningState::Closed},
};

inline constexpr std::array kListeningStates{ListeningState::Unwatched, ListeningState::Watched,
                                             ListeningState::Resting, ListeningState::AwaitRoom,
                                             ListeningState::Closed};
inline constexpr std::array kListeningEvents{ListeningEvent::Begin,    ListeningEvent::Failed,
                                             ListeningEvent::NoRoom,   ListeningEvent::RoomMade,
                                             ListeningEvent::TimeOver, ListeningEvent::Refused};

static_assert(every_enumerator_is_in(kListeningStates) && every_enumerator_is_in(kListeningEvents));
static_assert(no_two_rows_match(kListeningTable));
static_assert(every_state_is_reached(kListeningTable, kListeningStates,
                                     std::array{ListeningState::Unwatched}));
static_assert(every_state_is_left(kListeningTable, kListeningStates, kListeningEvents,
                                  ListeningState::Closed));

// --- an accepted socket --------------------------------------------------------------------------

enum class HalfOpenState : std::uint8_t {
  Stranger, // the peer has not yet shown what it wants
  Known,    // it has: by a Hello between processes of one host, by a whole MPA request over TCP
  Over,     // handed on, refused, lost or given up: only to be destroyed
};

enum class HalfOpenEvent : std::uint8_t {
  Spoke,
  Leave,
};

using HalfOpenRow = StateRow<HalfOpenState, HalfOpenEvent>;

inline constexpr std::array kHalfOpenTable{
    HalfOpenRow{HalfOpenState::Stranger, HalfOpenEvent::Spoke, HalfOpenState::Known},
    HalfOpenRow{HalfOpenState::Stranger, HalfOpenEvent::Leave, HalfOpenState::Over},
    HalfOpenRow{HalfOpenState::Known, HalfOpenEvent::Leave, HalfOpenState::Over},
};

inline constexpr std::array kHalfOpenStates{HalfOpenState::Stranger, HalfOpenState::Known,
                                            HalfOpenState::Over};
inline constexpr std::array kHalfOpenEvents{HalfOpenEvent::Spoke, HalfOpenEvent::Leave};

static_assert(every_enumerator_is_in(kHalfOpenStates) && every_enumerator_is_in(kHalfOpenEvents));
static_assert(no_two_rows_match(kHalfOpenTable));
static_assert(every_state_is_reached(kHalfOpenTable, kHalfOpenStates,
                                     std::array{HalfOpenState::Stranger}));
static_assert(every_state_is_left(kHalfOpenTable, kHalfOpenStates, kHalfOpenEvents,
                                  HalfOpenState::Over));

} // namespace datum
