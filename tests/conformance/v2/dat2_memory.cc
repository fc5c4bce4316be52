// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Memory of DAT 2.0: zero-based addresses, windows for one EP, invalidation, Reads into windows.
#include <vector>

#include "fixture.h"

namespace {

using namespace datum::test;

constexpr auto kRemoteBoth =
    static_cast<DAT_MEM_PRIV_FLAGS>(DAT_MEM_PRIV_REMOTE_READ_FLAG | DAT_MEM_PRIV_REMOTE_WRITE_FLAG);

class Dat2Memory : public Connected {
 protected:
  // An LMR of `bytes` octets on that side whose addresses count from 0.
  struct ZeroBased {
    Lmr lmr;
    DAT_LMR_CONTEXT lmr_context = 0;
    DAT_RMR_CONTEXT rmr_context = 0;
    DAT_VADDR address = 1;
  };
  static ZeroBased zero_based(Side& side, std::vector<char>& bytes) {
    ZeroBased made;
    DAT_REGION_DESCRIPTION region{};
    region.for_va = bytes.data();
    EXPECT_DAT_OK(dat_lmr_create(side.ia(), DAT_MEM_TYPE_VIRTUAL, region, bytes.size(), side.pz(),
                                 DAT_MEM_PRIV_ALL_FLAG, DAT_VA_TYPE_ZB, made.lmr.out(),
                                 &made.lmr_context, &made.rmr_context, nullptr, &made.address));
    return made;
  }
  DAT_RMR_CONTEXT bind(Rmr& rmr, DAT_LMR_HANDLE lmr, DAT_LMR_TRIPLET range, DAT_VA_TYPE va_type) {
    DAT_RMR_CONTEXT context = 0;
    EXPECT_DAT_OK(dat_rmr_bind(rmr, lmr, &range, kRemoteBoth, va_type, passive().ep(), cookie(90),
                               DAT_COMPLETION_DEFAULT_FLAG, &context));
    expect_bind(passive().request_evd(), rmr, 90);
    return context;
  }
  void expect_write(DAT_RMR_TRIPLET target, DAT_DTO_COMPLETION_STATUS status = DAT_DTO_SUCCESS) {
    ASSERT_DAT_OK(post_write(active().ep(), {mine.segment(0, target.segment_length)}, target, 80));
    expect_dto(active().request_evd(), active().ep(), 80, status);
  }

