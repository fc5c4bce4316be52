// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/unit/iwarp/refused.h: frames that end a connection, and the Terminate and the events that
// have to follow.
#pragma once

#include <functional>

#include "pair.h"

namespace datum::iwarp::test {

struct Expected {
  const char* code;
  bool header = true; // the Terminate echoes the header
  bool request = false;
  Log log{"broken"};
};

using Several = std::vector<Bytes>;
using Frames = std::function<Several(Target&)>;

// Expects that a Target refuses the last frame and takes all others. The frames arrive once whole
// and once octet by octet.
void expect_refused(const Frames& frames, const Expected& expected,
                    const SessionSettings& settings);
// As above, with a session that takes extensions and lets no message wait for a Recv.
void expect_refused(const Frames& frames, const Expected& expected);

// A Target that has a Read of 100 octets outstanding.
struct Reader {
  explicit Reader(Target& target);
  Bytes memory;
  LocalTriplet local;
  WorkRequest work;
  ReadRequest request;
};

} // namespace datum::iwarp::test
