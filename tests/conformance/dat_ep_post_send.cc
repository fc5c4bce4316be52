// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat_ep_post_send(3DAT). rule_ep_table.cc tests the states in which it may be called,
// rule_dto_errors.cc the errors that come with a completion.
#include "each_kind.h"
#include "fixture.h"
#include "segment_checks.h"

namespace datum::test {
namespace {

class DatEpPostSend : public Connected {
 protected:
  void recv(DAT_UINT64 number) {
    EXPECT_DAT_OK(post_recv(passive().ep(), {sink.segment()}, number));
  }
  DAT_VLEN expect_received(DAT_UINT64 number) {
    return expect_dto(passive().recv_evd(), passive().ep(), number);
  }
  DAT_VLEN expect_sent(DAT_UINT64 number) {
    return expect_dto(active().request_evd(), active().ep(), number);
  }
  // A refused post has left no Send behind: the next Send is the only one.
  void expect_nothing_posted() {
    recv(70);
    ASSERT_DAT_OK(post_send(active().ep(), {source.segment(0, 4)}, 71));
    EXPECT_EQ(expect_received(70), 4U);
    EXPECT_EQ(expect_sent(71), 4U);
    EXPECT_NO_EVENT(active().request_evd());
    EXPECT_EQ(ep_state(active().ep()), DAT_EP_STATE_CONNECTED);
  }

