// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/unit/iwarp/checked_frames.h: the frames that the checks on incoming FPDUs are tested with.
// Lives here: frames of a foreign peer to the region of a Target; expect_taken(), beside
//             expect_refused() in refused.h. Both feed the frames twice: whole, and octet by octet.
#pragma once

#include <gtest/gtest.h>

#include "refused.h"

namespace datum::iwarp::test::checks {

inline constexpr Stag kRegion = Target::kRegion;
inline constexpr Access kBoth = kRemoteRead | kRemoteWrite;

inline Bytes raw(std::string_view hex) {
  Bytes octets = from_hex(hex);
  const std::uint32_t value = crc32c(octets);
  for (unsigned i = 0; i < 4; ++i)
    octets.push_back(static_cast<std::byte>(value >> (8 * i) & 0xffU));
  return octets;
}

// The Target takes every frame, and the consumer gets the events of `log`.
inline void expect_taken(const Frames& frames, const Log& log) {
  for (const std::size_t piece : {std::size_t{1}, std::size_t{100000}}) {
    SCOPED_TRACE(piece == 1 ? "octet by octet" : "whole");
    Target target;
    for (const Bytes& each : frames(target)) target.feed(each, piece);
    EXPECT_EQ(target.terminate_code(), "");
    EXPECT_EQ(target.events.log(), log);
  }
}

inline Bytes read_request(Stag stag, std::uint64_t from, std::uint32_t size,
                          std::uint32_t msn = 1) {
  return fpdu(untagged(Rdmap::ReadRequest, 1, msn), octets_of(ReadRequest{.sink_stag = 0xaa5502,
                                                                          .sink_offset = 0x2000,
                                                                          .size = size,
                                                                          .source_stag = stag,
                                                                          .source_offset = from}));
}

inline Bytes atomic_request(Stag stag, std::uint64_t at, std::uint32_t msn = 1,
                            AtomicOperation operation = AtomicOperation::FetchAdd) {
  return fpdu(untagged(Rdmap::AtomicRequest, 1, msn),
              octets_of(AtomicRequest{
                  .operation = operation, .identifier = 9, .stag = stag, .offset = at, .data = 1}));
}

inline Bytes write(Stag stag, std::uint64_t to, std::size_t size, bool last = true) {
  return fpdu(tagged(Rdmap::Write, stag, to, last), pattern(size, 3, 1));
}

inline Bytes send(std::uint32_t msn, std::size_t size, std::uint32_t offset = 0, bool last = true) {
  return fpdu(untagged(Rdmap::Send, 0, msn, offset, last), pattern(size, 3, 1));
}

} // namespace datum::iwarp::test::checks
