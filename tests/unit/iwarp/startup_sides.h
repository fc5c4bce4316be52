// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/unit/iwarp/startup_sides.h: a session that starts up against frames that a test writes.
// Lives here: MPA requests and replies in hex; what a responder answers to a request, and what an
//             initiator does with a reply.
// Not here:   two sessions that start up with each other (pair.h).
#pragma once

#include <string>
#include <string_view>

#include "pair.h"

namespace datum::iwarp::test::startup {

inline constexpr char kRequestKey[] = "4d504120494420526571204672616d65";
inline constexpr char kReplyKey[] = "4d504120494420526570204672616d65";
// The first FPDU of an initiator without a Hello: a Write of no octets.
inline constexpr char kPlainRtr[] = "000ec140000000010000000000000000ebd34c5f";

inline std::string request(std::string_view rest) {
  return std::string(kRequestKey) + std::string(rest);
}
inline std::string reply(std::string_view rest) {
  return std::string(kReplyKey) + std::string(rest);
}

// What a responder answers to a request.
struct Answer {
  std::string frame;
  Terms terms;
  Log log;
};

inline Answer answer(std::string_view hex, const Wishes& wishes,
                     const SessionSettings& settings = {}) {
  Side side(settings);
  side.session.expect_request(0);
  side.feed_hex(hex);
  side.session.accept({}, wishes, side.events, 0);
  Answer result;
  result.frame = to_hex(side.take_output());
  result.terms = side.session.terms();
  result.log = side.events.take_log();
  return result;
}

// A responder that has accepted a request with these octets behind the key, and 4 Reads each way.
struct Responder : Side {
  explicit Responder(std::string_view words) {
    session.expect_request(0);
    feed_hex(request(words));
    session.accept({}, {.reads_in = 4, .reads_out = 4}, events, 0);
    take_output();
    events.take_log();
  }
};

// What an initiator does with a reply.
struct Outcome {
  std::string request;
  std::string output;
  Terms terms;
  Log log;
  bool finished = false;
};

inline Outcome conclude(std::string_view hex, const Wishes& wishes,
                        const SessionSettings& settings = {}, std::size_t piece = 10000) {
  Side side(settings);
  side.session.connect({}, wishes, side.events, 0);
  Outcome result;
  result.request = to_hex(side.take_output());
  side.feed(from_hex(hex), piece);
  result.output = to_hex(side.take_output());
  result.terms = side.session.terms();
  result.log = side.events.take_log();
  result.finished = side.session.finished();
  return result;
}

inline SessionSettings without_hello() {
  SessionSettings settings;
  settings.hello = false;
  return settings;
}

} // namespace datum::iwarp::test::startup
