// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/fuzz/session/heard.h: reads what a session sends, as an honest peer does. It finds out
// which requests the peer has to answer and how many messages the peer can acknowledge. It also
// checks what every peer may rely on.
#pragma once

#include <deque>

#include "pair.h"

namespace datum::fuzz {

class Heard {
 public:
  struct Read {
    bool atomic = false;
    std::uint32_t msn = 0; // an Atomic's identifier, too
    Stag sink_stag = 0;
    std::uint64_t sink_offset = 0;
    std::uint32_t size = 0;
    std::uint32_t done = 0;
  };
  Heard(bool initiator, std::uint32_t first_msn)
      : initiator_(initiator), next_msn_{first_msn, first_msn, 1, first_msn},
        placed(first_msn - 1) {}
  // Reads the octets that the session sent next.
  void hear(iwarp::Octets octets, const iwarp::Session& session);
  void may_be_as_long(std::size_t ulpdu) { most_ = std::max(most_, ulpdu); }
  void cut_at(std::size_t ulpdu) { hello_ulpdu_ = ulpdu; }

 private:
  void hear_startup(iwarp::Octets& octets);
  void hear_fpdu(iwarp::Octets fpdu, std::size_t ulpdu, const iwarp::Session& session);
  void hear_tagged(iwarp::Octets ulpdu, bool rtr, const iwarp::Session& session);
  void hear_untagged(iwarp::Octets ulpdu, bool rtr);
  void hear_terminate(iwarp::Octets payload);
  void look_at_payload(std::size_t size, bool response, const iwarp::Terms& terms);

  const bool initiator_;
  iwarp::test::Bytes startup_;
  bool started_ = false;
  iwarp::test::Bytes stream_; // what follows the startup frame, without markers
  std::size_t position_ = 0;
  std::size_t fpdus_ = 0;
  std::size_t most_ = iwarp::kLeastUlpdu;
  std::size_t hello_ulpdu_ = 0;
  std::uint32_t next_msn_[4];

 public:
  std::deque<Read> reads; // to be answered, oldest first
  // how many Sends and Writes were placed, as acknowledgements count them
  std::uint32_t placed;
  iwarp::test::Bytes last_request; // header of the last Send or Write
  bool silent_written = false;     // an acknowledgement was sent before the peer said Hello
};

} // namespace datum::fuzz
