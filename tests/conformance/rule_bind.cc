// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The effects of a bind: the window that it opens, the LMR that it holds, and the window that it
// takes away.
#include <cstring>

#include "fixture.h"
#include "names.h"
#include "variable.h"

namespace datum::test {
namespace {

constexpr auto kRemoteBoth = static_cast<DAT_MEM_PRIV_FLAGS>(0x22);
constexpr auto kLocalOnly = static_cast<DAT_MEM_PRIV_FLAGS>(0x11); // no right for peers

class RuleBind : public testing::Test {
 protected:
  // The owner binds; the peer reads and writes through the window.
  Side& owner() { return pair.passive(); }
  Side& peer() { return pair.active(); }

  // Binds and takes the completion; returns the context.
  DAT_RMR_CONTEXT bind(DAT_LMR_TRIPLET range, DAT_MEM_PRIV_FLAGS privileges = kRemoteBoth) {
    DAT_RMR_CONTEXT context = 0;
    EXPECT_DAT_OK(post_bind(owner().ep(), rmr, range, privileges, 77, &context));
    expect_bind(owner().request_evd(), rmr, 77);
    return context;
  }

  DAT_RMR_TRIPLET window(DAT_RMR_CONTEXT context, std::size_t offset, std::size_t length) {
    return remote_part(context, region.address(offset), length);
  }

  void expect_written(DAT_RMR_TRIPLET target) {
    ASSERT_DAT_OK(post_write(peer().ep(), {mine.segment(0, 8)}, target, 1));
    expect_dto(peer().request_evd(), peer().ep(), 1);
  }
  void expect_write_refused(DAT_RMR_TRIPLET target) {
    ASSERT_DAT_OK(post_write(peer().ep(), {mine.segment(0, 8)}, target, 1));
    expect_broken();
  }
  void expect_read_refused(DAT_RMR_TRIPLET source) {
    ASSERT_DAT_OK(post_read(peer().ep(), {mine.segment(0, 8)}, source, 1));
    expect_broken();
  }
  void expect_broken() {
    expect_dto(peer().request_evd(), peer().ep(), 1, DAT_DTO_ERR_REMOTE_ACCESS);
    for (Side* side : {&peer(), &owner()}) {
      expect_connection_event(side->connect_evd(), DAT_CONNECTION_EVENT_BROKEN, side->ep());
    }
  }
  void expect_region_untouched() {
    EXPECT_EQ(region.text(0, 64), std::string(64, '.')) << "nothing was written";
  }

