// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "refused.h"

#include <gtest/gtest.h>

namespace datum::iwarp::test {

void expect_refused(const Frames& frames, const Expected& expected,
                    const SessionSettings& settings) {
  for (const std::size_t piece : {std::size_t{1}, std::size_t{100000}}) {
    SCOPED_TRACE(piece == 1 ? "octet by octet" : "whole");
    Target target(settings);
    const std::vector<Bytes> all = frames(target);
    for (std::size_t i = 0; i + 1 < all.size(); ++i) {
      target.feed(all[i], piece);
      ASSERT_EQ(target.terminate_code(), "") << "frame " << i;
    }
    target.events.take_log();
    target.feed(all.back(), piece);
    EXPECT_EQ(target.terminate_code(), expected.code);
    EXPECT_EQ(target.terminate().has_header, expected.header);
    EXPECT_EQ(target.terminate().has_length, expected.header);
    EXPECT_EQ(target.terminate().has_request, expected.request);
    if (expected.header) {
      const std::size_t size = target.terminate().header_size();
      EXPECT_EQ(to_hex(Octets(target.terminate().header).first(size)),
                to_hex(Octets(all.back()).subspan(2, size)));
      const auto ulpdu = static_cast<std::uint16_t>(std::to_integer<unsigned>(all.back()[0]) << 8U |
                                                    std::to_integer<unsigned>(all.back()[1]));
      EXPECT_EQ(target.terminate().segment_length, ulpdu);
    }
    EXPECT_EQ(target.events.log(), expected.log);
    EXPECT_TRUE(target.session.wants_shutdown());
    // The session ignores what comes later.
    target.feed(fpdu(untagged(Rdmap::Send, 0, 1), pattern(4, 1, 0)));
    EXPECT_EQ(target.events.log(), expected.log);
  }
}

void expect_refused(const Frames& frames, const Expected& expected) {
  SessionSettings settings;
  settings.extensions = true;
  settings.receive_timeout = 0;
  expect_refused(frames, expected, settings);
}

Reader::Reader(Target& target) : memory(100) {
  local = triplet(memory.data(), memory.size());
  work = read_of(std::span(&local, 1), 0x77, nullptr);
  // Before the peer's first FPDU a responder may not send.
  target.feed(fpdu(tagged(Rdmap::Write, 1, 0)));
  EXPECT_EQ(target.session.start(work), StartResult::Started);
  const std::vector<Bytes> sent = ulpdus(target.take_output());
  EXPECT_EQ(sent.size(), 1U);
  WireReader in(Octets(sent.at(0)).subspan(18));
  EXPECT_TRUE(decode(in, request));
}

} // namespace datum::iwarp::test
