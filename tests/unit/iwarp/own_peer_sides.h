// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/unit/iwarp/own_peer_sides.h: an initiator, and the frames of an own peer that a test
// writes: Hello, acknowledgements, the question to a silent peer and its answer, the Close.
#pragma once

#include "pair.h"

namespace datum::iwarp::test::own_peer {

inline Bytes hello(std::uint64_t offset) {
  return fpdu(tagged(Rdmap::Write, 1, offset));
}
// Magic, version 1, no flags, ULPDUs up to 20000.
inline constexpr std::uint64_t kHello = 0x4454575010004e20;

// An initiator that has sent its first FPDU. The test writes what its peer sends.
struct Initiator : Side {
  explicit Initiator(const SessionSettings& settings = {}, const char* reply = kReply)
      : Side(settings) {
    session.connect({}, {.reads_in = 16, .reads_out = 16}, events, 0);
    take_output();
    feed_hex(reply);
    take_output();
    events.take_log();
  }
  Bytes data = pattern(100, 7, 1);
  LocalTriplet local = triplet(data.data(), data.size());
  WorkRequest work = send_of(std::span(&local, 1));
};

inline Bytes ack(std::uint32_t placed) {
  return fpdu(tagged(Rdmap::Write, 2, std::uint64_t{placed} << 32U));
}
// The question to a silent peer: a Read of no octets, the first Read of the connection.
inline Bytes question() {
  return fpdu(untagged(Rdmap::ReadRequest, 1, 1), from_hex("00000001000000000000000000000000"
                                                           "000000010000000000000000"));
}
inline Bytes answer() {
  return fpdu(tagged(Rdmap::ReadResponse, 1, 0));
}
inline Bytes close_frame() {
  return fpdu(tagged(Rdmap::Write, 3, 0));
}

} // namespace datum::iwarp::test::own_peer
