// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// next_payload(), is_copied(): how a message is cut into FPDUs.
#include "transport/iwarp/payload_cut.h"

#include "bare_stream.h"

namespace datum::iwarp::test {
namespace {

class PayloadCut : public ::testing::Test, protected BareStream {
 protected:
  static constexpr std::size_t kHeader = 14;
  static constexpr std::size_t kMost = kUlpdu - kHeader;
  std::optional<std::size_t> next(std::uint64_t octets, bool copied = true, bool in_full = false) {
    return next_payload(
        stream, queue,
        {.header = kHeader, .segments = 1, .octets = octets, .copied = copied, .in_full = in_full});
  }
};

TEST_F(PayloadCut, UpToOneKibibyteIsCopied) {
  EXPECT_TRUE(is_copied(stream, 0));
  EXPECT_TRUE(is_copied(stream, 1024));
  EXPECT_FALSE(is_copied(stream, 1025));
}

TEST_F(PayloadCut, WithACrcUpToEight) {
  stream.terms.crc = true;
  EXPECT_TRUE(is_copied(stream, 8192));
  EXPECT_FALSE(is_copied(stream, 8193));
}

TEST_F(PayloadCut, TheShortFpduGoesFirst) {
  EXPECT_EQ(next(0), 0U);
  EXPECT_EQ(next(1), 1U);
  EXPECT_EQ(next(kMost), kMost);
  EXPECT_EQ(next(kMost + 1), 1U);
  EXPECT_EQ(next(3 * kMost + 7), 7U);
  EXPECT_EQ(next(3 * kMost), kMost);
}

TEST_F(PayloadCut, NoneLeavesWithoutRoom) {
  fill_queue();
  EXPECT_FALSE(next(1));
}

// Two FPDUs leave six kibibytes of a chunk.
TEST_F(PayloadCut, WhatIsLeftOfAChunkCutsACopyShortUnlessItMustBeInFull) {
  stream.most_ulpdu = kMostSentUlpdu;
  ASSERT_TRUE(queue.ready());
  const Bytes data(OutputChunk::kOctets / 2 - 3 * 1024);
  const LocalTriplet local = triplet(data.data(), data.size());
  for (int i = 0; i < 2; ++i)
    queue.add(Bytes(kHeader), {std::span(&local, 1), 0, data.size()}, true, false, {});
  const std::optional<std::size_t> cut = next(50000);
  ASSERT_TRUE(cut);
  EXPECT_GE(*cut, 4096U);
  EXPECT_LT(*cut, 6U * 1024);
  EXPECT_FALSE(next(50000, true, true));
  EXPECT_EQ(next(5000, true, true), 5000U);
}

// Two FPDUs leave four kibibytes of a chunk.
TEST_F(PayloadCut, APieceThatWouldBeTooShortWaits) {
  stream.most_ulpdu = kMostSentUlpdu;
  ASSERT_TRUE(queue.ready());
  const Bytes data(OutputChunk::kOctets / 2 - 2 * 1024);
  const LocalTriplet local = triplet(data.data(), data.size());
  for (int i = 0; i < 2; ++i)
    queue.add(Bytes(kHeader), {std::span(&local, 1), 0, data.size()}, true, false, {});
  EXPECT_FALSE(next(50000));
  EXPECT_EQ(next(2000), 2000U);
}

} // namespace
} // namespace datum::iwarp::test
