// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/unit/iwarp/transfer_sides.h: a session that sends to a foreign peer, for the tests of full
// operation.
#pragma once

#include "pair.h"

namespace datum::iwarp::test::transfer {

// An initiator in full operation towards a foreign peer. `markers`: the peer wants markers.
struct Sender : Side {
  explicit Sender(bool markers, bool crc = true) : Side(settings(crc)) {
    session.connect({}, {.revision = 1, .reads_in = 4, .reads_out = 4}, events, 0);
    take_output();
    Bytes reply = from_hex("4d504120494420526570204672616d6540010000");
    if (markers) reply[16] |= std::byte{0x80};
    if (!crc) reply[16] &= std::byte{0xbf};
    feed(reply);
    events.take_log();
  }
  static SessionSettings settings(bool crc) {
    SessionSettings settings;
    settings.crc = crc;
    return settings;
  }
};

} // namespace datum::iwarp::test::transfer
