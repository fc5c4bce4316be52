// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat_srq_create(3DAT), dat_srq_query(3DAT), dat_srq_set_lw(3DAT), dat_srq_resize(3DAT),
// dat_srq_post_recv(3DAT), dat_srq_free(3DAT). rule_srq.cc tests how EPs share an SRQ.
#include "each_kind.h"
#include "fixture.h"
#include "segment_checks.h"

namespace datum::test {
namespace {

class SrqTest : public Conformance {
 protected:
  void SetUp() override {
    Conformance::SetUp();
    pz = create_pz(ia);
  }

  DAT_RETURN create(DAT_COUNT dtos, DAT_COUNT iov, DAT_COUNT low_watermark) {
    DAT_SRQ_ATTR attributes{dtos, iov, low_watermark};
    Srq srq;
    return dat_srq_create(ia, pz, &attributes, srq.out());
  }

  Pz pz;
};

using DatSrqCreate = SrqTest;
using DatSrqQuery = SrqTest;
using DatSrqSetLw = SrqTest;
using DatSrqResize = SrqTest;
using DatSrqPostRecv = SrqTest;
using DatSrqFree = SrqTest;

DAT_SRQ_PARAM query_srq(DAT_SRQ_HANDLE srq) {
  DAT_SRQ_PARAM param{};
  EXPECT_DAT_OK(dat_srq_query(srq, DAT_SRQ_FIELD_ALL, &param));
  return param;
}

void post_recvs(DAT_SRQ_HANDLE srq, const Buffer& buffer, DAT_UINT64 count) {
  for (DAT_UINT64 i = 0; i < count; ++i) {
    EXPECT_DAT_OK(post_srq_recv(srq, {buffer.segment()}, i));
  }
}

// A connection into an EP that takes its Recvs from an SRQ.
class SrqPair {
 public:
  SrqPair() : pair(options()), source(pair.active().buffer(64)), sink(pair.passive().buffer(128)) {}

  Side& active() { return pair.active(); }
  Side& passive() { return pair.passive(); }
  DAT_SRQ_HANDLE srq() { return passive().srq(); }
  // The message has taken its Recv when this returns; the Recv's completion is not reaped.
  void send() {
    EXPECT_DAT_OK(post_send(active().ep(), {source.segment(0, 8)}, 100));
    expect_dto(active().request_evd(), active().ep(), 100);
  }
  void reap(DAT_UINT64 number) {
    EXPECT_EQ(expect_dto(passive().recv_evd(), passive().ep(), number), 8U);
  }

  ConnectedPair pair;
  Buffer source;
  Buffer sink;

