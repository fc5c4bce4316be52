// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/unit/iwarp/ending_sides.h: a session towards a foreign peer, and a message of its own, for
// the tests of how a connection ends.
#pragma once

#include "pair.h"

namespace datum::iwarp::test::ending {

inline constexpr std::size_t kLargest = 1442 - 18; // most payload in an FPDU of a Send

struct Message {
  explicit Message(std::size_t size)
      : data(pattern(size, 7, 1)), local(triplet(data.data(), size)) {
    work = send_of(std::span(&local, 1));
  }
  Bytes data;
  LocalTriplet local;
  WorkRequest work;
};

// A responder whose foreign peer has sent its first FPDU. TCP's segments have 1448 octets.
struct Foreign : Target {
  explicit Foreign(const SessionSettings& settings = {.extensions = true}) : Target(settings) {
    feed(fpdu(tagged(Rdmap::Write, 1, 0)));
    session.set_segment_size(1448);
  }
};

} // namespace datum::iwarp::test::ending