  ConnectedPair pair;
  Buffer mine = peer().buffer(64);
  Buffer region = [this] {
    Buffer made = owner().buffer(64, kLocalOnly);
    std::memset(made.bytes().data(), '.', 64);
    return made;
  }();
  Rmr rmr = create_rmr(owner().pz());
};

// Rules: dat_rmr_bind.R4 EVENT.2
TEST_F(RuleBind, TheCompletion) {
  DAT_RMR_CONTEXT context = 0;
  ASSERT_DAT_OK(
      post_bind(owner().ep(), rmr, region.segment(), kRemoteBoth, 0x123456789abcdef0, &context));
  EXPECT_NE(context, 0U);
  const DAT_EVENT event = next_event(owner().request_evd());
  EXPECT_EQ(static_cast<int>(event.event_number), 0x1001);
  EXPECT_EQ(event.evd_handle, owner().request_evd());
  const DAT_RMR_BIND_COMPLETION_EVENT_DATA& data = event.event_data.rmr_completion_event_data;
  EXPECT_EQ(data.rmr_handle, rmr);
  EXPECT_EQ(data.user_cookie.as_64, 0x123456789abcdef0U);
  EXPECT_EQ(static_cast<int>(data.status), 0);
  EXPECT_NO_EVENT(owner().request_evd());
}

// Rules: dat_rmr_bind.R5
TEST_F(RuleBind, TheWindowLetsThePeerIn) {
  const DAT_RMR_CONTEXT context = bind(region.segment());
  mine.write(0, "in there");
  expect_written(window(context, 8, 8));
  EXPECT_EQ(region.text(8, 8), "in there");
  ASSERT_DAT_OK(post_read(peer().ep(), {mine.segment(16, 10)}, window(context, 7, 10), 2));
  expect_dto(peer().request_evd(), peer().ep(), 2);
  EXPECT_EQ(mine.text(16, 10), ".in there.");
}

// Rules: dat_rmr_query.R9
TEST_F(RuleBind, QueryShowsTheBinding) {
  const DAT_RMR_CONTEXT context = bind(region.segment(8, 16), kRemoteRead);
  DAT_RMR_PARAM param = query_rmr(rmr);
  EXPECT_EQ(param.lmr_triplet.lmr_context, region.lmr_context());
  EXPECT_EQ(param.lmr_triplet.virtual_address, region.address(8));
  EXPECT_EQ(param.lmr_triplet.segment_length, 16U);
  EXPECT_EQ(static_cast<int>(param.mem_priv), 0x02);
  EXPECT_EQ(param.rmr_context, context);
  bind({}, kRemoteRead);
  param = query_rmr(rmr);
  EXPECT_EQ(param.lmr_triplet.segment_length, 0U);
  EXPECT_EQ(param.rmr_context, 0U);
}

// Rules: dat_rmr_bind.R18 FLAGS.5
TEST_F(RuleBind, SuppressedSuccess) {
  ASSERT_DAT_OK(post_bind(owner().ep(), rmr, region.segment(), kRemoteBoth, 1, nullptr,
                          DAT_COMPLETION_SUPPRESS_FLAG));
  ASSERT_DAT_OK(post_bind(owner().ep(), rmr, region.segment(), kRemoteBoth, 2, nullptr));
  expect_bind(owner().request_evd(), rmr, 2);
  EXPECT_NO_EVENT(owner().request_evd());
}

// Rules: dat_rmr_bind.R20 dat_lmr_free.R5 OBJ.11
TEST_F(RuleBind, UnbindingReleasesTheLmr) {
  bind(region.segment());
  EXPECT_DAT_ERROR(dat_lmr_free(region.lmr()), DAT_INVALID_STATE, DAT_INVALID_STATE_LMR_IN_USE);
  const DAT_LMR_TRIPLET garbage = local_part(0x12345678, 0x10, 0);
  ASSERT_DAT_OK(post_bind(owner().ep(), rmr, garbage, kRemoteBoth, 3, nullptr));
  expect_bind(owner().request_evd(), rmr, 3);
  EXPECT_DAT_OK(dat_lmr_free(region.lmr().release()));
}

// Rules: dat_rmr_bind.R20
TEST_F(RuleBind, AnUnboundWindowIsShut) {
  const DAT_RMR_CONTEXT context = bind(region.segment());
  expect_written(window(context, 0, 8));
  region.write(0, "........");
  bind({});
  expect_write_refused(window(context, 0, 8));
  expect_region_untouched();
}

// Rules: dat_rmr_bind.R21
TEST_F(RuleBind, ARebindGivesANewContext) {
  const DAT_RMR_CONTEXT first = bind(region.segment());
  Buffer other = owner().buffer(64, kLocalOnly);
  const DAT_RMR_CONTEXT second = bind(other.segment());
  EXPECT_NE(second, first);
  EXPECT_DAT_OK(dat_lmr_free(region.lmr().release())) << "the window left it";
  mine.write(0, "new home");
  expect_written(remote_part(second, other.address(0), 8));
  EXPECT_EQ(other.text(0, 8), "new home");
  expect_write_refused(window(first, 0, 8));
  expect_region_untouched();
  rmr.free(); // before the LMR that the RMR holds
}

// Rules: dat_rmr_bind.R21 MEM.9
TEST_F(RuleBind, ManyRebindsGiveManyContexts) {
  DAT_RMR_CONTEXT last = 0;
  for (int i = 0; i < 300; ++i) {
    const DAT_RMR_CONTEXT context = bind(region.segment());
    EXPECT_NE(context, last);
    last = context;
  }
  expect_written(window(last, 0, 8));
}

// Rules: dat_rmr_bind.R23
TEST_F(RuleBind, ASendBehindTheBindBringsTheContext) {
  ASSERT_DAT_OK(post_recv(peer().ep(), {mine.segment(32, 4)}, 5));
  Buffer message = owner().buffer(4);
  DAT_RMR_CONTEXT context = 0;
  ASSERT_DAT_OK(post_bind(owner().ep(), rmr, region.segment(), kRemoteBoth, 3, &context));
  std::memcpy(message.bytes().data(), &context, sizeof context);
  ASSERT_DAT_OK(post_send(owner().ep(), {message.segment()}, 4));
  expect_dto(peer().recv_evd(), peer().ep(), 5);
  DAT_RMR_CONTEXT received = 0;
  std::memcpy(&received, mine.bytes().data() + 32, sizeof received);
  mine.write(0, "by order");
  expect_written(window(received, 0, 8));
  EXPECT_EQ(region.text(0, 8), "by order");
}

// Rules: dat_rmr_bind.R24
TEST_F(RuleBind, CompletionsKeepThePostingOrder) {
  Buffer sink = peer().buffer(64);
  ASSERT_DAT_OK(post_bind(owner().ep(), rmr, region.segment(), kRemoteBoth, 1, nullptr));
  ASSERT_DAT_OK(post_send(owner().ep(), {region.segment(0, 8)}, 2)); // the peer has no Recv yet
  ASSERT_DAT_OK(post_bind(owner().ep(), rmr, region.segment(), kRemoteRead, 3, nullptr));
  ASSERT_DAT_OK(post_write(owner().ep(), {region.segment(0, 8)}, sink.remote(0, 8), 4));
  ASSERT_DAT_OK(post_bind(owner().ep(), rmr, {}, kRemoteRead, 5, nullptr));
  ASSERT_DAT_OK(post_recv(peer().ep(), {mine.segment()}, 9));
  expect_bind(owner().request_evd(), rmr, 1);
  expect_dto(owner().request_evd(), owner().ep(), 2);
  expect_bind(owner().request_evd(), rmr, 3);
  expect_dto(owner().request_evd(), owner().ep(), 4);
  expect_bind(owner().request_evd(), rmr, 5);
}

// Rules: dat_rmr_bind.R25
TEST_F(RuleBind, OneBytePastTheWindow) {
  const DAT_RMR_CONTEXT context = bind(region.segment(8, 16));
  expect_write_refused(window(context, 17, 8));
  expect_region_untouched();
}

// Rules: dat_rmr_bind.R25
TEST_F(RuleBind, OneByteBeforeTheWindow) {
  const DAT_RMR_CONTEXT context = bind(region.segment(8, 16));
  expect_write_refused(window(context, 7, 8));
  expect_region_untouched();
}

// Rules: dat_rmr_bind.R25
TEST_F(RuleBind, ReadingPastTheWindow) {
  const DAT_RMR_CONTEXT context = bind(region.segment(8, 16));
  mine.write(0, "unread..");
  expect_read_refused(window(context, 17, 8));
  EXPECT_EQ(mine.text(0, 8), "unread..");
}

// Rules: dat_rmr_bind.R26
TEST_F(RuleBind, AReadOnlyWindowRefusesWrites) {
  expect_write_refused(window(bind(region.segment(), kRemoteRead), 0, 8));
  expect_region_untouched();
}

// Rules: dat_rmr_bind.R26
TEST_F(RuleBind, AWriteOnlyWindowRefusesReads) {
  mine.write(0, "unread..");
  expect_read_refused(window(bind(region.segment(), kRemoteWrite), 0, 8));
  EXPECT_EQ(mine.text(0, 8), "unread..");
}

// Rules: dat_rmr_bind.R15 dat_rmr_bind.R27 FLUSH.5
TEST_F(RuleBind, AFlushedBindLeavesTheRmrUnbound) {
  bind(region.segment());
  pair.disconnect();
  Buffer other = owner().buffer(64, kLocalOnly);
  DAT_RMR_CONTEXT context = 0;
  ASSERT_DAT_OK(post_bind(owner().ep(), rmr, other.segment(), kRemoteBoth, 5, &context));
  expect_bind(owner().request_evd(), rmr, 5, DAT_DTO_ERR_FLUSHED);
  EXPECT_EQ(query_rmr(rmr).rmr_context, 0U);
  EXPECT_DAT_OK(dat_lmr_free(other.lmr().release()));
  EXPECT_DAT_OK(dat_lmr_free(region.lmr().release()));
  EXPECT_NO_EVENT(owner().request_evd());
}

// Rules: dat_rmr_bind.R27
TEST_F(RuleBind, TheLmrIsHeldFromThePost) {
  ASSERT_DAT_OK(post_bind(owner().ep(), rmr, region.segment(), kRemoteBoth, 5, nullptr));
  EXPECT_DAT_ERROR(dat_lmr_free(region.lmr()), DAT_INVALID_STATE, DAT_INVALID_STATE_LMR_IN_USE);
  expect_bind(owner().request_evd(), rmr, 5);
}

// Sets DATUM_RNR_TIMEOUT so long that a message waits for its Recv for as long as the tests need.
struct Patience {
  Variable receive_timeout{"DATUM_RNR_TIMEOUT", "60000"};
};
class RuleBindThatWaits : private Patience, public RuleBind {};

// Rules: MEM.6
TEST_F(RuleBindThatWaits, TheContextOpensNothingBeforeTheBindIsDone) {
  Buffer large = owner().buffer(more_than_is_held());
  Buffer sink = peer().buffer(more_than_is_held());
  // The first Send finds no Recv, so the bind behind it cannot start.
  ASSERT_DAT_OK(post_send(owner().ep(), {large.segment()}, 2));
  ASSERT_DAT_OK(post_send(owner().ep(), {large.segment(0, 8)}, 3));
  DAT_RMR_CONTEXT context = 0;
  ASSERT_DAT_OK(post_bind(owner().ep(), rmr, region.segment(), kRemoteBoth, 4, &context));
  EXPECT_NE(context, 0U);
  ASSERT_DAT_OK(post_write(peer().ep(), {mine.segment(0, 8)}, window(context, 0, 8), 1));
  expect_connection_event(owner().connect_evd(), DAT_CONNECTION_EVENT_BROKEN, owner().ep());
  // Over TCP the peer receives the refusal after those octets of the first Send that have been sent
  // already.
  ASSERT_DAT_OK(post_recv(peer().ep(), {sink.segment()}, 5));
  expect_dto(peer().request_evd(), peer().ep(), 1, DAT_DTO_ERR_REMOTE_ACCESS);
  expect_connection_event(peer().connect_evd(), DAT_CONNECTION_EVENT_BROKEN, peer().ep());
  expect_region_untouched();
  EXPECT_EQ(query_rmr(rmr).rmr_context, 0U) << "flushed, and so never bound";
}

// Rules: dat_rmr_free.R8
TEST_F(RuleBind, AQueuedBindOfAFreedRmrOpensNothing) {
  const DAT_RMR_HANDLE freed = rmr;
  Buffer large = owner().buffer(256 << 10);
  Buffer sink = peer().buffer(256 << 10);
  ASSERT_DAT_OK(post_send(owner().ep(), {large.segment()}, 2)); // finds no Recv yet
  ASSERT_DAT_OK(post_send(owner().ep(), {large.segment(0, 8)}, 3));
  DAT_RMR_CONTEXT context = 0;
  ASSERT_DAT_OK(post_bind(owner().ep(), rmr, region.segment(), kRemoteBoth, 4, &context));
  rmr.free();
  for (DAT_UINT64 i = 0; i < 2; ++i) {
    ASSERT_DAT_OK(post_recv(peer().ep(), {sink.segment()}, i));
  }
  for (DAT_UINT64 i = 2; i < 4; ++i) expect_dto(owner().request_evd(), owner().ep(), i);
  expect_bind(owner().request_evd(), freed, 4);
  expect_write_refused(window(context, 0, 8));
  expect_region_untouched();
}

// A bind that has to wait, because it is fenced and a long Read was posted before it.
class RuleBindBehindARead : public RuleBind {
 protected:
  void post_both() {
    ASSERT_DAT_OK(post_read(owner().ep(), {sink.segment()}, source.remote(), 1));
    ASSERT_DAT_OK(post_bind(owner().ep(), rmr, region.segment(), kRemoteBoth, 2, nullptr,
                            DAT_COMPLETION_BARRIER_FENCE_FLAG));
  }

