// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Messages that find no Recv, in default mode. They wait without a limit, do not hold up other
// connections, and do not delay the end of their own connection for long.
#include <memory>
#include <string>

#include "fixture.h"
#include "variable.h"

namespace datum::test {
namespace {

constexpr auto kFlushed = DAT_DTO_ERR_FLUSHED;
constexpr DAT_TIMEOUT kSecond = 1'000'000;
constexpr std::size_t kSmall = 64;
// A message of this size is fetched or comes in pieces. It is smaller than what a receiver over TCP
// keeps before it stops reading.
constexpr std::size_t kLarge = 40'000;

struct Default {
  const Variable strict{"DATUM_STRICT", "off"};
  const NoVariable unset{"DATUM_RNR_TIMEOUT"};
};

class RuleRecvWait : private Default, public testing::Test {
 protected:
  // No event comes within `time`.
  static void expect_nothing(DAT_EVD_HANDLE evd, DAT_TIMEOUT time) {
    DAT_EVENT event{};
    DAT_COUNT left = 0;
    EXPECT_DAT_TYPE(dat_evd_wait(evd, time, 1, &event, &left), DAT_TIMEOUT_EXPIRED);
  }
  static void expect_disconnected(Side& side) {
    expect_connection_event(side.connect_evd(), DAT_CONNECTION_EVENT_DISCONNECTED, side.ep());
    EXPECT_EQ(ep_state(side.ep()), DAT_EP_STATE_DISCONNECTED);
  }
  // Posts three Sends. The peer has no Recv for them.
  static void post_three(Side& from, Buffer& small, Buffer& large) {
    ASSERT_DAT_OK(post_send(from.ep(), {small.segment()}, 1));
    ASSERT_DAT_OK(post_send(from.ep(), {large.segment()}, 2));
    ASSERT_DAT_OK(post_send(from.ep(), {}, 3));
  }
  static void expect_three_flushed(Side& from) {
    for (DAT_UINT64 i = 1; i <= 3; ++i) expect_dto(from.request_evd(), from.ep(), i, kFlushed);
  }
};

// Rules: ERR.3.default ERR.4
TEST_F(RuleRecvWait, LongerThanStrictModeAllows) {
  ConnectedPair pair;
  Buffer source = pair.active().buffer(kLarge);
  Buffer sink = pair.passive().buffer(kLarge);
  source.fill(7);
  ASSERT_DAT_OK(post_send(pair.active().ep(), {source.segment(0, kSmall)}, 1));
  ASSERT_DAT_OK(post_send(pair.active().ep(), {source.segment()}, 2));
  expect_nothing(pair.active().request_evd(), 2 * kSecond);
  EXPECT_NO_EVENT(pair.active().connect_evd());
  EXPECT_NO_EVENT(pair.passive().connect_evd());
  ASSERT_DAT_OK(post_recv(pair.passive().ep(), {sink.segment()}, 11));
  EXPECT_EQ(expect_dto(pair.passive().recv_evd(), pair.passive().ep(), 11), kSmall);
  expect_dto(pair.active().request_evd(), pair.active().ep(), 1);
  expect_nothing(pair.active().request_evd(), 2 * kSecond);
  ASSERT_DAT_OK(post_recv(pair.passive().ep(), {sink.segment()}, 12));
  EXPECT_EQ(expect_dto(pair.passive().recv_evd(), pair.passive().ep(), 12), kLarge);
  expect_dto(pair.active().request_evd(), pair.active().ep(), 2);
  EXPECT_TRUE(sink.holds(7, 0, kLarge));
}

// Rules: ERR.3.default
TEST_F(RuleRecvWait, AsLongAsIsSet) {
  const Variable set("DATUM_RNR_TIMEOUT", "1000");
  ConnectedPair pair;
  Buffer source = pair.active().buffer(kSmall);
  ASSERT_DAT_OK(post_send(pair.active().ep(), {source.segment()}, 1));
  expect_dto(pair.active().request_evd(), pair.active().ep(), 1, DAT_DTO_ERR_RECEIVER_NOT_READY);
  expect_connection_event(pair.active().connect_evd(), DAT_CONNECTION_EVENT_BROKEN,
                          pair.active().ep());
  expect_connection_event(pair.passive().connect_evd(), DAT_CONNECTION_EVENT_BROKEN,
                          pair.passive().ep());
}

// Rules: DISC.3.default
TEST_F(RuleRecvWait, AnEndInOrderBehindAPeerThatNeverPosts) {
  for (const DAT_COUNT srq_recvs : {0, 4}) {
    SCOPED_TRACE(srq_recvs);
    PairOptions options;
    options.passive.srq_recvs = srq_recvs;
    ConnectedPair pair(options);
    Buffer small = pair.active().buffer(kSmall);
    Buffer large = pair.active().buffer(kLarge);
    post_three(pair.active(), small, large);
    ASSERT_DAT_OK(dat_ep_disconnect(pair.active().ep(), DAT_CLOSE_GRACEFUL_FLAG));
    EXPECT_EQ(ep_state(pair.active().ep()), DAT_EP_STATE_DISCONNECT_PENDING);
    expect_three_flushed(pair.active());
    expect_disconnected(pair.active());
    expect_disconnected(pair.passive());
  }
}

// The transport does not even take all of the messages before the connection ends. So the peer may
// report that the connection broke rather than that it ended in order.
// Rules: DISC.3.default
TEST_F(RuleRecvWait, AnEndInOrderBehindMoreThanIsHeld) {
  ConnectedPair pair;
  Buffer much = pair.active().buffer(more_than_is_held());
  for (DAT_UINT64 i = 1; i <= 3; ++i) {
    ASSERT_DAT_OK(post_send(pair.active().ep(), {much.segment()}, i));
  }
  ASSERT_DAT_OK(dat_ep_disconnect(pair.active().ep(), DAT_CLOSE_GRACEFUL_FLAG));
  expect_three_flushed(pair.active());
  expect_disconnected(pair.active());
}

// Rules: DISC.3.default
TEST_F(RuleRecvWait, AnEndInOrderOfBothSidesThatNeverPost) {
  ConnectedPair pair;
  for (Side* side : {&pair.active(), &pair.passive()}) {
    Buffer small = side->buffer(kSmall);
    ASSERT_DAT_OK(post_send(side->ep(), {small.segment()}, 1));
    expect_nothing(side->request_evd(), 1000);
  }
  for (Side* side : {&pair.active(), &pair.passive()})
    ASSERT_DAT_OK(dat_ep_disconnect(side->ep(), DAT_CLOSE_GRACEFUL_FLAG));
  for (Side* side : {&pair.active(), &pair.passive()}) {
    const DAT_EVENT event = expect_event(side->request_evd(), DAT_DTO_COMPLETION_EVENT);
    EXPECT_NE(event.event_data.dto_completion_event_data.status, DAT_DTO_SUCCESS);
    expect_disconnected(*side);
  }
}

// Rules: DISC.10
TEST_F(RuleRecvWait, AnAbruptEndWaitsForNone) {
  for (const DAT_COUNT srq_recvs : {0, 4}) {
    SCOPED_TRACE(srq_recvs);
    PairOptions options;
    options.passive.srq_recvs = srq_recvs;
    ConnectedPair pair(options);
    Buffer small = pair.active().buffer(kSmall);
    Buffer large = pair.active().buffer(kLarge);
    post_three(pair.active(), small, large);
    ASSERT_DAT_OK(dat_ep_disconnect(pair.active().ep(), DAT_CLOSE_GRACEFUL_FLAG));
    ASSERT_DAT_OK(dat_ep_disconnect(pair.active().ep(), DAT_CLOSE_ABRUPT_FLAG));
    // The state changes within the call.
    EXPECT_EQ(ep_state(pair.active().ep()), DAT_EP_STATE_DISCONNECTED);
    expect_three_flushed(pair.active());
    expect_disconnected(pair.active());
    expect_disconnected(pair.passive());
  }
}

// Rules: DISC.10
TEST_F(RuleRecvWait, FreeingTheEndpointWaitsForNone) {
  ConnectedPair pair;
  Buffer small = pair.active().buffer(kSmall);
  Buffer large = pair.active().buffer(kLarge);
  post_three(pair.active(), small, large);
  ASSERT_DAT_OK(dat_ep_disconnect(pair.active().ep(), DAT_CLOSE_GRACEFUL_FLAG));
  pair.active().ep().free();
  expect_disconnected(pair.passive());
}

// Rules: DISC.10
TEST_F(RuleRecvWait, ClosingTheAdapterWaitsForNone) {
  Ia there = open_ia();
  Side peer(there);
  Ia here = open_ia();
  auto side = std::make_unique<Side>(here);
  establish(*side, peer);
  Buffer small = side->buffer(kSmall);
  Buffer large = side->buffer(kLarge);
  post_three(*side, small, large);
  ASSERT_DAT_OK(dat_ep_disconnect(side->ep(), DAT_CLOSE_GRACEFUL_FLAG));
  small.lmr().release();
  large.lmr().release();
  side->give_up();
  ASSERT_DAT_OK(dat_ia_close(here.release(), DAT_CLOSE_ABRUPT_FLAG));
  const DAT_EVENT event = next_event(peer.connect_evd());
  EXPECT_TRUE(event.event_number == DAT_CONNECTION_EVENT_DISCONNECTED ||
              event.event_number == DAT_CONNECTION_EVENT_BROKEN);
}

// Rules: ERR.15
TEST_F(RuleRecvWait, HoldsUpNoOtherEndpoint) {
  constexpr DAT_UINT64 kWaiting = 16;
  const DAT_UINT64 streamed = transport() == "sim" || times_as_patient() > 1 ? 100 : 2000;
  constexpr std::size_t kSize = 32 * 1024;
  ConnectedPair pair;
  // Both sides use the adapters of `pair`, and so the same ring if the transport has rings.
  Side from(pair.active_ia());
  Side to(pair.passive_ia());
  establish(from, to);
  Buffer waiting = pair.active().buffer(kSize);
  Buffer sink = pair.passive().buffer(kSize);
  waiting.fill(5);
  for (DAT_UINT64 i = 0; i < kWaiting; ++i) {
    ASSERT_DAT_OK(post_send(pair.active().ep(), {waiting.segment(0, kSize / kWaiting * i)}, i));
  }
  Buffer source = from.buffer(4096);
  Buffer target = to.buffer(4096);
  for (DAT_UINT64 i = 0; i < streamed; ++i) {
    ASSERT_DAT_OK(post_recv(to.ep(), {target.segment()}, i));
    ASSERT_DAT_OK(post_send(from.ep(), {source.segment()}, i));
    ASSERT_EQ(expect_dto(to.recv_evd(), to.ep(), i), 4096U);
    expect_dto(from.request_evd(), from.ep(), i);
  }
  EXPECT_NO_EVENT(pair.active().request_evd());
  EXPECT_NO_EVENT(pair.active().connect_evd());
  for (DAT_UINT64 i = 0; i < kWaiting; ++i) {
    ASSERT_DAT_OK(post_recv(pair.passive().ep(), {sink.segment()}, i));
    ASSERT_EQ(expect_dto(pair.passive().recv_evd(), pair.passive().ep(), i), kSize / kWaiting * i);
    expect_dto(pair.active().request_evd(), pair.active().ep(), i);
  }
}

// The peer posts no Recv for three times the time limit of DATUM_PEER_TIMEOUT. That is no silence
// of the peer, so the connection goes on.
// Rules: ENV.9 ERR.3.default
TEST_F(RuleRecvWait, IsNoSilence) {
  constexpr DAT_UINT64 kSends = 16;
  constexpr std::size_t kSize = 512 * 1024;
  const Variable timeout("DATUM_PEER_TIMEOUT", std::to_string(1000 * times_as_patient()));
  ConnectedPair pair;
  Buffer source = pair.active().buffer(kSends * kSize);
  Buffer sink = pair.passive().buffer(kSends * kSize);
  source.fill(3);
  for (DAT_UINT64 i = 0; i < kSends; ++i) {
    ASSERT_DAT_OK(post_send(pair.active().ep(), {source.segment(i * kSize, kSize)}, i));
  }
  expect_nothing(pair.active().connect_evd(),
                 static_cast<DAT_TIMEOUT>(times_as_patient()) * 3 * kSecond);
  for (DAT_UINT64 i = 0; i < kSends; ++i) {
    ASSERT_DAT_OK(post_recv(pair.passive().ep(), {sink.segment(i * kSize, kSize)}, i));
  }
  for (DAT_UINT64 i = 0; i < kSends; ++i) {
    EXPECT_EQ(expect_dto(pair.passive().recv_evd(), pair.passive().ep(), i), kSize);
    expect_dto(pair.active().request_evd(), pair.active().ep(), i);
  }
  EXPECT_TRUE(sink.holds(3, 0, kSends * kSize));
  EXPECT_NO_EVENT(pair.active().connect_evd());
}

} // namespace
} // namespace datum::test
