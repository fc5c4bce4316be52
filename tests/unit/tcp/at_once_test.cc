// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// TcpTransport: which requests leave within the call that posts them, and which requests wait
// because of other requests or connections.
#include <gtest/gtest.h>
// Not <netinet/tcp.h>, which has an older tcp_info of the same name.
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "station.h"

namespace datum::test {
namespace {

// All octets that TCP has ever sent on this connection, arrived or not.
std::uint64_t octets_sent(const End& end) {
  tcp_info info{};
  socklen_t length = sizeof info;
  EXPECT_EQ(::getsockopt(end.socket, IPPROTO_TCP, TCP_INFO, &info, &length), 0);
  return info.tcpi_bytes_sent;
}

class AtOnce : public testing::Test {
 protected:
  AtOnce() {
    stations_.let_posters_come_back_soon(*first_);
    stations_.near.turn(); // does what the connects have left to do
    EXPECT_FALSE(near().has_work());
  }
  // A Send without payload.
  static void post(const Line& line) {
    EXPECT_EQ(line.near.channel->start(WorkRequest{}), StartResult::Started);
  }
  // How many octets the near side sends on `line` during `calls`.
  template <class Calls>
  static std::uint64_t sent(const Line& line, const Calls& calls) {
    const std::uint64_t before = octets_sent(line.near);
    calls();
    return octets_sent(line.near) - before;
  }
  // A Send of 50,000 octets.
  void post_long(const Line& line) {
    WorkRequest work;
    work.local = std::span(&memory_, 1);
    work.length = memory_.length;
    EXPECT_EQ(line.near.channel->start(work), StartResult::Started);
  }
  TcpTransport& near() { return *stations_.near.transport; }
  void skip(Duration time) { stations_.near.skip(time); }
  unsigned prompt_wakes() const { return stations_.near.prompt_wakes(); }

 private:
  TwoStations stations_;
  iwarp::test::Bytes octets_{50'000, std::byte{7}};
  const LocalTriplet memory_{0, std::uint64_t{reinterpret_cast<std::uintptr_t>(octets_.data())},
                             octets_.size()};

 protected:
  const std::unique_ptr<Line> first_ = stations_.connect();
  const std::unique_ptr<Line> second_ = stations_.connect();
};

// Rules: tcp.S1
TEST_F(AtOnce, WhereNobodyElseHasAnythingToSend) {
  EXPECT_NE(sent(*second_, [&] { post(*second_); }), 0U);
}

// Rules: tcp.S1
TEST_F(AtOnce, ALongOneToo) {
  EXPECT_GT(sent(*second_, [&] { post_long(*second_); }), 50'000U);
}

// Rules: tcp.S2
TEST_F(AtOnce, SeveralWaitAndLeaveTogether) {
  EXPECT_NE(sent(*first_, [&] { post(*first_); }), 0U) << "it comes alone, as far as one knows";
  EXPECT_EQ(sent(*first_, [&] { post(*first_), post_long(*first_); }), 0U);
  near().progress();
  EXPECT_EQ(sent(*first_, [&] { post(*first_), post(*first_); }), 0U) << "now one knows";
}

// Rules: tcp.S5
TEST_F(AtOnce, EachOneWhereNobodyHasLookedSoonAfterThem) {
  post(*first_), post(*first_);
  skip(71 * kMicrosecond);
  near().progress();
  for (int i = 0; i < 3; ++i) {
    EXPECT_NE(sent(*first_, [&] { post(*first_); }), 0U) << i;
    EXPECT_NE(sent(*second_, [&] { post(*second_); }), 0U) << i;
  }
}

// Rules: tcp.S3
TEST_F(AtOnce, NotBeforeARequestOfAnotherConnection) {
  post(*first_);
  EXPECT_EQ(sent(*first_, [&] { post(*first_); }), 0U) << "the second one waits for its turn";
  EXPECT_EQ(sent(*second_, [&] { post(*second_); }), 0U);
  EXPECT_NE(sent(*first_, [&] { EXPECT_NE(sent(*second_, [&] { near().progress(); }), 0U); }), 0U);
}

// Rules: tcp.S6
TEST_F(AtOnce, WhatCannotLeaveIsWokenForWhereNobodyComesBackSoon) {
  post(*first_), post(*first_);
  skip(71 * kMicrosecond);
  near().progress();
  first_->near.channel->on_receive_posted(); // puts first_ in line for a turn, with nothing to send
  EXPECT_EQ(prompt_wakes(), 0U);
  EXPECT_EQ(sent(*second_, [&] { post(*second_); }), 0U);
  EXPECT_EQ(prompt_wakes(), 1U);
}

// Rules: tcp.S3
TEST_F(AtOnce, NotBeforeTheEndOfAnotherConnection) {
  // Puts second_ in line for a turn. The close of first_ comes behind second_.
  second_->near.channel->on_receive_posted();
  first_->near.channel->close(CloseMode::Disconnect);
  EXPECT_EQ(sent(*second_, [&] { post(*second_); }), 0U);
  EXPECT_NE(sent(*second_, [&] { near().progress(); }), 0U);
}

} // namespace
} // namespace datum::test