  Buffer source = peer().buffer(16 << 20);
  Buffer sink = owner().buffer(16 << 20);
};

// Rules: dat_rmr_bind.R24 dat_rmr_bind.R27
TEST_F(RuleBindBehindARead, ItHoldsItsLmrAndComesSecond) {
  post_both();
  EXPECT_DAT_ERROR(dat_lmr_free(region.lmr()), DAT_INVALID_STATE, DAT_INVALID_STATE_LMR_IN_USE);
  expect_dto(owner().request_evd(), owner().ep(), 1);
  expect_bind(owner().request_evd(), rmr, 2);
  rmr.free();
}

// Rules: DTO.5
TEST_F(RuleBindBehindARead, TheFenceHoldsItBack) {
  post_both();
  const bool bound = query_rmr(rmr).rmr_context != 0;
  DAT_EVENT event{};
  const bool read_done = dat_evd_dequeue(owner().request_evd(), &event) == DAT_SUCCESS;
  EXPECT_TRUE(read_done || !bound) << "bound while the Read was under way";
  if (!read_done) expect_dto(owner().request_evd(), owner().ep(), 1);
  expect_bind(owner().request_evd(), rmr, 2);
  rmr.free();
}

// Rules: dat_rmr_free.R5
TEST_F(RuleBindBehindARead, ItsRmrMayBeFreed) {
  const DAT_RMR_HANDLE freed = rmr;
  post_both();
  rmr.free();
  expect_dto(owner().request_evd(), owner().ep(), 1);
  expect_bind(owner().request_evd(), freed, 2);
  EXPECT_DAT_OK(dat_lmr_free(region.lmr().release()));
}

// Rules: dat_rmr_bind.R27
TEST_F(RuleBindBehindARead, ItIsFlushedOrDoneWhenTheConnectionEnds) {
  for (int round = 0; round < 5; ++round) {
    post_both();
    pair.disconnect();
    expect_event(owner().request_evd(), DAT_DTO_COMPLETION_EVENT);
    const DAT_EVENT event = expect_event(owner().request_evd(), DAT_RMR_BIND_COMPLETION_EVENT);
    const bool done = event.event_data.rmr_completion_event_data.status == DAT_DTO_SUCCESS;
    EXPECT_EQ(query_rmr(rmr).rmr_context != 0, done);
    EXPECT_EQ(dat_lmr_free(region.lmr()) != DAT_SUCCESS, done);
    if (!done) {
      region.lmr().release();
      return;
    }
    for (Side* side : {&owner(), &peer()}) ASSERT_DAT_OK(dat_ep_reset(side->ep()));
    establish(peer(), owner());
  }
}

// Rules: dat_rmr_bind.R28
TEST_F(RuleBind, AnotherEpOfTheZoneMayBindIt) {
  const DAT_RMR_CONTEXT first = bind(region.segment());
  const Ep second = owner().another_ep();
  const Ep caller = peer().another_ep();
  establish(caller, peer().connect_evd(), second, owner().connect_evd(), owner().ia());
  DAT_RMR_CONTEXT context = 0;
  ASSERT_DAT_OK(post_bind(second, rmr, region.segment(), kRemoteBoth, 6, &context));
  expect_bind(owner().request_evd(), rmr, 6);
  EXPECT_NE(context, first);
  mine.write(0, "both way");
  expect_written(window(context, 0, 8)); // the zone counts, not the EP that bound the window
  EXPECT_EQ(region.text(0, 8), "both way");
  region.write(0, "........");
  expect_write_refused(window(first, 0, 8));
  expect_region_untouched();
}

// Rules: dat_rmr_bind.R22
TEST(RuleBindLimits, BindsCountAgainstTheRequests) {
  PairOptions options;
  ConnectedPair probe;
  DAT_EP_ATTR attributes = default_attributes(probe.passive_ia());
  attributes.max_request_dtos = 4;
  options.passive.attributes = &attributes;
  ConnectedPair pair(options);
  Side& owner = pair.passive();
  Buffer region = owner.buffer(64);
  Buffer sink = pair.active().buffer(64);
  const Rmr rmr = create_rmr(owner.pz());
  // The Send waits for a Recv, and no request posted after it can complete earlier.
  ASSERT_DAT_OK(post_send(owner.ep(), {region.segment()}, 0));
  for (DAT_UINT64 i = 1; i <= 3; ++i) {
    ASSERT_DAT_OK(post_bind(owner.ep(), rmr, region.segment(), kRemoteBoth, i, nullptr));
  }
  EXPECT_DAT_TYPE(post_bind(owner.ep(), rmr, region.segment(), kRemoteBoth, 4, nullptr),
                  DAT_INSUFFICIENT_RESOURCES);
  ASSERT_DAT_OK(post_recv(pair.active().ep(), {sink.segment()}, 9));
  expect_dto(owner.request_evd(), owner.ep(), 0);
  for (DAT_UINT64 i = 1; i <= 3; ++i) expect_bind(owner.request_evd(), rmr, i);
  ASSERT_DAT_OK(post_bind(owner.ep(), rmr, region.segment(), kRemoteBoth, 5, nullptr));
  expect_bind(owner.request_evd(), rmr, 5);
}

// Rules: dat_rmr_free.R5 OBJ.11
TEST_F(RuleBind, FreeingABoundRmr) {
  bind(region.segment());
  EXPECT_DAT_OK(dat_rmr_free(rmr.release()));
  EXPECT_NO_EVENT(owner().request_evd());
  EXPECT_DAT_OK(dat_lmr_free(region.lmr().release()));
}

// Rules: dat_rmr_free.R6
TEST_F(RuleBind, TheWindowOfAFreedRmrIsShut) {
  const DAT_RMR_CONTEXT context = bind(region.segment());
  rmr.free();
  expect_write_refused(window(context, 0, 8));
  expect_region_untouched();
}

// Rules: MEM.5
TEST_F(RuleBind, TheLmrsOwnContextOutlivesWindowsAndConnections) {
  Buffer open = owner().buffer(64);
  bind(open.segment());
  bind({});
  expect_written(open.remote(0, 8));
  rmr.free();
  pair.disconnect();
  for (Side* side : {&owner(), &peer()}) ASSERT_DAT_OK(dat_ep_reset(side->ep()));
  establish(peer(), owner());
  mine.write(0, "as ever.");
  expect_written(open.remote(0, 8));
  EXPECT_EQ(open.text(0, 8), "as ever.");
  open.lmr().free();
  expect_write_refused(open.remote(0, 8));
}

} // namespace
} // namespace datum::test