 private:
  static PairOptions options() {
    PairOptions options;
    options.passive.srq_recvs = 10;
    return options;
  }
};

// Rules: dat_srq_create.R1 dat_srq_create.R2 dat_srq_create.R3
TEST_F(DatSrqCreate, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_IA, [&](DAT_HANDLE handle) {
    DAT_SRQ_ATTR attributes{4, 4, DAT_SRQ_LW_DEFAULT};
    DAT_SRQ_HANDLE srq = DAT_HANDLE_NULL;
    return dat_srq_create(handle, pz, &attributes, &srq);
  });
}

// Rules: dat_srq_create.R4 dat_srq_query.R7 dat_srq_query.R8
TEST_F(DatSrqCreate, GivesWhatWasAskedFor) {
  const Srq srq = create_srq(ia, pz, 7, 3);
  const DAT_SRQ_PARAM param = query_srq(srq);
  EXPECT_EQ(param.ia_handle, ia);
  EXPECT_EQ(param.pz_handle, pz);
  EXPECT_EQ(static_cast<int>(param.srq_state), kSrqOperational) << "DAT_SRQ_STATE_OPERATIONAL";
  EXPECT_GE(param.max_recv_dtos, 7);
  EXPECT_GE(param.max_recv_iov, 3);
  EXPECT_EQ(param.low_watermark, 0);
  EXPECT_EQ(param.available_dto_count, 0);
  EXPECT_EQ(param.outstanding_dto_count, 0);
}

// Rules: dat_srq_create.R5 dat_srq_create.R6
TEST_F(DatSrqCreate, BadZones) {
  DAT_SRQ_ATTR attributes{4, 4, DAT_SRQ_LW_DEFAULT};
  Srq srq;
  const Ia other_ia = open_ia();
  const Pz other_pz = create_pz(other_ia);
  const Evd evd = create_evd(ia, DAT_EVD_DTO_FLAG);
  for (const DAT_HANDLE bad : {DAT_HANDLE{DAT_HANDLE_NULL}, evd.get(), other_pz.get(), ia.get(),
                               destroyed_handle(ia, DAT_HANDLE_TYPE_PZ)}) {
    EXPECT_DAT_ERROR(dat_srq_create(ia, bad, &attributes, srq.out()), DAT_INVALID_HANDLE,
                     DAT_INVALID_HANDLE_PZ);
  }
}

// Rules: dat_srq_create.R7 dat_srq_create.R12
TEST_F(DatSrqCreate, NullPointers) {
  DAT_SRQ_ATTR attributes{4, 4, DAT_SRQ_LW_DEFAULT};
  Srq srq;
  EXPECT_DAT_ERROR(dat_srq_create(ia, pz, nullptr, srq.out()), DAT_INVALID_PARAMETER,
                   DAT_INVALID_ARG3);
  EXPECT_DAT_ERROR(dat_srq_create(ia, pz, &attributes, nullptr), DAT_INVALID_PARAMETER,
                   DAT_INVALID_ARG4);
}

// Rules: dat_srq_create.R8 dat_srq_create.R10 dat_srq_create.R11
TEST_F(DatSrqCreate, BadAttributes) {
  const DAT_COUNT too_many = ia_attributes(ia).max_iov_segments_per_dto + 1;
  const DAT_SRQ_ATTR bad[] = {{0, 4, 0},        {-1, 4, 0}, {4, 0, 0}, {4, -1, 0},
                              {4, too_many, 0}, {4, 4, 1},  {4, 4, -1}};
  for (const DAT_SRQ_ATTR& each : bad) {
    EXPECT_DAT_ERROR(create(each.max_recv_dtos, each.max_recv_iov, each.low_watermark),
                     DAT_INVALID_PARAMETER, DAT_INVALID_ARG3)
        << each.max_recv_dtos << " " << each.max_recv_iov << " " << each.low_watermark;
  }
  EXPECT_DAT_OK(create(1, too_many - 1, 0));
}

TEST_F(DatSrqCreate, R9MoreRecvsThanAnSrqHolds) {
  const DAT_COUNT most = ia_attributes(ia).max_recv_per_srq;
  EXPECT_DAT_TYPE(create(most + 1, 1, 0), DAT_INSUFFICIENT_RESOURCES);
  EXPECT_DAT_OK(create(most, 1, 0));
}

// Rules: dat_srq_query.R1 dat_srq_query.R2 dat_srq_query.R3
TEST_F(DatSrqQuery, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_SRQ, [](DAT_HANDLE handle) {
    DAT_SRQ_PARAM param{};
    return dat_srq_query(handle, DAT_SRQ_FIELD_ALL, &param);
  });
}

// Rules: dat_srq_query.R4 dat_srq_query.R5 dat_srq_query.R6
TEST_F(DatSrqQuery, MaskAndStruct) {
  const Srq srq = create_srq(ia, pz);
  expect_query_checks(0xff, [&](DAT_UINT64 mask, bool with_struct) {
    DAT_SRQ_PARAM param{};
    return dat_srq_query(srq, any_value<DAT_SRQ_PARAM_MASK>(static_cast<int>(mask)),
                         with_struct ? &param : nullptr);
  });
}

// Rules: dat_srq_query.R9 dat_srq_query.R10 dat_srq_post_recv.R4
TEST(DatSrqQueryCounts, FollowARecvFromPostToReap) {
  SrqPair p;
  const auto expect_counts = [&](DAT_COUNT available, DAT_COUNT outstanding, const char* when) {
    const DAT_SRQ_PARAM param = query_srq(p.srq());
    EXPECT_EQ(param.available_dto_count, available) << when;
    EXPECT_EQ(param.outstanding_dto_count, outstanding) << when;
  };
  for (DAT_COUNT posted = 1; posted <= 3; ++posted) {
    post_recvs(p.srq(), p.sink, 1);
    expect_counts(posted, posted, "posted");
  }
  p.send();
  expect_counts(2, 3, "taken by a message");
  p.reap(0);
  expect_counts(2, 2, "reaped");
}

