// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/session_state.h: the states of an iWARP connection, as one table.
// Not here: what is sent and reported at a change of state (session.h).
#pragma once

#include <array>
#include <cstdint>

#include "base/state_table.h"

namespace datum::iwarp {

enum class SessionState : std::uint8_t {
  Idle,        // there is no TCP connection yet
  WaitReply,   // initiator: the MPA request is on its way, or has arrived
  WaitRequest, // responder: the MPA request has not come, or not all of it
  Asked,       // responder: the consumer decides
  Full,        // full operation, reported or not
  Ending,      // our last octets leave, what arrives is thrown away
  Ended,       // the socket can be closed
};

// What changes the state. SessionEvents report the changes that concern the owner.
enum class SessionChange : std::uint8_t {
  Connect,         // initiator, TCP being connected: the request is sent
  Expect,          // responder, TCP being accepted
  RequestArrived,  // the request is whole and can be answered
  ReplyArrived,    // the reply is whole, and is neither a reject nor unusable
  Accept,          // by the consumer
  Reject,          // by the consumer or by us: the reply that says so is sent
  RejectTooLate,   // the requester has gone
  SendLastMessage, // no FPDU is begun any more; the FPDU that TCP has a part of is finished
  EndBothWays,     // both sides have ended their streams
  Abort,           // nothing more is sent
};

using SessionRow = StateRow<SessionState, SessionChange>;

inline constexpr std::array kSessionTable{
    SessionRow{SessionState::Idle, SessionChange::Connect, SessionState::WaitReply},
    SessionRow{SessionState::Idle, SessionChange::Expect, SessionState::WaitRequest},
    SessionRow{SessionState::Idle, SessionChange::Abort, SessionState::Ended},
    SessionRow{SessionState::WaitReply, SessionChange::ReplyArrived, SessionState::Full},
    SessionRow{SessionState::WaitReply, SessionChange::Abort, SessionState::Ended},
    SessionRow{SessionState::WaitRequest, SessionChange::RequestArrived, SessionState::Asked},
    SessionRow{SessionState::WaitRequest, SessionChange::Abort, SessionState::Ended},
    SessionRow{SessionState::Asked, SessionChange::Accept, SessionState::Full},
    SessionRow{SessionState::Asked, SessionChange::Reject, SessionState::Ending},
    SessionRow{SessionState::Asked, SessionChange::RejectTooLate, SessionState::Ended},
    SessionRow{SessionState::Asked, SessionChange::Abort, SessionState::Ended},
    SessionRow{SessionState::Full, SessionChange::SendLastMessage, SessionState::Ending},
    SessionRow{SessionState::Full, SessionChange::Abort, SessionState::Ended},
    SessionRow{SessionState::Ending, SessionChange::EndBothWays, SessionState::Ended},
    SessionRow{SessionState::Ending, SessionChange::Abort, SessionState::Ended},
    // A failure after the end changes no state, but the socket is reset.
    SessionRow{SessionState::Ended, SessionChange::Abort, SessionState::Ended},
};

inline constexpr std::array kSessionStates{
    SessionState::Idle, SessionState::WaitReply, SessionState::WaitRequest, SessionState::Asked,
    SessionState::Full, SessionState::Ending,    SessionState::Ended};
inline constexpr std::array kSessionChanges{
    SessionChange::Connect,       SessionChange::Expect,          SessionChange::RequestArrived,
    SessionChange::ReplyArrived,  SessionChange::Accept,          SessionChange::Reject,
    SessionChange::RejectTooLate, SessionChange::SendLastMessage, SessionChange::EndBothWays,
    SessionChange::Abort};

static_assert(every_enumerator_is_in(kSessionStates) && every_enumerator_is_in(kSessionChanges));
static_assert(no_two_rows_match(kSessionTable));
static_assert(every_state_is_reached(kSessionTable, kSessionStates,
                                     std::array{SessionState::Idle}));
static_assert(every_state_is_left(kSessionTable, kSessionStates, kSessionChanges,
                                  SessionState::Ended));

} // namespace datum::iwarp
