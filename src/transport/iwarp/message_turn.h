// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/message_turn.h: which message leaves next: a request of this side, or a response
// to the peer's Read or Atomic.
// Lives here: which of the two is under way, which goes first between two messages, whether there
//             was no memory for the next FPDU.
// Not here:   the messages (requester.h, responder.h); sending them (outbound.h).
// Threads:    the adapter's lock.
#pragma once

#include <cstdint>

namespace datum::iwarp {

class MessageTurn {
 public:
  // True: no message is under way, so any may begin.
  bool is_free() const { return whose_ == Whose::Nobody; }
  bool is_own() const { return whose_ == Whose::Requester; }
  bool is_response() const { return whose_ == Whose::Responder; }
  // Asked if a request and a response wait. True: the request goes first, since
  // kResponsesInARow responses have left in a row.
  bool own_goes_first() const { return responses_in_a_row_ >= kResponsesInARow; }

  // An FPDU was built. `last`: it ends its message.
  void on_own(bool last) {
    whose_ = last ? Whose::Nobody : Whose::Requester;
    if (last) responses_in_a_row_ = 0;
  }
  void on_response(bool last) {
    whose_ = last ? Whose::Nobody : Whose::Responder;
    if (last) ++responses_in_a_row_;
  }

  // There was no memory, so another try follows soon. Returns false: no FPDU was built.
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
  unsigned responses_in_a_row_ = 0; // since the last request of this side
};

} // namespace datum::iwarp