  Buffer mine = active().buffer(64);
  Buffer theirs = passive().buffer(64);
};

// Rules: DAT2.10
TEST_F(Dat2Memory, PeersCountFromZero) {
  std::vector<char> bytes(64, '.');
  const ZeroBased target = zero_based(passive(), bytes);
  EXPECT_EQ(target.address, 0U);
  mine.write(0, "offset");
  expect_write(remote_part(target.rmr_context, 10, 6));
  EXPECT_EQ(std::string(bytes.data() + 10, 6), "offset");
  EXPECT_EQ(bytes[9], '.');
  ASSERT_DAT_OK(
      post_read(active().ep(), {mine.segment(20, 6)}, remote_part(target.rmr_context, 10, 6), 81));
  expect_dto(active().request_evd(), active().ep(), 81);
  EXPECT_EQ(mine.text(20, 6), "offset");
}

// Rules: DAT2.10
TEST_F(Dat2Memory, ZeroBasedBounds) {
  std::vector<char> bytes(64, '.');
  const ZeroBased target = zero_based(passive(), bytes);
  expect_write(remote_part(target.rmr_context, 60, 5), DAT_DTO_ERR_REMOTE_ACCESS);
  EXPECT_EQ(bytes[60], '.');
}

// Rules: DAT2.10
TEST_F(Dat2Memory, OwnDtosCountFromZero) {
  std::vector<char> out(32000, 's');
  std::vector<char> in(32000, '.');
  const ZeroBased source = zero_based(active(), out);
  const ZeroBased sink = zero_based(passive(), in);
  for (const std::size_t size : {8UL, 31000UL}) {
    ASSERT_DAT_OK(post_recv(passive().ep(), {local_part(sink.lmr_context, 100, size)}, 1));
    ASSERT_DAT_OK(post_send(active().ep(), {local_part(source.lmr_context, 5, size)}, 2));
    expect_dto(active().request_evd(), active().ep(), 2);
    EXPECT_EQ(expect_dto(passive().recv_evd(), passive().ep(), 1), size);
    EXPECT_EQ(in[99], '.');
    EXPECT_EQ(in[100], 's');
    EXPECT_EQ(in[100 + size - 1], 's');
    EXPECT_EQ(in[100 + size], '.');
  }
}

// Rules: DAT2.11
TEST_F(Dat2Memory, ZeroBasedWindow) {
  Rmr rmr = create_rmr(passive().pz());
  const DAT_RMR_CONTEXT context = bind(rmr, theirs.lmr(), theirs.segment(16, 32), DAT_VA_TYPE_ZB);
  mine.write(0, "window");
  expect_write(remote_part(context, 0, 6));
  EXPECT_EQ(theirs.text(16, 6), "window");
  EXPECT_EQ(query_rmr(rmr).va_type, DAT_VA_TYPE_ZB);
  expect_write(remote_part(context, 30, 3), DAT_DTO_ERR_REMOTE_ACCESS);
  rmr.free();
}

// Rules: DAT2.12
TEST_F(Dat2Memory, TheLmrOfABind) {
  Rmr rmr = create_rmr(passive().pz());
  Buffer other = passive().buffer(64);
  const DAT_LMR_TRIPLET range = theirs.segment();
  const auto bind_with = [&](DAT_LMR_HANDLE lmr) {
    DAT_RMR_CONTEXT context = 0;
    return dat_rmr_bind(rmr, lmr, &range, kRemoteBoth, DAT_VA_TYPE_VA, passive().ep(), cookie(1),
                        DAT_COMPLETION_DEFAULT_FLAG, &context);
  };
  EXPECT_DAT_ERROR(bind_with(passive().pz()), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_LMR);
  EXPECT_DAT_ERROR(bind_with(other.lmr()), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
}

// Rules: DAT2.13
TEST_F(Dat2Memory, ASendUnbindsThePeersWindow) {
  Rmr rmr = create_rmr(passive().pz());
  const DAT_RMR_CONTEXT context = bind(rmr, theirs.lmr(), theirs.segment(0, 32), DAT_VA_TYPE_VA);
  ASSERT_DAT_OK(post_recv(passive().ep(), {theirs.segment(32, 32)}, 5));
  DAT_LMR_TRIPLET out = mine.segment(0, 4);
  ASSERT_DAT_OK(dat_ep_post_send_with_invalidate(active().ep(), 1, &out, cookie(6),
                                                 DAT_COMPLETION_DEFAULT_FLAG, DAT_TRUE, context));
  expect_dto(active().request_evd(), active().ep(), 6);
  const DAT_EVENT event = expect_event(passive().recv_evd(), DAT_DTO_COMPLETION_EVENT);
  const DAT_DTO_COMPLETION_EVENT_DATA& data = event.event_data.dto_completion_event_data;
  EXPECT_EQ(data.user_cookie.as_64, 5U);
  EXPECT_EQ(data.transfered_length, 4U);
  EXPECT_EQ(data.operation, DAT_DTO_RECEIVE_WITH_INVALIDATE);
  EXPECT_EQ(data.rmr_context, context);
  EXPECT_EQ(query_rmr(rmr).rmr_context, 0U);
  expect_write(remote_part(context, theirs.address(), 4), DAT_DTO_ERR_REMOTE_ACCESS);
}

// Rules: DAT2.13
TEST_F(Dat2Memory, AMessageThatWaitsForItsRecvInvalidatesThen) {
  Rmr rmr = create_rmr(passive().pz());
  const DAT_RMR_CONTEXT context = bind(rmr, theirs.lmr(), theirs.segment(0, 32), DAT_VA_TYPE_VA);
  DAT_LMR_TRIPLET out = mine.segment(0, 4);
  ASSERT_DAT_OK(dat_ep_post_send_with_invalidate(active().ep(), 1, &out, cookie(6),
                                                 DAT_COMPLETION_DEFAULT_FLAG, DAT_TRUE, context));
  ASSERT_DAT_OK(post_send(active().ep(), {mine.segment(0, 4)}, 7));
  EXPECT_NO_EVENT(passive().recv_evd());
  ASSERT_DAT_OK(post_recv(passive().ep(), {theirs.segment(32, 8)}, 5));
  ASSERT_DAT_OK(post_recv(passive().ep(), {theirs.segment(40, 8)}, 8));
  DAT_EVENT event = expect_event(passive().recv_evd(), DAT_DTO_COMPLETION_EVENT);
  EXPECT_EQ(event.event_data.dto_completion_event_data.operation, DAT_DTO_RECEIVE_WITH_INVALIDATE);
  event = expect_event(passive().recv_evd(), DAT_DTO_COMPLETION_EVENT);
  EXPECT_EQ(event.event_data.dto_completion_event_data.operation, DAT_DTO_RECEIVE);
  EXPECT_EQ(query_rmr(rmr).rmr_context, 0U);
}

// Rules: DAT2.14
TEST_F(Dat2Memory, NothingToInvalidate) {
  ASSERT_DAT_OK(post_recv(passive().ep(), {theirs.segment()}, 5));
  DAT_LMR_TRIPLET out = mine.segment(0, 4);
  ASSERT_DAT_OK(dat_ep_post_send_with_invalidate(active().ep(), 1, &out, cookie(6),
                                                 DAT_COMPLETION_DEFAULT_FLAG, DAT_TRUE,
                                                 theirs.rmr_context()));
  expect_dto(active().request_evd(), active().ep(), 6, DAT_DTO_ERR_REMOTE_ACCESS);
}

// Rules: DAT2.15
TEST_F(Dat2Memory, AReadIntoAWindow) {
  Rmr rmr = create_rmr(passive().pz());
  const DAT_RMR_CONTEXT context = bind(rmr, theirs.lmr(), theirs.segment(8, 16), DAT_VA_TYPE_ZB);
  mine.write(0, "source");
  const DAT_RMR_TRIPLET sink = remote_part(context, 2, 6);
  const DAT_RMR_TRIPLET source = mine.remote(0, 6);
  ASSERT_DAT_OK(dat_ep_post_rdma_read_to_rmr(passive().ep(), &sink, cookie(7), &source,
                                             DAT_COMPLETION_DEFAULT_FLAG));
  expect_dto(passive().request_evd(), passive().ep(), 7);
  EXPECT_EQ(theirs.text(10, 6), "source");
  const DAT_RMR_TRIPLET beyond = remote_part(context, 12, 6);
  EXPECT_DAT_ERROR(dat_ep_post_rdma_read_to_rmr(passive().ep(), &beyond, cookie(7), &source,
                                                DAT_COMPLETION_DEFAULT_FLAG),
                   DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
  rmr.free();
}

// Rules: DAT2.16
TEST_F(Dat2Memory, AWindowForOneEp) {
  Ep other_active = active().another_ep();
  Ep other_passive = passive().another_ep();
  establish(other_active, active().connect_evd(), other_passive, passive().connect_evd(),
            passive().ia());
  Rmr rmr;
  ASSERT_DAT_OK(dat_rmr_create_for_ep(passive().pz(), rmr.out()));
  EXPECT_EQ(query_rmr(rmr).rmr_scope, DAT_RMR_SCOPE_EP);
  const DAT_RMR_CONTEXT context = bind(rmr, theirs.lmr(), theirs.segment(), DAT_VA_TYPE_VA);
  const DAT_RMR_TRIPLET target = remote_part(context, theirs.address(), 4);
  expect_write(target);
  ASSERT_DAT_OK(post_write(other_active, {mine.segment(0, 4)}, target, 82));
  expect_dto(active().request_evd(), other_active, 82, DAT_DTO_ERR_REMOTE_ACCESS);
  rmr.free();
}

// Rules: DAT2.17
TEST_F(Dat2Memory, CompletionsNameTheirOperation) {
  const auto operation = [](DAT_EVD_HANDLE evd) {
    return expect_event(evd, DAT_DTO_COMPLETION_EVENT)
        .event_data.dto_completion_event_data.operation;
  };
  ASSERT_DAT_OK(post_recv(passive().ep(), {theirs.segment()}, 1));
  ASSERT_DAT_OK(post_send(active().ep(), {mine.segment(0, 4)}, 2));
  EXPECT_EQ(operation(active().request_evd()), DAT_DTO_SEND);
  EXPECT_EQ(operation(passive().recv_evd()), DAT_DTO_RECEIVE);
  ASSERT_DAT_OK(post_write(active().ep(), {mine.segment(0, 4)}, theirs.remote(0, 4), 3));
  EXPECT_EQ(operation(active().request_evd()), DAT_DTO_RDMA_WRITE);
  ASSERT_DAT_OK(post_read(active().ep(), {mine.segment(0, 4)}, theirs.remote(0, 4), 4));
  EXPECT_EQ(operation(active().request_evd()), DAT_DTO_RDMA_READ);
}

// Rules: DAT2.18
TEST_F(Dat2Memory, TheOwnSideMayReadAlways) {
  Buffer write_only = active().buffer(8, DAT_MEM_PRIV_LOCAL_WRITE_FLAG);
  ASSERT_DAT_OK(post_recv(passive().ep(), {theirs.segment()}, 1));
  EXPECT_DAT_OK(post_send(active().ep(), {write_only.segment()}, 2));
  expect_dto(active().request_evd(), active().ep(), 2);
}

// Rules: DAT2.26
TEST(Dat2Attributes, MaxRdmaSizeIsAdvice) {
  ConnectedPair pair(with_attributes([](DAT_EP_ATTR& a) { a.max_rdma_size = 32; }));
  Side& active = pair.active();
  EXPECT_EQ(query_ep(active.ep()).ep_attr.max_rdma_size, 32U);
  Buffer mine = active.buffer(64);
  Buffer theirs = pair.passive().buffer(64);
  mine.fill(7);
  ASSERT_DAT_OK(post_write(active.ep(), {mine.segment()}, theirs.remote(), 1));
  EXPECT_EQ(expect_dto(active.request_evd(), active.ep(), 1), 64U);
  EXPECT_TRUE(theirs.holds(7, 0, 64));
  theirs.fill(8);
  ASSERT_DAT_OK(post_read(active.ep(), {mine.segment()}, theirs.remote(), 2));
  EXPECT_EQ(expect_dto(active.request_evd(), active.ep(), 2), 64U);
  EXPECT_TRUE(mine.holds(8, 0, 64));
}

} // namespace
