// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/link/link_state.h: the states of a connection inside a link, as one table.
// Not here:   what is sent and reported at a change of state (link_handshake.cc).
#pragma once

#include <array>
#include <cstdint>

#include "base/state_table.h"

namespace datum {

enum class LinkState : std::uint8_t {
  Dialling,  // active: there is no link yet
  Requested, // active: Connect was sent
  Incoming,  // passive: the consumer has not answered yet
  Accepted,  // passive: Accept was sent, and Confirm has not come
  Open,      // both sides send
  Failing,   // the connect or the accept has failed, and work() has to report that
  Closed,    // nothing of the connection is left
};

enum class LinkEvent : std::uint8_t {
  Dialled,       // the fabric has made or found a link to the peer
  DialFailed,    // the fabric has failed to make a link
  PeerRetired,   // the peer gave the link up before it read the request: dial again
  Accept,        // the consumer accepts
  AcceptTooLate, // the consumer accepts, but the requester has gone
  AcceptArrived,
  ConfirmArrived,
  Leave, // refused, closed, broken, failed: nothing of the connection is left
};

using LinkRow = StateRow<LinkState, LinkEvent>;

inline constexpr std::array kLinkTable{
    LinkRow{LinkState::Dialling, LinkEvent::Dialled, LinkState::Requested},
    LinkRow{LinkState::Dialling, LinkEvent::DialFailed, LinkState::Failing},
    LinkRow{LinkState::Dialling, LinkEvent::Leave, LinkState::Closed},
    LinkRow{LinkState::Requested, LinkEvent::PeerRetired, LinkState::Dialling},
    LinkRow{LinkState::Requested, LinkEvent::AcceptArrived, LinkState::Open},
    LinkRow{LinkState::Requested, LinkEvent::Leave, LinkState::Closed},
    LinkRow{LinkState::Incoming, LinkEvent::Accept, LinkState::Accepted},
    LinkRow{LinkState::Incoming, LinkEvent::AcceptTooLate, LinkState::Failing},
    LinkRow{LinkState::Incoming, LinkEvent::Leave, LinkState::Closed},
    LinkRow{LinkState::Accepted, LinkEvent::ConfirmArrived, LinkState::Open},
    LinkRow{LinkState::Accepted, LinkEvent::Leave, LinkState::Closed},
    LinkRow{LinkState::Open, LinkEvent::Leave, LinkState::Closed},
    LinkRow{LinkState::Failing, LinkEvent::Leave, LinkState::Closed},
};

inline constexpr std::array kLinkStates{
    LinkState::Dialling, LinkState::Requested, LinkState::Incoming, LinkState::Accepted,
    LinkState::Open,     LinkState::Failing,   LinkState::Closed};
inline constexpr std::array kLinkEvents{LinkEvent::Dialled,        LinkEvent::DialFailed,
                                        LinkEvent::PeerRetired,    LinkEvent::Accept,
                                        LinkEvent::AcceptTooLate,  LinkEvent::AcceptArrived,
                                        LinkEvent::ConfirmArrived, LinkEvent::Leave};

static_assert(every_enumerator_is_in(kLinkStates) && every_enumerator_is_in(kLinkEvents));
static_assert(no_two_rows_match(kLinkTable));
static_assert(every_state_is_reached(kLinkTable, kLinkStates,
                                     std::array{LinkState::Dialling, LinkState::Incoming}));
static_assert(every_state_is_left(kLinkTable, kLinkStates, kLinkEvents, LinkState::Closed));

} // namespace datum
