// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The faults that the relay causes, without a network.
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "frame.h"
#include "line.h"

namespace datum::net {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr Time kStart{};

// From 10.87.0.1:40000 to 10.87.0.2:4711, "hello".
const Frame kIpv4{0x02, 0x00, 0x00, 0x00, 0x00, 0x0b, 0x02, 0x00, 0x00, 0x00, 0x00, 0x0a,
                  0x08, 0x00, 0x45, 0x00, 0x00, 0x2d, 0x00, 0x00, 0x40, 0x00, 0x40, 0x06,
                  0x26, 0x1b, 0x0a, 0x57, 0x00, 0x01, 0x0a, 0x57, 0x00, 0x02, 0x9c, 0x40,
                  0x12, 0x67, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x50, 0x18,
                  0x02, 0x00, 0x96, 0x89, 0x00, 0x00, 0x68, 0x65, 0x6c, 0x6c, 0x6f};
// From fd00:87::1 to fd00:87::2, "hi".
const Frame kIpv6{0x02, 0x00, 0x00, 0x00, 0x00, 0x0b, 0x02, 0x00, 0x00, 0x00, 0x00, 0x0a, 0x86,
                  0xdd, 0x60, 0x00, 0x00, 0x00, 0x00, 0x16, 0x06, 0x40, 0xfd, 0x00, 0x00, 0x87,
                  0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0xfd,
                  0x00, 0x00, 0x87, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
                  0x00, 0x02, 0x9c, 0x40, 0x12, 0x67, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07,
                  0x08, 0x50, 0x18, 0x02, 0x00, 0x8b, 0x93, 0x00, 0x00, 0x68, 0x69};
constexpr std::size_t kIpv4Checksum = 50;
constexpr std::size_t kIpv4Payload = 54;

Frame frame_of(std::uint8_t value) {
  return Frame(20, value);
}

std::vector<std::uint8_t> all_that_comes(Line& line, Time now) {
  std::vector<std::uint8_t> came;
  while (const auto frame = line.take(now)) came.push_back(frame->front());
  return came;
}

TEST(NetFrame, TcpIsFound) {
  const auto in_ipv4 = find_tcp(kIpv4);
  ASSERT_TRUE(in_ipv4);
  EXPECT_EQ(in_ipv4->header, 34U);
  EXPECT_EQ(in_ipv4->payload, 54U);
  EXPECT_EQ(in_ipv4->end, 59U);
  const auto in_ipv6 = find_tcp(kIpv6);
  ASSERT_TRUE(in_ipv6);
  EXPECT_EQ(in_ipv6->header, 54U);
  EXPECT_EQ(in_ipv6->payload, 74U);
  EXPECT_EQ(in_ipv6->end, 76U);
}

TEST(NetFrame, WhatIsCutShortIsNoTcp) {
  for (std::size_t size = 0; size < kIpv4.size(); ++size)
    EXPECT_FALSE(find_tcp(std::span(kIpv4).first(size))) << size;
  for (std::size_t size = 0; size < kIpv6.size(); ++size)
    EXPECT_FALSE(find_tcp(std::span(kIpv6).first(size))) << size;
}

// The expected checksums were computed by another program.
TEST(NetFrame, ASpoiltBitTakesTheChecksumAlong) {
  Frame first = kIpv4;
  ASSERT_TRUE(spoil(first, 0));
  EXPECT_EQ(first[kIpv4Payload], 'i');
  EXPECT_EQ(first[kIpv4Checksum], 0x95);
  EXPECT_EQ(first[kIpv4Checksum + 1], 0x89);
  Frame second = kIpv4;
  ASSERT_TRUE(spoil(second, 1));
  EXPECT_EQ(second[kIpv4Payload + 1], 'd');
  EXPECT_EQ(second[kIpv4Checksum], 0x96);
  EXPECT_EQ(second[kIpv4Checksum + 1], 0x8a);
  Frame third = kIpv6;
  ASSERT_TRUE(spoil(third, 0));
  EXPECT_EQ(third[74], 'i');
  EXPECT_EQ(third[70], 0x8a);
  EXPECT_EQ(third[71], 0x93);
}

TEST(NetFrame, AnyBitMayBeSpoilt) {
  Frame last = kIpv4;
  ASSERT_TRUE(spoil(last, 39)); // a payload of five octets
  EXPECT_EQ(last[kIpv4Payload + 4], 'o' + 0x80);
  EXPECT_EQ(last[kIpv4Checksum], 0x16);
  EXPECT_EQ(last[kIpv4Checksum + 1], 0x89);
}

TEST(NetFrame, WithoutPayloadNothingIsSpoilt) {
  Frame empty = kIpv4;
  empty.resize(kIpv4Payload);
  empty[17] = 40; // length of the IPv4 packet
  const Frame before = empty;
  EXPECT_FALSE(spoil(empty, 0));
  EXPECT_EQ(empty, before);
}

TEST(NetFrame, StartupIsNotSpoilt) {
  Frame request = kIpv4;
  const std::string_view key = "MPA ID Req Frame";
  request.resize(kIpv4Payload);
  request.insert(request.end(), key.begin(), key.end());
  request[17] = 56; // length of the IPv4 packet
  const Frame before = request;
  EXPECT_FALSE(spoil(request, 0));
  EXPECT_EQ(request, before);
}

TEST(NetFrame, ATurnedBackFrameHasSenderAndReceiverSwapped) {
  Frame turned = kIpv4;
  ASSERT_TRUE(turn_back(turned));
  EXPECT_EQ(turned[5], 0x0a);
  EXPECT_EQ(turned[11], 0x0b);
  EXPECT_EQ(turned[29], 0x02);
  EXPECT_EQ(turned[33], 0x01);
  Frame turned6 = kIpv6;
  ASSERT_TRUE(turn_back(turned6));
  EXPECT_EQ(turned6[37], 0x02);
  EXPECT_EQ(turned6[53], 0x01);
  Frame no_ip(60, 0);
  EXPECT_FALSE(turn_back(no_ip));
}

TEST(NetLine, DelayIsKeptToTheMicrosecond) {
  Line line({.delay = milliseconds(20)}, 0);
  line.offer(frame_of(1), kStart);
  EXPECT_EQ(line.next_due(), kStart + milliseconds(20));
  EXPECT_FALSE(line.take(kStart + microseconds(19'999)));
  EXPECT_TRUE(line.take(kStart + milliseconds(20)));
  EXPECT_FALSE(line.next_due());
}

TEST(NetLine, FramesKeepTheirOrder) {
  Line line({}, 0);
  for (std::uint8_t i = 0; i < 10; ++i) line.offer(frame_of(i), kStart);
  EXPECT_EQ(all_that_comes(line, kStart),
            (std::vector<std::uint8_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST(NetLine, AboutSoManyAreLostAsWereAskedFor) {
  Line line({.loss = 1000}, 0);
  for (int i = 0; i < 10'000; ++i) line.offer(frame_of(1), kStart);
  EXPECT_GT(line.counts().lost, 800U);
  EXPECT_LT(line.counts().lost, 1200U);
  EXPECT_EQ(all_that_comes(line, kStart).size(), 10'000 - line.counts().lost);
}

TEST(NetLine, TheSeedDecides) {
  std::vector<std::vector<std::uint8_t>> runs;
  for (const std::uint64_t seed : {7U, 7U, 8U}) {
    Line line({.seed = seed, .loss = 5000}, 0);
    for (std::uint8_t i = 0; i < 64; ++i) line.offer(frame_of(i), kStart);
    runs.push_back(all_that_comes(line, kStart));
  }
  EXPECT_EQ(runs[0], runs[1]);
  EXPECT_NE(runs[0], runs[2]);
}

TEST(NetLine, WhatIsHeldBackIsOvertaken) {
  Line line({.reorder = 5000}, 0);
  for (std::uint8_t i = 0; i < 64; ++i) line.offer(frame_of(i), kStart);
  const auto came = all_that_comes(line, kStart + milliseconds(4));
  EXPECT_EQ(came.size(), 64U);
  EXPECT_FALSE(std::is_sorted(came.begin(), came.end()));
}

TEST(NetLine, ADuplicateIsTheSameFrameAgain) {
  Line line({.duplicate = 10'000}, 0);
  line.offer(frame_of(5), kStart);
  EXPECT_EQ(all_that_comes(line, kStart), (std::vector<std::uint8_t>{5, 5}));
}

TEST(NetLine, OfADuplicatedFrameOneIsSpoilt) {
  Line line({.duplicate = 10'000, .corrupt = 10'000}, 0);
  line.offer(kIpv4, kStart);
  EXPECT_EQ(line.take(kStart), kIpv4);
  EXPECT_NE(line.take(kStart), kIpv4);
  EXPECT_EQ(line.counts().corrupted, 1U);
}

TEST(NetLine, WhatIsUnderWayArrivesAfterACut) {
  Line line({.delay = milliseconds(1)}, 0);
  line.offer(frame_of(1), kStart);
  line.set_cut(true);
  line.offer(frame_of(2), kStart);
  line.set_cut(false);
  line.offer(frame_of(3), kStart);
  EXPECT_EQ(all_that_comes(line, kStart + milliseconds(1)), (std::vector<std::uint8_t>{1, 3}));
  EXPECT_EQ(line.counts().cut, 1U);
}

} // namespace
} // namespace datum::net