  Buffer source = active().buffer(64);
  Buffer sink = passive().buffer(64);
};

// Rules: dat_ep_post_send.R1 dat_ep_post_send.R2 dat_ep_post_send.R3
TEST_F(DatEpPostSend, BadHandles) {
  expect_handle_checks(active().ia(), DAT_HANDLE_TYPE_EP, [](DAT_HANDLE handle) {
    return dat_ep_post_send(handle, 0, nullptr, cookie(1), DAT_COMPLETION_DEFAULT_FLAG);
  });
}

// Rules: dat_ep_post_send.R4 dat_ep_post_send.R5 EVENT.1 EVENT.8 CONV.18 DTO.8
TEST_F(DatEpPostSend, OneCompletionAtEachEnd) {
  source.write(0, "thirteen text");
  ASSERT_DAT_OK(post_recv(passive().ep(), {sink.segment()}, 0x0123456789abcdef));
  recv(2);
  ASSERT_DAT_OK(post_send(active().ep(), {source.segment(0, 13)}, 0xfedcba9876543210));
  const auto check = [](DAT_EVD_HANDLE evd, DAT_EP_HANDLE ep, DAT_UINT64 number) {
    const DAT_EVENT event = next_event(evd);
    EXPECT_EQ(static_cast<int>(event.event_number), 1);
    EXPECT_EQ(event.evd_handle, evd);
    const DAT_DTO_COMPLETION_EVENT_DATA& dto = event.event_data.dto_completion_event_data;
    EXPECT_EQ(dto.ep_handle, ep);
    EXPECT_EQ(dto.user_cookie.as_64, number);
    EXPECT_EQ(static_cast<int>(dto.status), 0) << "DAT_DTO_SUCCESS";
    EXPECT_EQ(dto.transfered_length, 13U);
  };
  check(active().request_evd(), active().ep(), 0xfedcba9876543210);
  check(passive().recv_evd(), passive().ep(), 0x0123456789abcdef);
  EXPECT_EQ(sink.text(0, 13), "thirteen text");
  EXPECT_NO_EVENT(active().request_evd());
  EXPECT_NO_EVENT(passive().recv_evd());
}

TEST_F(DatEpPostSend, R6SegmentsAreGatheredInOrder) {
  Buffer other = active().buffer(16);
  source.write(0, "one   two");
  other.write(4, "three");
  recv(1);
  ASSERT_DAT_OK(post_send(active().ep(),
                          {source.segment(6, 3), other.segment(4, 5), source.segment(0, 3)}, 2));
  EXPECT_EQ(expect_received(1), 11U);
  EXPECT_EQ(expect_sent(2), 11U);
  EXPECT_EQ(sink.text(0, 11), "twothreeone");
}

TEST_F(DatEpPostSend, R7NoSegments) {
  recv(1);
  recv(2);
  sink.write(0, "untouched");
  ASSERT_DAT_OK(
      dat_ep_post_send(active().ep(), 0, nullptr, cookie(3), DAT_COMPLETION_DEFAULT_FLAG));
  EXPECT_EQ(expect_received(1), 0U);
  EXPECT_EQ(expect_sent(3), 0U);
  EXPECT_EQ(sink.text(0, 9), "untouched");
  ASSERT_DAT_OK(post_send(active().ep(), {source.segment(0, 9)}, 4));
  EXPECT_EQ(expect_received(2), 9U) << "the first Recv was used up";
  expect_sent(4);
}

// Rules: dat_ep_post_send.R8 dat_ep_post_send.R9 dat_ep_post_send.R10
TEST_F(DatEpPostSend, NumbersOfSegments) {
  DAT_LMR_TRIPLET segment = source.segment(0, 4);
  const auto post = [&](DAT_COUNT count, DAT_LMR_TRIPLET* segments) {
    return dat_ep_post_send(active().ep(), count, segments, cookie(1), DAT_COMPLETION_DEFAULT_FLAG);
  };
  EXPECT_DAT_ERROR(post(-1, &segment), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
  EXPECT_DAT_ERROR(post(1, nullptr), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
  const auto most = static_cast<std::size_t>(query_ep(active().ep()).ep_attr.max_request_iov);
  EXPECT_DAT_ERROR(post_send(active().ep(), Segments(most + 1, segment), 1), DAT_INVALID_PARAMETER,
                   DAT_INVALID_ARG2);
  expect_nothing_posted();
  recv(1);
  ASSERT_DAT_OK(post_send(active().ep(), Segments(most, segment), 2));
  EXPECT_EQ(expect_received(1), most * 4);
  expect_sent(2);
}

TEST_F(DatEpPostSend, R11AnEmptySegmentMayHoldGarbage) {
  source.write(0, "frontrear");
  DAT_LMR_TRIPLET garbage = local_part(~source.lmr_context(), ~DAT_VADDR{0}, 0);
  recv(1);
  ASSERT_DAT_OK(post_send(active().ep(), {source.segment(0, 5), garbage, source.segment(5, 4)}, 2));
  EXPECT_EQ(expect_received(1), 9U);
  expect_sent(2);
  EXPECT_EQ(sink.text(0, 9), "frontrear");
}

// Rules: dat_ep_post_send.R12 dat_ep_post_send.R13 dat_ep_post_send.R14 dat_ep_post_send.R15
// Rules: dat_ep_post_send.R16 MEM.1 C-43
TEST_F(DatEpPostSend, BadSegments) {
  expect_segment_checks(active().ia(), active().pz(), kNoLocalRead,
                        [&](Segments segments) { return post_send(active().ep(), segments, 1); });
  expect_nothing_posted();
}

// Rules: dat_ep_post_send.R22 FLAGS.17 FLAGS.2
TEST_F(DatEpPostSend, FlagsThatAreAlwaysAllowed) {
  constexpr int kSuppress = 0x01;
  for (const int flags : {0x02, 0x08, 0x0a, 0x01, 0x09, 0x03, 0x0b}) {
    recv(1);
    ASSERT_DAT_OK(
        post_send(active().ep(), {source.segment(0, 4)}, 2, any_value<DAT_COMPLETION_FLAGS>(flags)))
        << flags;
    EXPECT_EQ(expect_received(1), 4U) << flags;
    if ((flags & kSuppress) != 0) continue;
    EXPECT_EQ(expect_sent(2), 4U) << flags;
  }
  EXPECT_NO_EVENT(active().request_evd()) << "the suppressed ones are silent";
  expect_nothing_posted();
}

// Rules: dat_ep_post_send.R23 dat_ep_post_send.R24 FLAGS.10 FLAGS.13 FLAGS.14 D-30
TEST_F(DatEpPostSend, FlagsThatAreRefused) {
  expect_flags_refused({0x04, 0x10, 0x20, 0x40, 0x11, 0x40000000}, [&](DAT_COMPLETION_FLAGS flags) {
    return post_send(active().ep(), {source.segment(0, 4)}, 1, flags);
  });
  expect_nothing_posted();
}

TEST_F(DatEpPostSend, R26TheListIsTheCallersAgain) {
  // While Send 1 waits for its Recv, Send 2 has not even started.
  constexpr std::size_t kLarge = 100'000;
  Buffer large_source = active().buffer(kLarge);
  Buffer large_sink = passive().buffer(kLarge);
  source.write(0, "the second");
  ASSERT_DAT_OK(post_send(active().ep(), {large_source.segment()}, 1));
  Segments segments{source.segment(0, 4), source.segment(4, 6)};
  ASSERT_DAT_OK(
      dat_ep_post_send(active().ep(), 2, segments.data(), cookie(2), DAT_COMPLETION_DEFAULT_FLAG));
  segments.assign(2, local_part(~source.lmr_context(), 0, 1));
  ASSERT_DAT_OK(post_recv(passive().ep(), {large_sink.segment()}, 3));
  recv(4);
  expect_received(3);
  EXPECT_EQ(expect_received(4), 10U);
  EXPECT_EQ(sink.text(0, 10), "the second");
  expect_sent(1);
  expect_sent(2);
}

// Tests of EPs whose attributes are not the defaults.

// Rules: CONV.3
TEST(DatEpPostSendAttributes, ArgumentsComeBeforeTheState) {
  PairOptions options;
  options.connected = false;
  ConnectedPair pair(options);
  Side& side = pair.active();
  Buffer mine = side.buffer(16);
  Buffer theirs = pair.passive().buffer(16);
  expect_segment_checks(side.ia(), side.pz(), kNoLocalRead,
                        [&](Segments segments) { return post_send(side.ep(), segments, 1); });
  EXPECT_DAT_ERROR(post_send(side.ep(), Segments(5, mine.segment()), 1), DAT_INVALID_PARAMETER,
                   DAT_INVALID_ARG2);
  EXPECT_DAT_TYPE(post_write(side.ep(), {mine.segment()}, theirs.remote(0, 15), 1),
                  DAT_LENGTH_ERROR);
  EXPECT_DAT_TYPE(post_read(side.ep(), {mine.segment(0, 15)}, theirs.remote(), 1),
                  DAT_LENGTH_ERROR);
  for (const DAT_RETURN status : {post_send(side.ep(), {mine.segment()}, 1),
                                  post_write(side.ep(), {mine.segment()}, theirs.remote(), 1),
                                  post_read(side.ep(), {mine.segment()}, theirs.remote(), 1)}) {
    EXPECT_DAT_ERROR(status, DAT_INVALID_STATE, DAT_INVALID_STATE_EP_UNCONNECTED);
  }
  const Ep without_zone = create_ep(side.ia(), DAT_HANDLE_NULL, side.recv_evd(), side.request_evd(),
                                    side.connect_evd());
  EXPECT_DAT_ERROR(post_send(without_zone, {mine.segment()}, 1), DAT_INVALID_STATE,
                   DAT_INVALID_STATE_EP_UNCONNECTED);
}

// Rules: dat_ep_post_send.R17 dat_ep_post_send.R25 D-29
TEST(DatEpPostSendAttributes, MaxMessageSize) {
  ConnectedPair pair(with_attributes([](DAT_EP_ATTR& a) { a.max_message_size = 32; }));
  Side& active = pair.active();
  Side& passive = pair.passive();
  Buffer source = active.buffer(64);
  Buffer sink = passive.buffer(64);
  source.fill(3);
  EXPECT_DAT_ERROR(post_send(active.ep(), {source.segment(0, 33)}, 1), DAT_INVALID_PARAMETER,
                   DAT_INVALID_ARG3);
  EXPECT_DAT_ERROR(post_send(active.ep(), {source.segment(0, 32), source.segment(0, 1)}, 1),
                   DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
  ASSERT_DAT_OK(post_recv(passive.ep(), {sink.segment()}, 2));
  ASSERT_DAT_OK(post_send(active.ep(), {source.segment(0, 20), source.segment(20, 12)}, 3));
  EXPECT_EQ(expect_dto(passive.recv_evd(), passive.ep(), 2), 32U);
  EXPECT_EQ(expect_dto(active.request_evd(), active.ep(), 3), 32U);
  EXPECT_TRUE(sink.holds(3, 0, 32));
}

void wait_until_requests_are_idle(DAT_EP_HANDLE ep) {
  DAT_BOOLEAN idle = DAT_FALSE;
  while (idle == DAT_FALSE) ASSERT_DAT_OK(dat_ep_get_status(ep, nullptr, nullptr, &idle));
}

// Rules: dat_ep_post_send.R18 DTO.10 DTO.17
TEST(DatEpPostSendAttributes, MaxRequestDtos) {
  ConnectedPair pair(with_attributes([](DAT_EP_ATTR& a) { a.max_request_dtos = 2; }));
  Side& active = pair.active();
  Side& passive = pair.passive();
  Buffer source = active.buffer(8);
  Buffer sink = passive.buffer(8);
  const auto send = [&](DAT_UINT64 number) {
    return post_send(active.ep(), {source.segment()}, number);
  };
  EXPECT_DAT_OK(send(1));
  EXPECT_DAT_OK(send(2));
  EXPECT_DAT_TYPE(send(3), DAT_INSUFFICIENT_RESOURCES);
  for (DAT_UINT64 i = 1; i <= 4; ++i) EXPECT_DAT_OK(post_recv(passive.ep(), {sink.segment()}, i));
  wait_until_requests_are_idle(active.ep());
  EXPECT_DAT_OK(send(4)) << "completed, though not reaped";
  EXPECT_DAT_OK(send(5));
  for (const DAT_UINT64 number : {1U, 2U, 4U, 5U}) {
    expect_dto(active.request_evd(), active.ep(), number);
  }
}

// Rules: DTO.11 DTO.12
TEST(DatEpPostSendAttributes, SuppressedSendsFreeTheirSlots) {
  ConnectedPair pair(with_attributes([](DAT_EP_ATTR& a) { a.max_request_dtos = 2; }));
  Side& active = pair.active();
  Side& passive = pair.passive();
  Buffer source = active.buffer(8);
  Buffer sink = passive.buffer(8);
  for (DAT_UINT64 i = 0; i < 12; ++i) {
    EXPECT_DAT_OK(post_recv(passive.ep(), {sink.segment()}, i));
  }
  for (DAT_UINT64 i = 0; i < 6; ++i) {
    EXPECT_DAT_OK(post_send(active.ep(), {source.segment()}, i, DAT_COMPLETION_SUPPRESS_FLAG));
    EXPECT_DAT_OK(post_send(active.ep(), {source.segment()}, 100 + i));
    expect_dto(active.request_evd(), active.ep(), 100 + i);
    // This completion means that the suppressed Send before it has ended, too: both slots are free
    // and both messages have arrived.
    DAT_BOOLEAN idle = DAT_FALSE;
    EXPECT_DAT_OK(dat_ep_get_status(active.ep(), nullptr, nullptr, &idle));
    EXPECT_EQ(idle, DAT_TRUE);
    expect_dto(passive.recv_evd(), passive.ep(), 2 * i);
    expect_dto(passive.recv_evd(), passive.ep(), 2 * i + 1);
  }
  EXPECT_NO_EVENT(active.request_evd());
}

// Rules: dat_ep_post_send.R19 DTO.13
TEST(DatEpPostSendAttributes, NoDtoEvds) {
  PairOptions options;
  options.active.evds = Evds::kNoDto;
  options.passive.evds = Evds::kNoDto;
  ConnectedPair pair(options);
  Side& active = pair.active();
  Side& passive = pair.passive();
  Buffer source = active.buffer(8);
  Buffer sink = passive.buffer(8);
  source.write(0, "silently");
  ASSERT_DAT_OK(post_recv(passive.ep(), {sink.segment()}, 1));
  ASSERT_DAT_OK(post_send(active.ep(), {source.segment()}, 2));
  wait_until_requests_are_idle(active.ep());
  DAT_BOOLEAN idle = DAT_FALSE;
  EXPECT_DAT_OK(dat_ep_get_status(passive.ep(), nullptr, &idle, nullptr));
  EXPECT_EQ(idle, DAT_TRUE);
  EXPECT_EQ(sink.text(0, 8), "silently");
  EXPECT_NO_EVENT(active.connect_evd());
  EXPECT_NO_EVENT(passive.connect_evd());
  EXPECT_NO_EVENT(async_evd_of(active.ia()));
}

// Rules: FLAGS.10 dat_ep_post_rdma_read.R15
TEST(DatEpPostSendAttributes, UnsignalledWhereTheEpAllowsIt) {
  ConnectedPair pair(with_attributes(
      [](DAT_EP_ATTR& a) { a.request_completion_flags = DAT_COMPLETION_UNSIGNALLED_FLAG; }));
  Side& active = pair.active();
  Side& passive = pair.passive();
  Buffer source = active.buffer(8);
  Buffer sink = passive.buffer(8);
  constexpr auto kUnsignalled = DAT_COMPLETION_UNSIGNALLED_FLAG;
  EXPECT_DAT_TYPE(post_recv(active.ep(), {source.segment()}, 1, kUnsignalled),
                  DAT_INVALID_PARAMETER)
      << "allowed for requests only";
  ASSERT_DAT_OK(post_recv(passive.ep(), {sink.segment()}, 1));
  EXPECT_DAT_OK(post_send(active.ep(), {source.segment()}, 2, kUnsignalled));
  EXPECT_DAT_OK(post_write(active.ep(), {source.segment()}, sink.remote(), 3, kUnsignalled));
  EXPECT_DAT_OK(post_read(active.ep(), {source.segment()}, sink.remote(), 4, kUnsignalled));
  for (DAT_UINT64 i = 2; i <= 4; ++i) poll_dto(active.request_evd(), active.ep(), i);
}

} // namespace
} // namespace datum::test
