// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/digest.h"

#include <gtest/gtest.h>

#include "folder.h"

namespace datum::cp {
namespace {

Digest whole(const std::string& text) {
  FileDigest digest;
  digest.update(test::bytes_of(text));
  return digest.finish();
}

TEST(FileDigest, DoesNotDependOnHowTheBytesCome) {
  const std::string text = test::noise(2 * test::kFourMiB + 12345);
  FileDigest digest;
  for (std::size_t at = 0; at < text.size(); at += 99'991)
    digest.update(
        test::bytes_of(text).subspan(at, std::min<std::size_t>(99'991, text.size() - at)));
  EXPECT_EQ(digest.finish(), whole(text));
}

TEST(FileDigest, SeesEveryKindOfChange) {
  const std::string text = test::noise(test::kFourMiB + 10);
  std::string flipped = text;
  flipped[100] = static_cast<char>(flipped[100] ^ 1);
  EXPECT_NE(whole(text), whole(flipped));
  EXPECT_NE(whole(text), whole(text.substr(0, text.size() - 1)));
  EXPECT_NE(whole(""), whole(std::string(1, '\0')));
  EXPECT_NE(whole(std::string(test::kFourMiB, '\0')), whole(std::string(2 * test::kFourMiB, '\0')));
}

TEST(FileDigest, ZerosCountLikeBytesThatAreZero) {
  FileDigest digest;
  digest.update(test::bytes_of("x"));
  digest.update_zeros(test::kFourMiB + 1);
  EXPECT_EQ(digest.finish(), whole("x" + std::string(test::kFourMiB + 1, '\0')));
}

TEST(FileDigest, WholeBlocksOfZerosCountLikeBytesThatAreZero) {
  std::size_t blocks = 0;
  FileDigest digest([&](const Digest&) { ++blocks; });
  digest.update(test::bytes_of("x"));
  digest.update_zeros(3 * test::kFourMiB + 5);
  EXPECT_EQ(blocks, 3U);
  EXPECT_EQ(digest.finish(), whole("x" + std::string(3 * test::kFourMiB + 5, '\0')));
}

// A peer announces such a hole in one message. Hashing it octet by octet would take an hour.
TEST(FileDigest, AHoleOf16TiBTakesNoTimeInProportion) {
  std::size_t blocks = 0;
  FileDigest digest([&](const Digest&) { ++blocks; });
  digest.update_zeros(1ULL << 44U);
  EXPECT_EQ(blocks, 4'194'304U);
}

TEST(FileDigest, ReportsFullBlocksOnly) {
  const std::string text = test::noise(2 * test::kFourMiB + 1);
  std::vector<Digest> blocks;
  FileDigest digest([&](const Digest& block) { blocks.push_back(block); });
  digest.update(test::bytes_of(text));
  digest.finish();
  ASSERT_EQ(blocks.size(), 2U);
  EXPECT_EQ(blocks[1], digest_of(test::bytes_of(text).subspan(test::kFourMiB, test::kFourMiB)));
}

TEST(Digest, IsXxh3With128BitsInCanonicalOrder) {
  // XXH3_128bits of the empty input, seed 0: 99aa06d3014798d8 6001c324468d497f.
  const Digest digest = digest_of({});
  EXPECT_EQ(std::to_integer<int>(digest[0]), 0x99);
  EXPECT_EQ(std::to_integer<int>(digest[7]), 0xd8);
  EXPECT_EQ(std::to_integer<int>(digest[15]), 0x7f);
}

TEST(Digest, OfAShortFileIsTheSameInOneStep) {
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{500}, test::kFourMiB}) {
    const std::string content = test::noise(size);
    FileDigest digest;
    digest.update(test::bytes_of(content));
    EXPECT_EQ(digest_of_short_file(test::bytes_of(content)), digest.finish()) << size;
  }
}

} // namespace
} // namespace datum::cp
