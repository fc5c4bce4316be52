// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The mark of requests between endpoints of datagrams, and the copies of datagrams that wait.
#include <array>
#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "core/datagrams/datagram_backlog.h"
#include "core/datagrams/datagram_mark.h"

namespace datum {
namespace {

PrivateData octets(std::string_view text) {
  return std::as_bytes(std::span(text));
}

// Rules: VERSION.15
TEST(DatagramMark, GoldenOctets) {
  const std::vector<std::byte> whole = marked({0x00123456}, octets("hi"));
  constexpr std::string_view kExpected("\xd7"
                                       "DatumUD\x01\0\0\0\0\x12\x34\x56"
                                       "hi",
                                       18);
  ASSERT_EQ(whole.size(), kExpected.size());
  EXPECT_EQ(std::memcmp(whole.data(), kExpected.data(), whole.size()), 0);
}

TEST(DatagramMark, ComesBack) {
  DatagramMark mark;
  ASSERT_TRUE(decode(marked({0xffffff}, {}), mark));
  EXPECT_EQ(mark.number, 0xffffffU);
}

TEST(DatagramMark, EveryOctetOfItsHeadCounts) {
  for (std::size_t at = 0; at != 12; ++at) {
    std::vector<std::byte> whole = marked({7}, octets("data"));
    whole[at] ^= std::byte{1};
    DatagramMark mark;
    EXPECT_FALSE(decode(whole, mark)) << at;
  }
}

TEST(DatagramMark, ShorterThanAMark) {
  const std::vector<std::byte> whole = marked({7}, {});
  DatagramMark mark;
  for (std::size_t size = 0; size != 16; ++size)
    EXPECT_FALSE(decode(PrivateData(whole).first(size), mark)) << size;
}

class Backlog : public testing::Test {
 protected:
  bool keep(std::string_view first, std::string_view second = {}) {
    const std::array segments = {piece(first), piece(second)};
    WorkRequest work;
    work.length = first.size() + second.size();
    work.local = segments;
    return backlog.keep(work);
  }
  // The datagram that would be sent next.
  std::string_view next() const {
    const WorkRequest* work = backlog.next();
    if (work == nullptr) return "nothing";
    EXPECT_EQ(work->local.size(), 1U);
    return {reinterpret_cast<const char*>(work->local[0].address), work->local[0].length};
  }

  DatagramBacklog backlog;

 private:
  static LocalTriplet piece(std::string_view text) {
    return {0, reinterpret_cast<std::uintptr_t>(text.data()), text.size()};
  }
};

TEST_F(Backlog, KeepsCopiesInOrder) {
  EXPECT_EQ(next(), "nothing");
  EXPECT_TRUE(backlog.all_started());
  char changing[] = "one";
  ASSERT_TRUE(keep(changing));
  changing[0] = 'X';
  ASSERT_TRUE(keep("t", "wo"));
  EXPECT_FALSE(backlog.all_started());
  EXPECT_EQ(next(), "one");
  backlog.mark_started(1);
  EXPECT_EQ(next(), "two");
  backlog.mark_started(2);
  EXPECT_TRUE(backlog.all_started());
}

TEST_F(Backlog, HoldsAHundredAndTwentyEightUntilTheyArePlaced) {
  for (int i = 0; i != 128; ++i) ASSERT_TRUE(keep("x")) << i;
  EXPECT_TRUE(backlog.full());
  EXPECT_FALSE(keep("x"));
  // The message numbers wrap around.
  constexpr std::uint32_t kFirst = 0xfffffff0;
  for (std::uint32_t i = 0; i != 128; ++i) backlog.mark_started(kFirst + i);
  backlog.release(kFirst - 1);
  EXPECT_TRUE(backlog.full());
  backlog.release(kFirst + 31);
  for (int i = 0; i != 32; ++i) ASSERT_TRUE(keep("y")) << i;
  EXPECT_FALSE(keep("y"));
  EXPECT_EQ(next(), "y");
}

TEST_F(Backlog, BeginsAgainWhenAllHaveBeenPlaced) {
  for (std::uint32_t round = 0; round != 3; ++round) {
    for (std::uint32_t i = 0; i != 100; ++i) ASSERT_TRUE(keep(i % 2 == 0 ? "even" : "odd"));
    for (std::uint32_t i = 0; i != 100; ++i) {
      ASSERT_EQ(next(), i % 2 == 0 ? "even" : "odd") << i;
      backlog.mark_started(round * 100 + i + 1);
    }
    EXPECT_EQ(next(), "nothing");
    backlog.release(round * 100 + 100);
    EXPECT_TRUE(backlog.all_started());
  }
}

TEST_F(Backlog, WhatWasNotStartedIsNeverReleased) {
  ASSERT_TRUE(keep("one"));
  backlog.release(1000);
  EXPECT_EQ(next(), "one");
  EXPECT_EQ(backlog.clear(), 1U);
  EXPECT_EQ(next(), "nothing");
  EXPECT_FALSE(backlog.full());
  EXPECT_EQ(backlog.clear(), 0U);
}

TEST_F(Backlog, WhatWasStartedIsNotAmongWhatAnEndLoses) {
  for (int i = 0; i != 3; ++i) ASSERT_TRUE(keep("x")) << i;
  backlog.mark_started(1);
  backlog.mark_started(2);
  backlog.release(1);
  EXPECT_EQ(backlog.clear(), 1U);
}

TEST_F(Backlog, NoMoreThanADatagramCanHave) {
  const std::string long_one(4097, 'x');
  EXPECT_FALSE(keep(long_one));
  EXPECT_TRUE(keep(std::string_view(long_one).substr(1)));
}

} // namespace
} // namespace datum
