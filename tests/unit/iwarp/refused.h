// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/unit/iwarp/refused.h: frames that end a connection, and what has to be said about them.
#pragma once

#include <functional>

#include "pair.h"

namespace datum::iwarp::test {

struct Expected {
  const char* code;
  bool header = true; // echoed
  bool request = false;
  Log log{"broken"};
};

using Several = std::vector<Bytes>;
using Frames = std::function<Several(Target&)>;

// The last of the frames is the one that is refused, whole as well as octet by octet.
void expect_refused(const Frames& frames, const Expected& expected,
                    const SessionSettings& settings);
// Extensions are taken, and no message waits for a Recv.
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
