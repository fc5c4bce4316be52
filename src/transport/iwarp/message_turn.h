// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/message_turn.h: whose message leaves: one of ours, or a response to the peer's
// Read or Atomic.
// Lives here: whose message is under way, which side goes first between two messages, whether the
//             memory for the next FPDU was missing.
// Not here:   the messages (requester.h, responder.h); the questions to it (outbound.h).
// Threads:    the adapter's lock.
#pragma once

#include <cstdint>

namespace datum::iwarp {

class MessageTurn {
 public:
  // No message is under way: any may begin.
  bool is_free() const { return whose_ == Whose::Nobody; }
  bool is_own() const { return whose_ == Whose::Requester; }
  bool is_response() const { return whose_ == Whose::Responder; }
  // Where both have one: so many responses have left that a message of ours has its turn.
  bool own_goes_first() const { return responses_in_a_row_ >= kResponsesInARow; }

  // An FPDU was built; `last`: of its message.
  void on_own(bool last) {
    whose_ = last ? Whose::Nobody : Whose::Requester;
    if (last) responses_in_a_row_ = 0;
  }
  void on_response(bool last) {
    whose_ = last ? Whose::Nobody : Whose::Responder;
    if (last) ++responses_in_a_row_;
  }

  // There was no memory: another try, soon. Answers what was asked for.
  bool lack_room() {
    lacks_room_ = true;
    return false;
  }
  void try_again() { lacks_room_ = false; }
  bool lacks_room() const { return lacks_room_; }

 private:
  static constexpr unsigned kResponsesInARow = 4;
  enum class Whose : std::uint8_t { Nobody, Requester, Responder };

  bool lacks_room_ = false;
  Whose whose_ = Whose::Nobody;
  unsigned responses_in_a_row_ = 0; // since the last message of our own
};

} // namespace datum::iwarp
