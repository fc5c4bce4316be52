// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// How many RDMA Reads may be under way, which side holds the other Reads back, and which requests
// must not overtake Reads.
#include "fixture.h"

namespace datum::test {
namespace {

// So large that a Read takes several steps, even by direct access.
constexpr std::size_t kMiB = 1 << 20;

ChangeAttributes reads(DAT_COUNT in, DAT_COUNT out) {
  return [in, out](DAT_EP_ATTR& attributes) {
    attributes.max_rdma_read_in = in;
    attributes.max_rdma_read_out = out;
  };
}

// Twelve Reads at once, each of its own part of the source.
void expect_reads_succeed(Side& from, Side& to) {
  constexpr std::size_t kPart = 20'000;
  constexpr DAT_UINT64 kReads = 12;
  Buffer source = to.buffer(kReads * kPart);
  Buffer sink = from.buffer(kReads * kPart);
  source.fill(5);
  for (DAT_UINT64 i = 0; i < kReads; ++i) {
    ASSERT_DAT_OK(
        post_read(from.ep(), {sink.segment(i * kPart, kPart)}, source.remote(i * kPart, kPart), i));
  }
  for (DAT_UINT64 i = 0; i < kReads; ++i) {
    EXPECT_EQ(expect_dto(from.request_evd(), from.ep(), i), kPart);
    EXPECT_TRUE(sink.holds(5, i * kPart, kPart)) << i;
  }
}

// Rules: READ.1
TEST(RuleRdmaReadLimits, MoreThanTheOwnLimit) {
  ConnectedPair pair(with_attributes(reads(4, 1), reads(4, 4)));
  expect_reads_succeed(pair.active(), pair.passive());
}

// Rules: READ.4 READ.5 READ.6 PATH.15
TEST(RuleRdmaReadLimits, MoreThanThePeersLimit) {
  ConnectedPair pair(with_attributes(reads(3, 8), reads(1, 7)));
  expect_reads_succeed(pair.active(), pair.passive());
  expect_reads_succeed(pair.passive(), pair.active());
  const DAT_EP_ATTR active = query_ep(pair.active().ep()).ep_attr;
  EXPECT_EQ(active.max_rdma_read_in, 3);
  EXPECT_EQ(active.max_rdma_read_out, 8);
  const DAT_EP_ATTR passive = query_ep(pair.passive().ep()).ep_attr;
  EXPECT_EQ(passive.max_rdma_read_in, 1);
  EXPECT_EQ(passive.max_rdma_read_out, 7);
}

// Rules: READ.4
TEST(RuleRdmaReadLimits, APeerThatServesNone) {
  ConnectedPair pair(with_attributes(reads(0, 8), reads(0, 0)));
  EXPECT_EQ(ep_state(pair.active().ep()), DAT_EP_STATE_CONNECTED);
  EXPECT_EQ(ep_state(pair.passive().ep()), DAT_EP_STATE_CONNECTED);
  Side& active = pair.active();
  Buffer mine = active.buffer(16);
  Buffer theirs = pair.passive().buffer(16);
  mine.fill(1);
  theirs.fill(2);
  ASSERT_DAT_OK(post_write(active.ep(), {mine.segment()}, theirs.remote(), 1));
  expect_dto(active.request_evd(), active.ep(), 1);
  theirs.fill(2);
  // A Read could only wait for ever here, so it fails, on every path alike.
  ASSERT_DAT_OK(post_read(active.ep(), {mine.segment()}, theirs.remote(), 2));
  expect_dto(active.request_evd(), active.ep(), 2, DAT_DTO_ERR_REMOTE_RESPONDER);
  EXPECT_TRUE(mine.holds(1, 0, 16));
  for (Side* side : {&active, &pair.passive()}) {
    expect_connection_event(side->connect_evd(), DAT_CONNECTION_EVENT_BROKEN, side->ep());
  }
}

// Rules: READ.3 dat_ep_post_rdma_read.R23 D-32
TEST(RuleRdmaReadLimits, AnEpThatReadsNothing) {
  ConnectedPair pair(with_attributes(reads(4, 0)));
  Side& active = pair.active();
  Buffer mine = active.buffer(16);
  Buffer theirs = pair.passive().buffer(16);
  EXPECT_DAT_TYPE(post_read(active.ep(), {mine.segment()}, theirs.remote(), 1),
                  DAT_INVALID_PARAMETER);
  ASSERT_DAT_OK(post_write(active.ep(), {mine.segment()}, theirs.remote(), 2));
  expect_dto(active.request_evd(), active.ep(), 2);
}

// Rules: READ.2
TEST(RuleRdmaReadLimits, WhatStandsBehindAHeldReadWaits) {
  ConnectedPair pair(with_attributes(reads(4, 1)));
  Side& active = pair.active();
  Side& passive = pair.passive();
  Buffer source = passive.buffer(kMiB);
  Buffer first = active.buffer(kMiB);
  Buffer second = active.buffer(kMiB);
  Buffer note = passive.buffer(64);
  source.write(kMiB - 64, std::string(64, 'r'));
  first.write(kMiB - 64, std::string(64, 'o'));
  ASSERT_DAT_OK(post_recv(passive.ep(), {note.segment()}, 9));
  ASSERT_DAT_OK(post_read(active.ep(), {first.segment()}, source.remote(), 1));
  ASSERT_DAT_OK(post_read(active.ep(), {second.segment()}, source.remote(), 2));
  ASSERT_DAT_OK(post_send(active.ep(), {first.segment(kMiB - 64, 64)}, 3));
  // The second Read starts when the first has ended. The Send starts only after the second Read.
  expect_dto(passive.recv_evd(), passive.ep(), 9);
  EXPECT_EQ(note.text(0, 64), std::string(64, 'r'));
  for (DAT_UINT64 i = 1; i <= 3; ++i) expect_dto(active.request_evd(), active.ep(), i);
}

using RuleFence = Connected;

// Rules: DTO.5
TEST_F(RuleFence, AFencedSendCarriesWhatTheReadBrought) {
  Buffer source = passive().buffer(kMiB);
  Buffer landing = active().buffer(kMiB);
  Buffer note = passive().buffer(64);
  source.write(kMiB - 64, std::string(64, 'r'));
  landing.write(kMiB - 64, std::string(64, 'o'));
  ASSERT_DAT_OK(post_recv(passive().ep(), {note.segment()}, 9));
  ASSERT_DAT_OK(post_read(active().ep(), {landing.segment()}, source.remote(), 1));
  ASSERT_DAT_OK(post_send(active().ep(), {landing.segment(kMiB - 64, 64)}, 2,
                          DAT_COMPLETION_BARRIER_FENCE_FLAG));
  expect_dto(passive().recv_evd(), passive().ep(), 9);
  EXPECT_EQ(note.text(0, 64), std::string(64, 'r'));
}

// Rules: DTO.5
TEST_F(RuleFence, AFencedWriteLeavesTheReadTheOldData) {
  Buffer source = passive().buffer(kMiB);
  Buffer landing = active().buffer(kMiB);
  Buffer news = active().buffer(64);
  source.fill(5);
  news.fill(6);
  ASSERT_DAT_OK(post_read(active().ep(), {landing.segment()}, source.remote(), 1));
  ASSERT_DAT_OK(post_write(active().ep(), {news.segment()}, source.remote(kMiB - 64, 64), 2,
                           DAT_COMPLETION_BARRIER_FENCE_FLAG));
  expect_dto(active().request_evd(), active().ep(), 1);
  expect_dto(active().request_evd(), active().ep(), 2);
  EXPECT_TRUE(landing.holds(5, 0, kMiB));
}

} // namespace
} // namespace datum::test
