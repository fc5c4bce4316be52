// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// kSessionTable: every change in every state of an iWARP session, against a table written from
// docs/design/iwarp.md and RFC 5044 section 7.1.
#include "transport/iwarp/session_state.h"

#include "unit/state_walk.h"

namespace datum::iwarp {
namespace {

TEST(SessionState, EveryChangeInEveryState) {
  using State = SessionState;
  using Change = SessionChange;
  constexpr datum::test::StateLetter<State> kStates[] = {
      {'I', State::Idle}, {'R', State::WaitReply}, {'Q', State::WaitRequest}, {'A', State::Asked},
      {'F', State::Full}, {'L', State::Ending},    {'E', State::Ended},
  };
  constexpr datum::test::EventRow<Change> kChanges[] = {
      //                            IRQAFLE
      {Change::Connect, /*       */ "R......"}, {Change::Expect, /*        */ "Q......"},
      {Change::RequestArrived, /**/ "..A...."}, {Change::ReplyArrived, /*  */ ".F....."},
      {Change::Accept, /*        */ "...F..."}, {Change::Reject, /*        */ "...L..."},
      {Change::RejectTooLate, /* */ "...E..."}, {Change::SendLastMessage, /*  */ "....L.."},
      {Change::EndBothWays, /*   */ ".....E."}, {Change::Abort, /*         */ "EEEEEEE"},
  };
  datum::test::expect_transitions(kSessionTable, kStates, kChanges);
}

} // namespace
} // namespace datum::iwarp
