// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat_ep_post_recv(3DAT). rule_ep_table.cc tests the states in which it may be called.
#include "each_kind.h"
#include "fixture.h"
#include "segment_checks.h"
#include "states.h"

namespace datum::test {
namespace {

class DatEpPostRecv : public Connected {
 protected:
  // Sends a message of these bytes, which takes the oldest Recv.
  void send(std::string_view text) {
    source.write(0, text);
    ASSERT_DAT_OK(post_send(active().ep(), {source.segment(0, text.size())}, 90));
    expect_dto(active().request_evd(), active().ep(), 90);
  }
  DAT_VLEN expect_received(DAT_UINT64 number) {
    return expect_dto(passive().recv_evd(), passive().ep(), number);
  }
  // A refused post has left no Recv behind: the next Recv is the only one.
  void expect_nothing_posted() {
    DAT_COUNT held = -1;
    EXPECT_DAT_OK(dat_ep_recv_query(passive().ep(), &held, nullptr));
    EXPECT_EQ(held, 0);
    ASSERT_DAT_OK(post_recv(passive().ep(), {sink.segment()}, 80));
    send("alone");
    EXPECT_EQ(expect_received(80), 5U);
    EXPECT_NO_EVENT(passive().recv_evd());
  }

  Buffer source = active().buffer(64);
  Buffer sink = passive().buffer(64);
};

// Rules: dat_ep_post_recv.R1 dat_ep_post_recv.R2 dat_ep_post_recv.R3
TEST_F(DatEpPostRecv, BadHandles) {
  expect_handle_checks(passive().ia(), DAT_HANDLE_TYPE_EP, [](DAT_HANDLE handle) {
    return dat_ep_post_recv(handle, 0, nullptr, cookie(1), DAT_COMPLETION_DEFAULT_FLAG);
  });
}

// Rules: dat_ep_post_recv.R5 dat_ep_post_recv.R6 dat_ep_post_recv.R7
TEST_F(DatEpPostRecv, NumbersOfSegments) {
  DAT_LMR_TRIPLET segment = sink.segment(0, 4);
  const auto post = [&](DAT_COUNT count, DAT_LMR_TRIPLET* segments) {
    return dat_ep_post_recv(passive().ep(), count, segments, cookie(1),
                            DAT_COMPLETION_DEFAULT_FLAG);
  };
  EXPECT_DAT_ERROR(post(-1, &segment), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
  EXPECT_DAT_ERROR(post(1, nullptr), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
  const auto most = static_cast<std::size_t>(query_ep(passive().ep()).ep_attr.max_recv_iov);
  EXPECT_DAT_ERROR(post_recv(passive().ep(), Segments(most + 1, segment), 1), DAT_INVALID_PARAMETER,
                   DAT_INVALID_ARG2);
  expect_nothing_posted();
  EXPECT_DAT_OK(post_recv(passive().ep(), Segments(most, segment), 1));
}

TEST_F(DatEpPostRecv, R8NoSegments) {
  ASSERT_DAT_OK(
      dat_ep_post_recv(passive().ep(), 0, nullptr, cookie(7), DAT_COMPLETION_DEFAULT_FLAG));
  send("");
  EXPECT_EQ(expect_received(7), 0U);
}

// Rules: dat_ep_post_recv.R9 dat_ep_post_recv.R10 dat_ep_post_recv.R11 dat_ep_post_recv.R12
// Rules: C-16 MEM.1
TEST_F(DatEpPostRecv, BadSegments) {
  expect_segment_checks(passive().ia(), passive().pz(), kNoLocalWrite,
                        [&](Segments segments) { return post_recv(passive().ep(), segments, 1); });
  expect_nothing_posted();
}

// Rules: C-16
TEST_F(DatEpPostRecv, LocalReadIsNotNeeded) {
  Buffer write_only = passive().buffer(16, any_value<DAT_MEM_PRIV_FLAGS>(0x10));
  ASSERT_DAT_OK(post_recv(passive().ep(), {write_only.segment()}, 1));
  send("arrives");
  EXPECT_EQ(expect_received(1), 7U);
  EXPECT_EQ(write_only.text(0, 7), "arrives");
}

// Rules: dat_ep_post_recv.R13 dat_ep_post_recv.R14 FLAGS.7 FLAGS.8 FLAGS.10 FLAGS.12 FLAGS.13
// Rules: FLAGS.14 FLAGS.15
TEST_F(DatEpPostRecv, FlagsThatAreRefused) {
  // The EP's recv flags are EVD_THRESHOLD, as dat_ep_create() chooses them.
  EXPECT_EQ(static_cast<int>(query_ep(passive().ep()).ep_attr.recv_completion_flags), 0x10);
  expect_flags_refused({0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40000000},
                       [&](DAT_COMPLETION_FLAGS flags) {
                         return post_recv(passive().ep(), {sink.segment()}, 1, flags);
                       });
  expect_nothing_posted();
}

// Rules: dat_ep_post_recv.R16 DTO.6
TEST_F(DatEpPostRecv, FrontSegmentsAreFilledFirst) {
  sink.write(0, std::string(64, '.'));
  const Segments segments{sink.segment(40, 4), sink.segment(0, 8), sink.segment(20, 8)};
  ASSERT_DAT_OK(post_recv(passive().ep(), segments, 1));
  send("abcdefg");
  EXPECT_EQ(expect_received(1), 7U);
  EXPECT_EQ(sink.text(0, 64), "efg....................................."
                              "abcd....................");
}

TEST_F(DatEpPostRecv, R20AnEmptySegmentMayHoldGarbage) {
  DAT_LMR_TRIPLET garbage = local_part(~sink.lmr_context(), ~DAT_VADDR{0}, 0);
  ASSERT_DAT_OK(
      post_recv(passive().ep(), {garbage, sink.segment(0, 4), garbage, sink.segment(4, 4)}, 1));
  send("frontend");
  EXPECT_EQ(expect_received(1), 8U);
  EXPECT_EQ(sink.text(0, 8), "frontend");
}

// Tests of EPs whose attributes are not the defaults.

// Rules: dat_ep_post_recv.R22 D-29
TEST(DatEpPostRecvAttributes, MaxMessageSize) {
  ConnectedPair pair(with_attributes({}, [](DAT_EP_ATTR& a) { a.max_message_size = 32; }));
  Buffer sink = pair.passive().buffer(64);
  EXPECT_DAT_ERROR(post_recv(pair.passive().ep(), {sink.segment(0, 33)}, 1), DAT_INVALID_PARAMETER,
                   DAT_INVALID_ARG3);
  EXPECT_DAT_ERROR(post_recv(pair.passive().ep(), {sink.segment(0, 32), sink.segment(32, 1)}, 1),
                   DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
  EXPECT_DAT_OK(post_recv(pair.passive().ep(), {sink.segment(0, 32)}, 1));
}

// Rules: dat_ep_post_recv.R15 DTO.9 DTO.17
TEST(DatEpPostRecvAttributes, MaxRecvDtos) {
  ConnectedPair pair(with_attributes({}, [](DAT_EP_ATTR& a) { a.max_recv_dtos = 2; }));
  Side& active = pair.active();
  Side& passive = pair.passive();
  Buffer source = active.buffer(8);
  Buffer sink = passive.buffer(8);
  const auto recv = [&](DAT_UINT64 number) {
    return post_recv(passive.ep(), {sink.segment()}, number);
  };
  EXPECT_DAT_OK(recv(1));
  EXPECT_DAT_OK(recv(2));
  EXPECT_DAT_TYPE(recv(3), DAT_INSUFFICIENT_RESOURCES);
  ASSERT_DAT_OK(post_send(active.ep(), {source.segment()}, 1));
  expect_dto(active.request_evd(), active.ep(), 1);
  EXPECT_DAT_OK(recv(4)) << "the first has completed, though nobody reaped it";
  EXPECT_DAT_TYPE(recv(5), DAT_INSUFFICIENT_RESOURCES);
  expect_dto(passive.recv_evd(), passive.ep(), 1);
}

// Rules: dat_ep_post_recv.R18 D-36
TEST(DatEpPostRecvAttributes, AnEpWithAnSrq) {
  PairOptions options;
  options.passive.srq_recvs = 4;
  ConnectedPair pair(options);
  Buffer sink = pair.passive().buffer(16);
  EXPECT_DAT_TYPE(post_recv(pair.passive().ep(), {sink.segment()}, 1), DAT_INVALID_STATE);
}

// Rules: dat_ep_post_recv.R19
TEST(DatEpPostRecvAttributes, AnEpWithoutZone) {
  const Ia ia = open_ia();
  const Pz pz = create_pz(ia);
  const Buffer sink(ia, pz, 16);
  const Evd evd = create_evd(ia, DAT_EVD_DTO_FLAG);
  const Ep ep = create_ep(ia, DAT_HANDLE_NULL, evd, DAT_HANDLE_NULL, DAT_HANDLE_NULL);
  EXPECT_DAT_TYPE(post_recv(ep, {sink.segment()}, 1), DAT_PROTECTION_VIOLATION);
}

// Rules: dat_ep_post_recv.R21
TEST(DatEpPostRecvAttributes, CompletionPending) {
  const auto staged = put_ep_in_state(DAT_EP_STATE_COMPLETION_PENDING);
  if (staged == nullptr) GTEST_SKIP() << "no way into this state on " << transport();
  Buffer sink = staged->side().buffer(16);
  ASSERT_DAT_OK(post_recv(staged->ep(), {sink.segment()}, 5));
  EXPECT_NO_EVENT(staged->side().recv_evd());
  staged->process().go_on();
  expect_event(staged->side().connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED);
  EXPECT_EQ(staged->process().ask("wait"), "0x04001");
  EXPECT_EQ(staged->process().ask("send early"), "sent");
  EXPECT_EQ(expect_dto(staged->side().recv_evd(), staged->ep(), 5), 5U);
  EXPECT_EQ(sink.text(0, 5), "early");
}

// A Recv posted in any state before the connection takes the first message that comes over it.
class DatEpPostRecvEarly : public testing::TestWithParam<DAT_EP_STATE> {
 protected:
  static void configure(EpInState& staged) {
    DAT_EP_PARAM param{};
    param.pz_handle = staged.side().pz();
    param.recv_evd_handle = staged.side().recv_evd();
    param.connect_evd_handle = staged.side().connect_evd();
    EXPECT_DAT_OK(dat_ep_modify(staged.ep(),
                                DAT_EP_FIELD_PZ_HANDLE | DAT_EP_FIELD_RECV_EVD_HANDLE |
                                    DAT_EP_FIELD_CONNECT_EVD_HANDLE,
                                &param));
  }

  // Takes the staged EP on to CONNECTED. Returns the side at the other end. In a state without a
  // peer, connect_to() creates the peer in `own`.
  static Side& connect_to(EpInState& staged, std::optional<Side>& own, DAT_IA_HANDLE other_ia) {
    switch (GetParam()) {
    case DAT_EP_STATE_PASSIVE_CONNECTION_PENDING:
    case DAT_EP_STATE_TENTATIVE_CONNECTION_PENDING:
      EXPECT_DAT_OK(accept(staged.cr(), DAT_HANDLE_NULL));
      expect_event(staged.peer().connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED);
      break;
    case DAT_EP_STATE_ACTIVE_CONNECTION_PENDING:
      EXPECT_DAT_OK(accept(staged.cr(), staged.peer().ep()));
      expect_event(staged.peer().connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED);
      break;
    case DAT_EP_STATE_RESERVED: {
      DAT_RSP_PARAM param{};
      EXPECT_DAT_OK(dat_rsp_query(staged.rsp(), DAT_RSP_FIELD_ALL, &param));
      own.emplace(other_ia);
      EXPECT_DAT_OK(connect(own->ep(), address_of(staged.ia()), param.conn_qual));
      Cr cr = expect_request(param.evd_handle);
      EXPECT_DAT_OK(accept(cr, DAT_HANDLE_NULL));
      expect_event(own->connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED);
      break;
    }
    default: {
      own.emplace(other_ia);
      EXPECT_DAT_OK(connect(own->ep(), staged.listener()));
      Cr cr = staged.listener().expect_request();
      EXPECT_DAT_OK(accept(cr, staged.ep()));
      expect_event(own->connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED);
      break;
    }
    }
    expect_event(staged.side().connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED);
    return own ? *own : staged.peer();
  }
};

// Rules: dat_ep_post_recv.R4 dat_ep_post_recv.R21
TEST_P(DatEpPostRecvEarly, TakesTheFirstMessage) {
  const auto staged = put_ep_in_state(GetParam());
  if (GetParam() == DAT_EP_STATE_TENTATIVE_CONNECTION_PENDING) configure(*staged);
  Buffer sink = staged->side().buffer(16);
  ASSERT_DAT_OK(post_recv(staged->ep(), {sink.segment()}, 5));
  EXPECT_NO_EVENT(staged->side().recv_evd());
  const Ia other_ia = open_ia();
  std::optional<Side> own;
  Side& sender = connect_to(*staged, own, other_ia);
  Buffer source = sender.buffer(16);
  source.write(0, "was early");
  ASSERT_DAT_OK(post_send(sender.ep(), {source.segment(0, 9)}, 6));
  EXPECT_EQ(expect_dto(staged->side().recv_evd(), staged->ep(), 5), 9U);
  expect_dto(sender.request_evd(), sender.ep(), 6);
  EXPECT_EQ(sink.text(0, 9), "was early");
  if (GetParam() == DAT_EP_STATE_TENTATIVE_CONNECTION_PENDING) {
    EXPECT_DAT_OK(dat_ep_free(staged->ep())) << "it is the consumer's now";
  }
}

INSTANTIATE_TEST_SUITE_P(States, DatEpPostRecvEarly,
                         testing::Values(DAT_EP_STATE_UNCONNECTED, DAT_EP_STATE_RESERVED,
                                         DAT_EP_STATE_PASSIVE_CONNECTION_PENDING,
                                         DAT_EP_STATE_TENTATIVE_CONNECTION_PENDING,
                                         DAT_EP_STATE_ACTIVE_CONNECTION_PENDING),
                         [](const auto& each) { return std::string(short_name(each.param)); });

} // namespace
} // namespace datum::test