// Rules: dat_srq_set_lw.R1 dat_srq_set_lw.R2 dat_srq_set_lw.R3
TEST_F(DatSrqSetLw, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_SRQ,
                       [](DAT_HANDLE handle) { return dat_srq_set_lw(handle, 0); });
}

// Rules: dat_srq_set_lw.R4 dat_srq_set_lw.R5
TEST_F(DatSrqSetLw, ValuesOutOfRange) {
  const Srq srq = create_srq(ia, pz, 8);
  const DAT_COUNT most = query_srq(srq).max_recv_dtos;
  EXPECT_DAT_ERROR(dat_srq_set_lw(srq, most + 1), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
  EXPECT_DAT_ERROR(dat_srq_set_lw(srq, -1), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
  EXPECT_EQ(query_srq(srq).low_watermark, 0) << "unchanged";
  EXPECT_NO_EVENT(async_evd_of(ia));
}

// Rules: dat_srq_set_lw.R6 dat_srq_set_lw.R11 WM.2
TEST_F(DatSrqSetLw, FiresAtOnceWhenAlreadyBelow) {
  const Srq srq = create_srq(ia, pz, 8);
  const Buffer buffer(ia, pz, 16);
  post_recvs(srq, buffer, 3);
  EXPECT_DAT_OK(dat_srq_set_lw(srq, 4));
  EXPECT_EQ(query_srq(srq).low_watermark, 4);
  expect_low_watermark(ia, srq);
  EXPECT_NO_EVENT(async_evd_of(ia));
}

TEST_F(DatSrqSetLw, R7DoesNotFireWhenEqual) {
  const Srq srq = create_srq(ia, pz, 8);
  const Buffer buffer(ia, pz, 16);
  post_recvs(srq, buffer, 4);
  EXPECT_DAT_OK(dat_srq_set_lw(srq, 4));
  EXPECT_NO_EVENT(async_evd_of(ia));
}

// Rules: dat_srq_set_lw.R8 dat_srq_set_lw.R9 WM.1 WM.3 EVENT.9 D-17
TEST(DatSrqSetLwFires, OnceWhenAMessageTakesItBelow) {
  SrqPair p;
  const DAT_IA_HANDLE ia = p.passive().ia();
  post_recvs(p.srq(), p.sink, 5);
  EXPECT_DAT_OK(dat_srq_set_lw(p.srq(), 4));
  p.send();
  EXPECT_NO_EVENT(async_evd_of(ia)) << "four are left";
  p.send();
  expect_low_watermark(ia, p.srq());
  p.send();
  EXPECT_NO_EVENT(async_evd_of(ia)) << "it fires once";
  EXPECT_DAT_OK(dat_srq_set_lw(p.srq(), 2));
  EXPECT_NO_EVENT(async_evd_of(ia)) << "two are left";
  p.send();
  expect_low_watermark(ia, p.srq());
  for (DAT_UINT64 i = 0; i < 4; ++i) p.reap(i);
}

// Rules: dat_srq_set_lw.R10
TEST(DatSrqSetLwFires, NotAfterItWasSetToZero) {
  SrqPair p;
  post_recvs(p.srq(), p.sink, 2);
  EXPECT_DAT_OK(dat_srq_set_lw(p.srq(), 2));
  EXPECT_DAT_OK(dat_srq_set_lw(p.srq(), 0));
  p.send();
  p.send();
  EXPECT_NO_EVENT(async_evd_of(p.passive().ia()));
  p.reap(0);
  p.reap(1);
}

// Rules: dat_srq_resize.R1 dat_srq_resize.R2 dat_srq_resize.R3
TEST_F(DatSrqResize, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_SRQ,
                       [](DAT_HANDLE handle) { return dat_srq_resize(handle, 4); });
}

// Rules: dat_srq_resize.R4 dat_srq_resize.R9
TEST(DatSrqResizeKeeps, EveryRecvInItsOrder) {
  SrqPair p;
  // Seven Recvs are used up before, so that the tested Recvs do not begin at the first slot.
  post_recvs(p.srq(), p.sink, 7);
  for (DAT_UINT64 i = 0; i < 7; ++i) {
    p.send();
    p.reap(i);
  }
  for (DAT_UINT64 i = 0; i < 10; ++i) {
    EXPECT_DAT_OK(post_srq_recv(p.srq(), {p.sink.segment(8 * i, 8)}, i));
  }
  EXPECT_DAT_OK(dat_srq_resize(p.srq(), 12));
  EXPECT_GE(query_srq(p.srq()).max_recv_dtos, 12);
  EXPECT_DAT_OK(post_srq_recv(p.srq(), {p.sink.segment(80, 8)}, 10));
  EXPECT_DAT_OK(post_srq_recv(p.srq(), {p.sink.segment(88, 8)}, 11));
  for (DAT_UINT64 i = 0; i < 9; ++i) {
    p.send();
    p.reap(i);
  }
  EXPECT_DAT_OK(dat_srq_resize(p.srq(), 3)) << "exactly those that are outstanding";
  EXPECT_EQ(query_srq(p.srq()).available_dto_count, 3);
  for (DAT_UINT64 i = 9; i < 12; ++i) {
    p.source.write(0, std::string(8, static_cast<char>('a' + i)));
    p.send();
    p.reap(i);
    EXPECT_EQ(p.sink.text(8 * i, 8), std::string(8, static_cast<char>('a' + i)));
  }
}

// Rules: dat_srq_resize.R5
TEST(DatSrqResizeKeeps, OrRefusesLessThanOutstanding) {
  SrqPair p;
  post_recvs(p.srq(), p.sink, 4);
  p.send(); // one Recv is taken but not reaped: three are available and four outstanding
  EXPECT_DAT_TYPE(dat_srq_resize(p.srq(), 3), DAT_INVALID_STATE);
  const DAT_SRQ_PARAM param = query_srq(p.srq());
  EXPECT_GE(param.max_recv_dtos, 10) << "unchanged";
  EXPECT_EQ(param.outstanding_dto_count, 4);
  EXPECT_DAT_OK(dat_srq_resize(p.srq(), 4));
  p.reap(0);
}

TEST_F(DatSrqResize, R6BelowTheLowWatermark) {
  const Srq srq = create_srq(ia, pz, 8);
  EXPECT_DAT_OK(dat_srq_set_lw(srq, 5));
  expect_low_watermark(ia, srq);
  EXPECT_DAT_TYPE(dat_srq_resize(srq, 4), DAT_INVALID_STATE);
  EXPECT_GE(query_srq(srq).max_recv_dtos, 8) << "unchanged";
  EXPECT_DAT_OK(dat_srq_resize(srq, 5));
}

TEST_F(DatSrqResize, R7NotPositive) {
  const Srq srq = create_srq(ia, pz, 8);
  EXPECT_DAT_ERROR(dat_srq_resize(srq, 0), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
  EXPECT_DAT_ERROR(dat_srq_resize(srq, -1), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
}

TEST_F(DatSrqResize, R8MoreRecvsThanAnSrqHolds) {
  const Srq srq = create_srq(ia, pz, 8);
  const DAT_COUNT most = ia_attributes(ia).max_recv_per_srq;
  EXPECT_DAT_TYPE(dat_srq_resize(srq, most + 1), DAT_INSUFFICIENT_RESOURCES);
  EXPECT_DAT_OK(dat_srq_resize(srq, most));
}

// Rules: dat_srq_post_recv.R1 dat_srq_post_recv.R2 dat_srq_post_recv.R3
TEST_F(DatSrqPostRecv, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_SRQ, [](DAT_HANDLE handle) {
    return dat_srq_post_recv(handle, 0, nullptr, cookie(1));
  });
}

// Rules: dat_srq_post_recv.R5 dat_srq_post_recv.R6 dat_srq_post_recv.R7
TEST_F(DatSrqPostRecv, NumbersOfSegments) {
  const Srq srq = create_srq(ia, pz, 8, 2);
  const Buffer buffer(ia, pz, 16);
  DAT_LMR_TRIPLET segment = buffer.segment();
  EXPECT_DAT_ERROR(dat_srq_post_recv(srq, -1, &segment, cookie(1)), DAT_INVALID_PARAMETER,
                   DAT_INVALID_ARG2);
  const auto most = static_cast<std::size_t>(query_srq(srq).max_recv_iov);
  EXPECT_DAT_ERROR(post_srq_recv(srq, Segments(most + 1, segment), 1), DAT_INVALID_PARAMETER,
                   DAT_INVALID_ARG2);
  EXPECT_DAT_ERROR(dat_srq_post_recv(srq, 1, nullptr, cookie(1)), DAT_INVALID_PARAMETER,
                   DAT_INVALID_ARG3);
  EXPECT_EQ(query_srq(srq).outstanding_dto_count, 0) << "nothing was posted";
  EXPECT_DAT_OK(post_srq_recv(srq, Segments(most, segment), 1));
}

// Rules: dat_srq_post_recv.R8
TEST(DatSrqPostRecvTakes, AMessageOfNoBytes) {
  SrqPair p;
  EXPECT_DAT_OK(dat_srq_post_recv(p.srq(), 0, nullptr, cookie(5)));
  EXPECT_DAT_OK(post_send(p.active().ep(), {}, 1));
  EXPECT_EQ(expect_dto(p.passive().recv_evd(), p.passive().ep(), 5), 0U);
  expect_dto(p.active().request_evd(), p.active().ep(), 1);
}

// Rules: dat_srq_post_recv.R9 dat_srq_post_recv.R10 dat_srq_post_recv.R11 dat_srq_post_recv.R12
TEST_F(DatSrqPostRecv, BadSegments) {
  const Srq srq = create_srq(ia, pz);
  expect_segment_checks(ia, pz, kNoLocalWrite,
                        [&](Segments segments) { return post_srq_recv(srq, segments, 1); });
  EXPECT_EQ(query_srq(srq).outstanding_dto_count, 0) << "nothing was posted";
}

TEST_F(DatSrqPostRecv, R13MoreThanItHolds) {
  const Srq srq = create_srq(ia, pz, 3);
  const Buffer buffer(ia, pz, 16);
  post_recvs(srq, buffer, static_cast<DAT_UINT64>(query_srq(srq).max_recv_dtos));
  EXPECT_DAT_TYPE(post_srq_recv(srq, {buffer.segment()}, 9), DAT_INSUFFICIENT_RESOURCES);
}

// Rules: dat_srq_free.R1 dat_srq_free.R2 dat_srq_free.R3
TEST_F(DatSrqFree, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_SRQ, dat_srq_free);
}

// Rules: dat_srq_free.R4 dat_srq_free.R6
TEST_F(DatSrqFree, WithAndWithoutRecvs) {
  Srq empty = create_srq(ia, pz);
  EXPECT_DAT_OK(dat_srq_free(empty.release()));
  Srq filled = create_srq(ia, pz);
  {
    const Buffer buffer(ia, pz, 16);
    post_recvs(filled, buffer, 3);
  }
  EXPECT_DAT_TYPE(dat_pz_free(pz), DAT_INVALID_STATE) << "the SRQ uses it";
  EXPECT_DAT_OK(dat_srq_free(filled.release()));
  EXPECT_DAT_OK(dat_pz_free(pz.release()));
}

// Rules: dat_srq_free.R5 C-20
TEST(DatSrqFreeInUse, AnEpUsesIt) {
  SrqPair p;
  EXPECT_DAT_ERROR(dat_srq_free(p.srq()), DAT_INVALID_STATE, DAT_INVALID_STATE_SRQ_IN_USE);
  post_recvs(p.srq(), p.sink, 1);
  p.send();
  EXPECT_DAT_OK(dat_ep_free(p.passive().ep().release()));
  EXPECT_DAT_OK(dat_srq_free(p.passive().srq().release()));
  EXPECT_EQ(drain(p.passive().recv_evd()), 1) << "a completion outlives both";
}

} // namespace
} // namespace datum::test
