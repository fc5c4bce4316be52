// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat_ep_post_rdma_read(3DAT), dat_ep_post_rdma_write(3DAT). rule_protection.cc tests what the
// target refuses, rule_rdma_read_limits.cc how many Reads may be under way.
#include "each_kind.h"
#include "fixture.h"
#include "segment_checks.h"

namespace datum::test {
namespace {

class RdmaTest : public Connected {
 protected:
  DAT_VLEN expect_done(DAT_UINT64 number, DAT_DTO_COMPLETION_STATUS status = DAT_DTO_SUCCESS) {
    return expect_dto(active().request_evd(), active().ep(), number, status);
  }
  void expect_nothing_at_the_target() {
    EXPECT_NO_EVENT(passive().recv_evd());
    EXPECT_NO_EVENT(passive().request_evd());
    EXPECT_NO_EVENT(passive().connect_evd());
  }
  // A refused post has left neither end changed.
  void expect_nothing_posted() {
    EXPECT_NO_EVENT(active().request_evd());
    EXPECT_EQ(ep_state(active().ep()), DAT_EP_STATE_CONNECTED);
    EXPECT_TRUE(mine.holds(1, 0, 64));
    EXPECT_TRUE(theirs.holds(2, 0, 64));
  }
  // `raw` is the call with a number and pointers of segments and the remote buffer, `post` the call
  // with a list of segments, of which `most` are allowed.
  template <typename Raw, typename Post>
  void expect_numbers_and_pointers_checked(DAT_COUNT most, DAT_RMR_TRIPLET remote, Raw raw,
                                           Post post) {
    DAT_LMR_TRIPLET segment = mine.segment(0, 4);
    EXPECT_DAT_ERROR(raw(-1, &segment, &remote), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
    EXPECT_DAT_ERROR(raw(1, nullptr, &remote), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
    EXPECT_DAT_ERROR(raw(1, &segment, nullptr), DAT_INVALID_PARAMETER, DAT_INVALID_ARG5);
    EXPECT_DAT_ERROR(post(Segments(static_cast<std::size_t>(most) + 1, segment), remote),
                     DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
    expect_nothing_posted();
    ASSERT_DAT_OK(post(Segments(static_cast<std::size_t>(most), segment), remote));
    expect_done(1);
  }
  // `post` is given a cookie and flags.
  template <typename Post>
  void expect_three_kinds_of_completion(Post post) {
    ASSERT_DAT_OK(post(1, DAT_COMPLETION_SUPPRESS_FLAG));
    ASSERT_DAT_OK(post(2, any_value<DAT_COMPLETION_FLAGS>(0x09)));
    ASSERT_DAT_OK(post(3, DAT_COMPLETION_BARRIER_FENCE_FLAG));
    expect_done(3);
    EXPECT_NO_EVENT(active().request_evd());
  }
  void SetUp() override {
    mine.fill(1);
    theirs.fill(2);
  }

  Buffer mine = active().buffer(64);
  Buffer theirs = passive().buffer(64);
};

using DatEpPostRdmaRead = RdmaTest;
using DatEpPostRdmaWrite = RdmaTest;

// Rules: dat_ep_post_rdma_read.R1 dat_ep_post_rdma_read.R2 dat_ep_post_rdma_read.R3
TEST_F(DatEpPostRdmaRead, BadHandles) {
  expect_handle_checks(active().ia(), DAT_HANDLE_TYPE_EP, [&](DAT_HANDLE handle) {
    return post_read(handle, {}, theirs.remote(), 1);
  });
}

// Rules: dat_ep_post_rdma_read.R4 dat_ep_post_rdma_read.R6 DTO.8
TEST_F(DatEpPostRdmaRead, FetchesWhatTheRemoteBufferNames) {
  Buffer recv_buffer = passive().buffer(16);
  ASSERT_DAT_OK(post_recv(passive().ep(), {recv_buffer.segment()}, 5));
  ASSERT_DAT_OK(post_read(active().ep(), {mine.segment()}, theirs.remote(0, 40), 77));
  const DAT_EVENT event = next_event(active().request_evd());
  EXPECT_EQ(static_cast<int>(event.event_number), 1);
  const DAT_DTO_COMPLETION_EVENT_DATA& dto = event.event_data.dto_completion_event_data;
  EXPECT_EQ(dto.ep_handle, active().ep());
  EXPECT_EQ(dto.user_cookie.as_64, 77U);
  EXPECT_EQ(static_cast<int>(dto.status), 0);
  EXPECT_EQ(dto.transfered_length, 40U) << "not the 64 of the larger sink";
  EXPECT_TRUE(mine.holds(2, 0, 40));
  EXPECT_TRUE(mine.holds(1, 40, 24)) << "the rest of the sink is untouched";
  expect_nothing_at_the_target();
}

TEST_F(DatEpPostRdmaRead, R5ASmallSink) {
  EXPECT_DAT_TYPE(post_read(active().ep(), {mine.segment(0, 20), mine.segment(20, 19)},
                            theirs.remote(0, 40), 1),
                  DAT_LENGTH_ERROR);
  EXPECT_DAT_TYPE(post_read(active().ep(), {}, theirs.remote(0, 1), 1), DAT_LENGTH_ERROR);
  expect_nothing_posted();
}

TEST_F(DatEpPostRdmaRead, R7SegmentsAreFilledFrontFirst) {
  theirs.write(0, "abcdefg");
  mine.write(0, std::string(64, '.'));
  ASSERT_DAT_OK(post_read(active().ep(),
                          {mine.segment(40, 4), mine.segment(0, 8), mine.segment(20, 8)},
                          theirs.remote(0, 7), 1));
  EXPECT_EQ(expect_done(1), 7U);
  EXPECT_EQ(mine.text(0, 64), "efg....................................."
                              "abcd....................");
}

// Rules: dat_ep_post_rdma_read.R8 dat_ep_post_rdma_read.R19 MEM.1
TEST_F(DatEpPostRdmaRead, BadSegments) {
  expect_segment_checks(active().ia(), active().pz(), kNoLocalWrite, [&](Segments segments) {
    return post_read(active().ep(), segments, theirs.remote(0, 16), 1);
  });
  expect_nothing_posted();
}

TEST_F(DatEpPostRdmaRead, R9ASinkNeedsLocalWriteOnly) {
  Buffer local_write_only = active().buffer(64, any_value<DAT_MEM_PRIV_FLAGS>(0x10));
  ASSERT_DAT_OK(post_read(active().ep(), {local_write_only.segment()}, theirs.remote(), 1));
  EXPECT_EQ(expect_done(1), 64U);
  EXPECT_TRUE(local_write_only.holds(2, 0, 64));
}

TEST_F(DatEpPostRdmaRead, R11AContextThatNeverWas) {
  DAT_RMR_TRIPLET unknown = theirs.remote();
  unknown.rmr_context = ~unknown.rmr_context;
  ASSERT_DAT_OK(post_read(active().ep(), {mine.segment()}, unknown, 1));
  expect_done(1, DAT_DTO_ERR_REMOTE_ACCESS);
  EXPECT_TRUE(mine.holds(1, 0, 64));
  for (Side* side : {&active(), &passive()}) {
    expect_connection_event(side->connect_evd(), DAT_CONNECTION_EVENT_BROKEN, side->ep());
  }
}

TEST_F(DatEpPostRdmaRead, R12BeyondTheRegion) {
  Buffer large = active().buffer(65);
  large.fill(1);
  ASSERT_DAT_OK(post_read(active().ep(), {large.segment()}, theirs.remote(0, 65), 1));
  expect_done(1, DAT_DTO_ERR_REMOTE_ACCESS);
  EXPECT_TRUE(large.holds(1, 0, 65)) << "nothing was read";
  for (Side* side : {&active(), &passive()}) {
    expect_connection_event(side->connect_evd(), DAT_CONNECTION_EVENT_BROKEN, side->ep());
  }
}

// Rules: dat_ep_post_rdma_read.R13 dat_ep_post_rdma_read.R16 dat_ep_post_rdma_read.R17 READ.8
TEST_F(DatEpPostRdmaRead, NumbersAndPointers) {
  expect_numbers_and_pointers_checked(
      query_ep(active().ep()).ep_attr.max_rdma_read_iov, theirs.remote(0, 4),
      [&](DAT_COUNT count, DAT_LMR_TRIPLET* segments, DAT_RMR_TRIPLET* source) {
        return dat_ep_post_rdma_read(active().ep(), count, segments, cookie(1), source,
                                     DAT_COMPLETION_DEFAULT_FLAG);
      },
      [&](const Segments& segments, DAT_RMR_TRIPLET source) {
        return post_read(active().ep(), segments, source, 1);
      });
}

// Rules: dat_ep_post_rdma_read.R14 FLAGS.8 FLAGS.10 FLAGS.13 FLAGS.14
TEST_F(DatEpPostRdmaRead, FlagsThatAreRefused) {
  expect_flags_refused({0x02, 0x04, 0x10, 0x20, 0x40000000}, [&](DAT_COMPLETION_FLAGS flags) {
    return post_read(active().ep(), {mine.segment()}, theirs.remote(), 1, flags);
  });
  expect_nothing_posted();
}

// Rules: dat_ep_post_rdma_read.R15 FLAGS.4
TEST_F(DatEpPostRdmaRead, FlagsThatAreAllowed) {
  expect_three_kinds_of_completion([&](DAT_UINT64 number, DAT_COMPLETION_FLAGS flags) {
    const std::size_t at = 8 * (number - 1);
    return post_read(active().ep(), {mine.segment(at, 8)}, theirs.remote(at, 8), number, flags);
  });
  EXPECT_TRUE(mine.holds(2, 0, 24));
}

// Rules: dat_ep_post_rdma_read.R18 D-28
TEST_F(DatEpPostRdmaRead, OfNothing) {
  const DAT_RMR_TRIPLET nothing = theirs.remote(0, 0);
  ASSERT_DAT_OK(dat_ep_post_rdma_read(active().ep(), 0, nullptr, cookie(1), &nothing,
                                      DAT_COMPLETION_DEFAULT_FLAG));
  EXPECT_EQ(expect_done(1), 0U);
  const DAT_RMR_TRIPLET nowhere = remote_part(~theirs.rmr_context(), 0, 0);
  ASSERT_DAT_OK(post_read(active().ep(), {mine.segment()}, nowhere, 2));
  EXPECT_EQ(expect_done(2), 0U) << "no byte of any region is named";
  expect_nothing_posted();
}

// Rules: dat_ep_post_rdma_write.R1 dat_ep_post_rdma_write.R2 dat_ep_post_rdma_write.R3
TEST_F(DatEpPostRdmaWrite, BadHandles) {
  expect_handle_checks(active().ia(), DAT_HANDLE_TYPE_EP, [&](DAT_HANDLE handle) {
    return post_write(handle, {}, theirs.remote(), 1);
  });
}

// Rules: dat_ep_post_rdma_write.R4 dat_ep_post_rdma_write.R6 C-02 DTO.8
TEST_F(DatEpPostRdmaWrite, PlacesItsBytesAtTheTarget) {
  Buffer recv_buffer = passive().buffer(16);
  ASSERT_DAT_OK(post_recv(passive().ep(), {recv_buffer.segment()}, 5));
  ASSERT_DAT_OK(post_write(active().ep(), {mine.segment(0, 40)}, theirs.remote(), 77));
  const DAT_EVENT event = next_event(active().request_evd());
  EXPECT_EQ(static_cast<int>(event.event_number), 1);
  const DAT_DTO_COMPLETION_EVENT_DATA& dto = event.event_data.dto_completion_event_data;
  EXPECT_EQ(dto.ep_handle, active().ep());
  EXPECT_EQ(dto.user_cookie.as_64, 77U);
  EXPECT_EQ(static_cast<int>(dto.status), 0);
  EXPECT_EQ(dto.transfered_length, 40U) << "not the 64 of the larger target";
  EXPECT_TRUE(theirs.holds(1, 0, 40));
  EXPECT_TRUE(theirs.holds(2, 40, 24)) << "the rest of the target is untouched";
  EXPECT_TRUE(mine.holds(1, 0, 64));
  expect_nothing_at_the_target();
}

TEST_F(DatEpPostRdmaWrite, R5ASmallTarget) {
  EXPECT_DAT_TYPE(post_write(active().ep(), {mine.segment(0, 20), mine.segment(20, 20)},
                             theirs.remote(0, 39), 1),
                  DAT_LENGTH_ERROR);
  EXPECT_DAT_TYPE(post_write(active().ep(), {mine.segment(0, 1)}, theirs.remote(0, 0), 1),
                  DAT_LENGTH_ERROR);
  expect_nothing_posted();
}

// Rules: dat_ep_post_rdma_write.R7 dat_ep_post_rdma_write.R16 MEM.1
TEST_F(DatEpPostRdmaWrite, BadSegments) {
  expect_segment_checks(active().ia(), active().pz(), kNoLocalRead, [&](Segments segments) {
    return post_write(active().ep(), segments, theirs.remote(), 1);
  });
  expect_nothing_posted();
}

// Rules: C-02
TEST_F(DatEpPostRdmaWrite, ASourceNeedsLocalReadOnly) {
  Buffer local_read_only = active().buffer(64, any_value<DAT_MEM_PRIV_FLAGS>(0x01));
  local_read_only.fill(9);
  Buffer remote_write_only = passive().buffer(64, any_value<DAT_MEM_PRIV_FLAGS>(0x30));
  ASSERT_DAT_OK(
      post_write(active().ep(), {local_read_only.segment()}, remote_write_only.remote(), 1));
  expect_done(1);
  EXPECT_TRUE(remote_write_only.holds(9, 0, 64));
}

// Rules: dat_ep_post_rdma_write.R11 dat_ep_post_rdma_write.R13 dat_ep_post_rdma_write.R14 READ.8
TEST_F(DatEpPostRdmaWrite, NumbersAndPointers) {
  expect_numbers_and_pointers_checked(
      query_ep(active().ep()).ep_attr.max_rdma_write_iov, theirs.remote(),
      [&](DAT_COUNT count, DAT_LMR_TRIPLET* segments, DAT_RMR_TRIPLET* target) {
        return dat_ep_post_rdma_write(active().ep(), count, segments, cookie(1), target,
                                      DAT_COMPLETION_DEFAULT_FLAG);
      },
      [&](const Segments& segments, DAT_RMR_TRIPLET target) {
        return post_write(active().ep(), segments, target, 1);
      });
}

// Rules: dat_ep_post_rdma_write.R12 FLAGS.8 FLAGS.10 FLAGS.13 FLAGS.14
TEST_F(DatEpPostRdmaWrite, FlagsThatAreRefused) {
  expect_flags_refused({0x02, 0x04, 0x10, 0x20, 0x40000000}, [&](DAT_COMPLETION_FLAGS flags) {
    return post_write(active().ep(), {mine.segment()}, theirs.remote(), 1, flags);
  });
  expect_nothing_posted();
}

// Rules: FLAGS.3
TEST_F(DatEpPostRdmaWrite, FlagsThatAreAllowed) {
  expect_three_kinds_of_completion([&](DAT_UINT64 number, DAT_COMPLETION_FLAGS flags) {
    const std::size_t at = 8 * (number - 1);
    return post_write(active().ep(), {mine.segment(at, 8)}, theirs.remote(at, 8), number, flags);
  });
  EXPECT_TRUE(theirs.holds(1, 0, 24));
}

// Rules: dat_ep_post_rdma_write.R15 D-28
TEST_F(DatEpPostRdmaWrite, OfNothing) {
  const DAT_RMR_TRIPLET remote = theirs.remote();
  ASSERT_DAT_OK(dat_ep_post_rdma_write(active().ep(), 0, nullptr, cookie(1), &remote,
                                       DAT_COMPLETION_DEFAULT_FLAG));
  EXPECT_EQ(expect_done(1), 0U);
  const DAT_RMR_TRIPLET nowhere = remote_part(~theirs.rmr_context(), 0, 0);
  ASSERT_DAT_OK(post_write(active().ep(), {}, nowhere, 2));
  EXPECT_EQ(expect_done(2), 0U) << "no byte of any region is named";
  expect_nothing_posted();
}

TEST_F(DatEpPostRdmaWrite, R22SegmentsAreGatheredInOrder) {
  Buffer other = active().buffer(16);
  mine.write(0, "one   two");
  other.write(4, "three");
  ASSERT_DAT_OK(post_write(active().ep(),
                           {mine.segment(6, 3), other.segment(4, 5), mine.segment(0, 3)},
                           theirs.remote(8, 11), 2));
  EXPECT_EQ(expect_done(2), 11U);
  EXPECT_EQ(theirs.text(8, 11), "twothreeone");
  EXPECT_TRUE(theirs.holds(2, 0, 8));
  EXPECT_TRUE(theirs.holds(2, 19, 45));
}

#if DATUM_DAT_MAJOR == 1 // for DAT 2.0 see DAT2.26
// Rules: dat_ep_post_rdma_read.R20 dat_ep_post_rdma_write.R17 D-29
TEST(DatEpPostRdmaAttributes, MaxRdmaSize) {
  ConnectedPair pair(with_attributes([](DAT_EP_ATTR& a) { a.max_rdma_size = 32; }));
  Side& active = pair.active();
  Buffer mine = active.buffer(64);
  Buffer theirs = pair.passive().buffer(64);
  EXPECT_DAT_TYPE(post_write(active.ep(), {mine.segment(0, 33)}, theirs.remote(), 1),
                  DAT_INVALID_PARAMETER);
  EXPECT_DAT_TYPE(
      post_write(active.ep(), {mine.segment(0, 32), mine.segment(0, 1)}, theirs.remote(), 1),
      DAT_INVALID_PARAMETER);
  EXPECT_DAT_TYPE(post_read(active.ep(), {mine.segment()}, theirs.remote(0, 33), 1),
                  DAT_INVALID_PARAMETER);
  EXPECT_DAT_OK(post_write(active.ep(), {mine.segment(0, 32)}, theirs.remote(), 1));
  EXPECT_DAT_OK(post_read(active.ep(), {mine.segment()}, theirs.remote(0, 32), 2));
  EXPECT_EQ(expect_dto(active.request_evd(), active.ep(), 1), 32U);
  EXPECT_EQ(expect_dto(active.request_evd(), active.ep(), 2), 32U);
}
#endif

// Rules: dat_ep_post_rdma_read.R24 dat_ep_post_rdma_write.R20 DTO.17
TEST(DatEpPostRdmaAttributes, MaxRequestDtos) {
  ConnectedPair pair(with_attributes([](DAT_EP_ATTR& a) { a.max_request_dtos = 2; }));
  Side& active = pair.active();
  Buffer mine = active.buffer(8);
  Buffer theirs = pair.passive().buffer(8);
  // Nothing completes behind a Send for which the peer has no Recv.
  EXPECT_DAT_OK(post_send(active.ep(), {mine.segment()}, 1));
  EXPECT_DAT_OK(post_write(active.ep(), {mine.segment()}, theirs.remote(), 2));
  EXPECT_DAT_TYPE(post_write(active.ep(), {mine.segment()}, theirs.remote(), 3),
                  DAT_INSUFFICIENT_RESOURCES);
  EXPECT_DAT_TYPE(post_read(active.ep(), {mine.segment()}, theirs.remote(), 3),
                  DAT_INSUFFICIENT_RESOURCES);
  EXPECT_DAT_OK(post_recv(pair.passive().ep(), {theirs.segment()}, 4));
  expect_dto(active.request_evd(), active.ep(), 1);
  expect_dto(active.request_evd(), active.ep(), 2);
  EXPECT_DAT_OK(post_read(active.ep(), {mine.segment()}, theirs.remote(), 5));
  expect_dto(active.request_evd(), active.ep(), 5);
}

// Rules: READ.8
TEST(DatEpPostRdmaAttributes, OwnLimitsOnSegments) {
  ConnectedPair pair(with_attributes([](DAT_EP_ATTR& a) {
    a.max_request_iov = 4;
    a.max_rdma_read_iov = 1;
    a.max_rdma_write_iov = 2;
  }));
  Side& active = pair.active();
  const DAT_EP_ATTR given = query_ep(active.ep()).ep_attr;
  ASSERT_EQ(given.max_rdma_read_iov, 1);
  ASSERT_EQ(given.max_rdma_write_iov, 2);
  Buffer mine = active.buffer(8);
  Buffer theirs = pair.passive().buffer(64);
  const auto write = [&](std::size_t count) {
    return post_write(active.ep(), Segments(count, mine.segment()), theirs.remote(), 1);
  };
  const auto read = [&](std::size_t count) {
    return post_read(active.ep(), Segments(count, mine.segment()), theirs.remote(0, 8), 2);
  };
  EXPECT_DAT_ERROR(write(3), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
  EXPECT_DAT_ERROR(read(2), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
  EXPECT_DAT_OK(write(2));
  EXPECT_DAT_OK(read(1));
  expect_dto(active.request_evd(), active.ep(), 1);
  expect_dto(active.request_evd(), active.ep(), 2);
}

// Rules: READ.10
TEST(DatEpPostRdmaAttributes, MoreSegmentsThanASendMayHave) {
  constexpr std::size_t kParts = 4;
  constexpr std::size_t kPart = 1000;
  constexpr std::size_t kAtOnce = 24;
  ConnectedPair pair(with_attributes([](DAT_EP_ATTR& a) {
    a.max_request_iov = 1;
    a.max_rdma_read_iov = kParts;
    a.max_rdma_write_iov = kParts;
    a.max_request_dtos = kAtOnce;
    a.max_rdma_read_out = 1;
  }));
  Side& active = pair.active();
  Buffer mine = active.buffer(kAtOnce * kParts * kPart);
  Buffer theirs = pair.passive().buffer(mine.size());
  const auto parts = [&mine](std::size_t request) {
    Segments all;
    for (std::size_t i = 0; i != kParts; ++i)
      all.push_back(mine.segment((request * kParts + i) * kPart, kPart));
    return all;
  };
  const auto expect_all_done = [&active] {
    for (DAT_UINT64 i = 0; i != kAtOnce; ++i) expect_dto(active.request_evd(), active.ep(), i);
  };
  const auto range = [&theirs](std::size_t request) {
    return theirs.remote(request * kParts * kPart, kParts * kPart);
  };
  mine.fill(1);
  theirs.fill(2);
  for (std::size_t i = 0; i != kAtOnce; ++i)
    ASSERT_DAT_OK(post_write(active.ep(), parts(i), range(i), i));
  expect_all_done();
  EXPECT_TRUE(theirs.holds(1, 0, theirs.size()));
  theirs.fill(3);
  for (std::size_t i = 0; i != kAtOnce; ++i)
    ASSERT_DAT_OK(post_read(active.ep(), parts(i), range(i), i));
  expect_all_done();
  EXPECT_TRUE(mine.holds(3, 0, mine.size()));
}

// Rules: READ.10
TEST(DatEpPostRdmaAttributes, MoreSegmentsAfterAChange) {
  PairOptions options;
  options.connected = false;
  ConnectedPair pair(options);
  Side& active = pair.active();
  DAT_EP_PARAM wanted{};
  wanted.ep_attr.max_request_iov = 1;
  ASSERT_DAT_OK(dat_ep_modify(active.ep(), DAT_EP_FIELD_EP_ATTR_MAX_REQUEST_IOV, &wanted));
  wanted.ep_attr.max_rdma_write_iov = 2;
  ASSERT_DAT_OK(dat_ep_modify(active.ep(), DAT_EP_FIELD_EP_ATTR_MAX_RDMA_WRITE_IOV, &wanted));
  establish(active, pair.passive());
  Buffer mine = active.buffer(16000);
  Buffer theirs = pair.passive().buffer(16000);
  mine.fill(1);
  for (std::size_t i = 0; i != 16; ++i)
    ASSERT_DAT_OK(post_write(active.ep(),
                             {mine.segment(i * 1000, 400), mine.segment(i * 1000 + 400, 600)},
                             theirs.remote(i * 1000, 1000), i));
  for (std::size_t i = 0; i != 16; ++i) expect_dto(active.request_evd(), active.ep(), i);
  EXPECT_TRUE(theirs.holds(1, 0, 16000));
}

} // namespace
} // namespace datum::test
