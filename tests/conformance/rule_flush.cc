// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Requests and Recvs that a connection leaves unfinished when it ends, and posts to an EP that has
// no connection any more.
#include "fixture.h"
#include "segment_checks.h"

namespace datum::test {
namespace {

class RuleFlush : public Connected {
 protected:
  void expect_flushed(DAT_EVD_HANDLE evd, DAT_EP_HANDLE ep, DAT_UINT64 first, DAT_UINT64 last) {
    for (DAT_UINT64 i = first; i <= last; ++i) expect_dto(evd, ep, i, DAT_DTO_ERR_FLUSHED);
  }
  void post_recvs(Side& side, const Buffer& buffer, DAT_UINT64 first, DAT_UINT64 last) {
    for (DAT_UINT64 i = first; i <= last; ++i) {
      EXPECT_DAT_OK(post_recv(side.ep(), {buffer.segment()}, i));
    }
  }

  Buffer mine = active().buffer(64);
  Buffer theirs = passive().buffer(64);
};

// Rules: FLUSH.1 FLUSH.3
TEST_F(RuleFlush, EveryRecvOnceAndInOrder) {
  post_recvs(active(), mine, 1, 3);
  post_recvs(passive(), theirs, 11, 15);
  pair.disconnect();
  expect_flushed(active().recv_evd(), active().ep(), 1, 3);
  expect_flushed(passive().recv_evd(), passive().ep(), 11, 15);
  EXPECT_NO_EVENT(active().recv_evd());
  EXPECT_NO_EVENT(passive().recv_evd());
}

// Rules: FLUSH.2 FLUSH.3 FLUSH.4 DISC.1
TEST_F(RuleFlush, EveryRequestOnceAndInOrder) {
  // The first Send finds no Recv. So no request behind it may have completed, not even one that has
  // been carried out.
  Buffer landing = active().buffer(64);
  const DAT_EP_HANDLE ep = active().ep();
  ASSERT_DAT_OK(post_send(ep, {mine.segment()}, 1));
  ASSERT_DAT_OK(post_write(ep, {mine.segment()}, theirs.remote(), 2));
  ASSERT_DAT_OK(post_read(ep, {landing.segment()}, theirs.remote(), 3));
  ASSERT_DAT_OK(post_send(ep, {mine.segment()}, 4, DAT_COMPLETION_SUPPRESS_FLAG));
  const Rmr rmr = create_rmr(active().pz());
  DAT_RMR_CONTEXT context = 0;
  ASSERT_DAT_OK(post_bind(ep, rmr, landing.segment(), DAT_MEM_PRIV_ALL_FLAG, 5, &context));
  EXPECT_NO_EVENT(active().request_evd());
  pair.disconnect();
  expect_flushed(active().request_evd(), ep, 1, 4);
  expect_bind(active().request_evd(), rmr, 5, DAT_DTO_ERR_FLUSHED);
  EXPECT_NO_EVENT(active().request_evd());
  landing.lmr().free(); // a flushed bind holds nothing
}

// Rules: FLUSH.6
TEST(RuleFlushNoEvd, NoEvents) {
  PairOptions options;
  options.active.evds = Evds::kNoDto;
  ConnectedPair pair(options);
  Buffer buffer = pair.active().buffer(16);
  ASSERT_DAT_OK(post_recv(pair.active().ep(), {buffer.segment()}, 1));
  ASSERT_DAT_OK(post_send(pair.active().ep(), {buffer.segment()}, 2));
  pair.disconnect();
  ASSERT_DAT_OK(post_recv(pair.active().ep(), {buffer.segment()}, 3));
  ASSERT_DAT_OK(post_send(pair.active().ep(), {buffer.segment()}, 4));
  EXPECT_NO_EVENT(pair.active().connect_evd());
  DAT_BOOLEAN recv_idle = DAT_FALSE;
  DAT_BOOLEAN request_idle = DAT_FALSE;
  EXPECT_DAT_OK(dat_ep_get_status(pair.active().ep(), nullptr, &recv_idle, &request_idle));
  EXPECT_EQ(recv_idle, DAT_TRUE);
  EXPECT_EQ(request_idle, DAT_TRUE);
}

// Rules: FLUSH.7
TEST_F(RuleFlush, AMarkerComesLast) {
  post_recvs(active(), mine, 1, 3);
  post_recvs(passive(), theirs, 8, 8);
  ASSERT_DAT_OK(post_send(active().ep(), {mine.segment()}, 10));
  DAT_BOOLEAN idle = DAT_FALSE;
  while (idle == DAT_FALSE) {
    ASSERT_DAT_OK(dat_ep_get_status(active().ep(), nullptr, nullptr, &idle));
  }
  ASSERT_DAT_OK(post_send(active().ep(), {mine.segment()}, 11)); // has no Recv
  ASSERT_DAT_OK(post_send(active().ep(), {mine.segment()}, 12));
  expect_dto(passive().recv_evd(), passive().ep(), 8);
  pair.disconnect();
  post_recvs(active(), mine, 4, 4);
  ASSERT_DAT_OK(post_send(active().ep(), {}, 13));
  expect_flushed(active().recv_evd(), active().ep(), 1, 4);
  expect_dto(active().request_evd(), active().ep(), 10);
  expect_flushed(active().request_evd(), active().ep(), 11, 13);
  EXPECT_NO_EVENT(active().recv_evd());
  EXPECT_NO_EVENT(active().request_evd());
}

// Rules: dat_ep_post_send.R21 dat_ep_post_rdma_write.R19 dat_ep_post_rdma_read.R22
TEST_F(RuleFlush, RequestsInDisconnected) {
  pair.disconnect();
  const DAT_EP_HANDLE ep = active().ep();
  theirs.fill(1);
  mine.fill(2);
  EXPECT_DAT_OK(post_send(ep, {mine.segment()}, 1));
  EXPECT_DAT_OK(post_write(ep, {mine.segment()}, theirs.remote(), 2));
  EXPECT_DAT_OK(post_read(ep, {mine.segment()}, theirs.remote(), 3));
  EXPECT_DAT_OK(post_send(ep, {mine.segment()}, 4, DAT_COMPLETION_SUPPRESS_FLAG));
  expect_flushed(active().request_evd(), ep, 1, 4);
  EXPECT_TRUE(theirs.holds(1, 0, 64));
  EXPECT_TRUE(mine.holds(2, 0, 64));
}

// Rules: FLUSH.8
TEST_F(RuleFlush, ArgumentsAreCheckedInDisconnected) {
  pair.disconnect();
  const DAT_EP_HANDLE ep = active().ep();
  const DAT_IA_HANDLE ia = active().ia();
  const DAT_PZ_HANDLE pz = active().pz();
  expect_segment_checks(ia, pz, kNoLocalRead,
                        [&](Segments segments) { return post_send(ep, segments, 1); });
  expect_segment_checks(ia, pz, kNoLocalWrite,
                        [&](Segments segments) { return post_recv(ep, segments, 1); });
  expect_segment_checks(ia, pz, kNoLocalRead, [&](Segments segments) {
    return post_write(ep, segments, theirs.remote(), 1);
  });
  expect_segment_checks(ia, pz, kNoLocalWrite, [&](Segments segments) {
    return post_read(ep, segments, theirs.remote(0, 16), 1);
  });
  EXPECT_DAT_TYPE(post_write(ep, {mine.segment()}, theirs.remote(0, 63), 1), DAT_LENGTH_ERROR);
  expect_flags_refused({0x10, 0x20}, [&](DAT_COMPLETION_FLAGS flags) {
    return post_send(ep, {mine.segment()}, 1, flags);
  });
  EXPECT_NO_EVENT(active().recv_evd());
  EXPECT_NO_EVENT(active().request_evd());
}

// Rules: FLUSH.10 D-25 dat_ep_reset.R11
TEST_F(RuleFlush, ResetEndsIt) {
  post_recvs(active(), mine, 1, 2);
  ASSERT_DAT_OK(post_send(active().ep(), {mine.segment()}, 10));
  pair.disconnect();
  EXPECT_DAT_OK(dat_ep_reset(active().ep()));
  EXPECT_EQ(drain(active().recv_evd()), 2) << "what was queued stays";
  EXPECT_EQ(drain(active().request_evd()), 1);
  EXPECT_DAT_OK(dat_ep_reset(passive().ep()));
  establish(active(), passive());
  EXPECT_NO_EVENT(active().recv_evd());
  EXPECT_NO_EVENT(active().request_evd());
  EXPECT_NO_EVENT(passive().recv_evd()) << "the old message is not delivered";
  post_recvs(passive(), theirs, 5, 5);
  EXPECT_NO_EVENT(passive().recv_evd());
}

// Rules: FLUSH.11
TEST(RuleFlushUnconnected, RecvsSurviveAReset) {
  PairOptions options;
  options.connected = false;
  ConnectedPair pair(options);
  Side& active = pair.active();
  Side& passive = pair.passive();
  Buffer mine = active.buffer(16);
  Buffer theirs = passive.buffer(16);
  ASSERT_DAT_OK(post_recv(passive.ep(), {theirs.segment()}, 1));
  EXPECT_DAT_OK(dat_ep_reset(passive.ep()));
  EXPECT_NO_EVENT(passive.recv_evd());
  establish(active, passive);
  mine.write(0, "survived");
  ASSERT_DAT_OK(post_send(active.ep(), {mine.segment(0, 8)}, 2));
  EXPECT_EQ(expect_dto(passive.recv_evd(), passive.ep(), 1), 8U);
  EXPECT_EQ(theirs.text(0, 8), "survived");
}

// Rules: FLUSH.12
TEST(RuleFlushUnconnected, AFailedConnectFlushes) {
  const Ia ia = open_ia();
  Side side(ia);
  Buffer buffer = side.buffer(16);
  for (DAT_UINT64 i = 1; i <= 3; ++i) {
    ASSERT_DAT_OK(post_recv(side.ep(), {buffer.segment()}, i));
  }
  ASSERT_DAT_OK(connect(side.ep(), address_of(ia), free_qualifier())); // no PSP listens there
  expect_connection_event(side.connect_evd(), DAT_CONNECTION_EVENT_NON_PEER_REJECTED, side.ep());
  for (DAT_UINT64 i = 1; i <= 3; ++i) {
    expect_dto(side.recv_evd(), side.ep(), i, DAT_DTO_ERR_FLUSHED);
  }
  EXPECT_NO_EVENT(side.recv_evd());
}

} // namespace
} // namespace datum::test
