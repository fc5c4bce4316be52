// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Transfers that fail after they were posted: the completion that reports the error, and the end of
// the connection. rule_protection.cc tests the RDMA that a target refuses.
#include <cstring>

#include "fixture.h"
#include "registration.h"
#include "variable.h"

namespace datum::test {
namespace {

class RuleDtoErrors : public Connected {
 protected:
  void expect_broken() {
    for (Side* side : {&active(), &passive()}) {
      expect_connection_event(side->connect_evd(), DAT_CONNECTION_EVENT_BROKEN, side->ep());
      EXPECT_EQ(ep_state(side->ep()), DAT_EP_STATE_DISCONNECTED);
      EXPECT_NO_EVENT(side->connect_evd());
    }
  }
  void expect_request(DAT_UINT64 number, DAT_DTO_COMPLETION_STATUS status) {
    expect_dto(active().request_evd(), active().ep(), number, status);
  }
  void expect_recv(DAT_UINT64 number, DAT_DTO_COMPLETION_STATUS status) {
    expect_dto(passive().recv_evd(), passive().ep(), number, status);
  }
};

// kSmall goes in one piece. kTooLarge goes in many pieces, or is fetched.
constexpr std::size_t kSmall = 64;
constexpr std::size_t kTooLarge = 100'000;

// Rules: ERR.1 ERR.2 ERR.8 D-26
TEST_F(RuleDtoErrors, ASendLongerThanItsRecv) {
  for (const std::size_t size : {kSmall, kTooLarge}) {
    ConnectedPair own;
    Side& sender = own.active();
    Side& receiver = own.passive();
    Buffer source = sender.buffer(size);
    Buffer sink = receiver.buffer(size);
    ASSERT_DAT_OK(post_recv(receiver.ep(), {sink.segment(0, size - 1)}, 1));
    ASSERT_DAT_OK(post_recv(receiver.ep(), {sink.segment()}, 2));
    ASSERT_DAT_OK(post_send(sender.ep(), {source.segment()}, 3));
    expect_dto(receiver.recv_evd(), receiver.ep(), 1, DAT_DTO_ERR_LOCAL_LENGTH);
    expect_dto(receiver.recv_evd(), receiver.ep(), 2, DAT_DTO_ERR_FLUSHED);
    expect_dto(sender.request_evd(), sender.ep(), 3, DAT_DTO_ERR_REMOTE_RESPONDER);
    for (Side* side : {&sender, &receiver}) {
      expect_connection_event(side->connect_evd(), DAT_CONNECTION_EVENT_BROKEN, side->ep());
      EXPECT_EQ(ep_state(side->ep()), DAT_EP_STATE_DISCONNECTED);
    }
  }
}

struct StrictMode {
  const Variable strict{"DATUM_STRICT", "on"};
  const NoVariable unset{"DATUM_RNR_TIMEOUT"};
};
class RuleDtoErrorsInStrictMode : private StrictMode, public RuleDtoErrors {};

// Rules: ERR.3 ERR.8
TEST_F(RuleDtoErrorsInStrictMode, NoRecvInTime) {
  // Sends a large message on a second connection: a message that the receiver cannot keep whole
  // waits just as long.
  ConnectedPair second;
  Buffer large = second.active().buffer(kTooLarge);
  ASSERT_DAT_OK(post_send(second.active().ep(), {large.segment()}, 5));
  Buffer source = active().buffer(kSmall);
  ASSERT_DAT_OK(post_send(active().ep(), {source.segment()}, 1));
  ASSERT_DAT_OK(post_send(active().ep(), {source.segment()}, 2));
  Buffer theirs = passive().buffer(kSmall);
  ASSERT_DAT_OK(post_read(active().ep(), {source.segment()}, theirs.remote(), 3));
  expect_request(1, DAT_DTO_ERR_RECEIVER_NOT_READY);
  expect_request(2, DAT_DTO_ERR_FLUSHED);
  expect_request(3, DAT_DTO_ERR_FLUSHED); // the Read was carried out long ago
  expect_broken();
  expect_dto(second.active().request_evd(), second.active().ep(), 5,
             DAT_DTO_ERR_RECEIVER_NOT_READY);
  expect_event(second.active().connect_evd(), DAT_CONNECTION_EVENT_BROKEN);
  expect_event(second.passive().connect_evd(), DAT_CONNECTION_EVENT_BROKEN);
}

// Rules: ERR.8 ERR.13
TEST_F(RuleDtoErrors, WhatCompletedBeforeStaysSuccessful) {
  Buffer mine = active().buffer(kSmall);
  Buffer theirs = passive().buffer(kSmall);
  ASSERT_DAT_OK(post_recv(passive().ep(), {theirs.segment()}, 1));
  ASSERT_DAT_OK(post_recv(passive().ep(), {theirs.segment()}, 2));
  DAT_RMR_TRIPLET unknown = theirs.remote();
  unknown.rmr_context = ~unknown.rmr_context;
  ASSERT_DAT_OK(post_send(active().ep(), {mine.segment()}, 10));
  ASSERT_DAT_OK(post_write(active().ep(), {mine.segment()}, theirs.remote(), 11));
  ASSERT_DAT_OK(post_read(active().ep(), {mine.segment()}, theirs.remote(), 12));
  // All three have completed, and two of the completions are still in the queue. A request that is
  // under way when the fault is found might be flushed.
  DAT_EVENT first{};
  DAT_COUNT more = 0;
  ASSERT_DAT_OK(dat_evd_wait(active().request_evd(), kPatience, 3, &first, &more));
  EXPECT_EQ(first.event_data.dto_completion_event_data.user_cookie.as_64, 10U);
  EXPECT_EQ(first.event_data.dto_completion_event_data.status, DAT_DTO_SUCCESS);
  ASSERT_DAT_OK(post_write(active().ep(), {mine.segment()}, unknown, 13));
  ASSERT_DAT_OK(post_send(active().ep(), {mine.segment()}, 14));
  expect_request(11, DAT_DTO_SUCCESS);
  expect_request(12, DAT_DTO_SUCCESS);
  expect_request(13, DAT_DTO_ERR_REMOTE_ACCESS);
  expect_request(14, DAT_DTO_ERR_FLUSHED);
  expect_recv(1, DAT_DTO_SUCCESS);
  expect_recv(2, DAT_DTO_ERR_FLUSHED);
  expect_broken();
}

// Rules: PATH.2 ERR.13
TEST_F(RuleDtoErrors, AFaultBehindAMessageThatWaits) {
  Buffer mine = active().buffer(kSmall);
  Buffer theirs = passive().buffer(kSmall);
  DAT_RMR_TRIPLET unknown = theirs.remote();
  unknown.rmr_context = ~unknown.rmr_context;
  ASSERT_DAT_OK(post_send(active().ep(), {mine.segment()}, 1)); // without a Recv
  ASSERT_DAT_OK(post_write(active().ep(), {mine.segment()}, theirs.remote(), 2));
  ASSERT_DAT_OK(post_write(active().ep(), {mine.segment()}, unknown, 3));
  expect_request(1, DAT_DTO_ERR_FLUSHED);
  const DAT_EVENT second = next_event(active().request_evd());
  EXPECT_NE(second.event_data.dto_completion_event_data.status, DAT_DTO_ERR_REMOTE_ACCESS);
  expect_request(3, DAT_DTO_ERR_REMOTE_ACCESS);
  expect_broken();
}

// Rules: PATH.2 ERR.13
TEST_F(RuleDtoErrors, AFaultBehindAReadThatIsServed) {
  constexpr std::size_t kHuge = 8 << 20;
  Buffer mine = active().buffer(kHuge);
  Buffer theirs = passive().buffer(kHuge);
  DAT_RMR_TRIPLET unknown = theirs.remote(0, 8);
  unknown.rmr_context = ~unknown.rmr_context;
  ASSERT_DAT_OK(post_read(active().ep(), {mine.segment()}, theirs.remote(), 1));
  ASSERT_DAT_OK(post_read(active().ep(), {mine.segment()}, unknown, 2));
  const DAT_EVENT first = next_event(active().request_evd());
  EXPECT_NE(first.event_data.dto_completion_event_data.status, DAT_DTO_ERR_REMOTE_ACCESS);
  expect_request(2, DAT_DTO_ERR_REMOTE_ACCESS);
  expect_broken();
}

// Rules: ERR.9 D-27
TEST(RuleDtoErrorsOneEvd, ErrorThenFlushesThenBroken) {
  PairOptions options;
  options.active.evds = Evds::kOne;
  options.passive.evds = Evds::kOne;
  ConnectedPair pair(options);
  Side& active = pair.active();
  Side& passive = pair.passive();
  Buffer mine = active.buffer(kSmall);
  Buffer theirs = passive.buffer(kSmall);
  // Each side has a Send that waits for a Recv. The last call posts a Recv, which starts
  // everything.
  ASSERT_DAT_OK(post_send(active.ep(), {mine.segment()}, 10));
  ASSERT_DAT_OK(post_send(active.ep(), {mine.segment()}, 11));
  ASSERT_DAT_OK(post_send(passive.ep(), {theirs.segment()}, 20));
  ASSERT_DAT_OK(post_recv(passive.ep(), {theirs.segment(0, 8)}, 2)); // too short for Send 10
  const DAT_EVD_HANDLE active_evd = active.recv_evd();
  const DAT_EVD_HANDLE passive_evd = passive.recv_evd();
  expect_dto(passive_evd, passive.ep(), 2, DAT_DTO_ERR_LOCAL_LENGTH);
  expect_dto(passive_evd, passive.ep(), 20, DAT_DTO_ERR_FLUSHED);
  expect_connection_event(passive_evd, DAT_CONNECTION_EVENT_BROKEN, passive.ep());
  expect_dto(active_evd, active.ep(), 10, DAT_DTO_ERR_REMOTE_RESPONDER);
  expect_dto(active_evd, active.ep(), 11, DAT_DTO_ERR_FLUSHED);
  expect_connection_event(active_evd, DAT_CONNECTION_EVENT_BROKEN, active.ep());
  EXPECT_NO_EVENT(active_evd);
  EXPECT_NO_EVENT(passive_evd);
}

// Rules: ERR.10 FLAGS.6
TEST_F(RuleDtoErrors, ASuppressedRequestThatFailsHasAnEvent) {
  Buffer mine = active().buffer(kSmall);
  Buffer theirs = passive().buffer(kSmall);
  DAT_RMR_TRIPLET unknown = theirs.remote();
  unknown.rmr_context = ~unknown.rmr_context;
  ASSERT_DAT_OK(post_write(active().ep(), {mine.segment()}, theirs.remote(), 1,
                           DAT_COMPLETION_SUPPRESS_FLAG));
  ASSERT_DAT_OK(
      post_write(active().ep(), {mine.segment()}, unknown, 2, DAT_COMPLETION_SUPPRESS_FLAG));
  expect_request(2, DAT_DTO_ERR_REMOTE_ACCESS);
  expect_broken();
}

// Rules: dat_lmr_free.R10 ERR.5
TEST_F(RuleDtoErrors, TheMemoryOfARecvIsGone) {
  Buffer source = active().buffer(kSmall);
  Buffer sink = passive().buffer(kSmall);
  sink.fill(7);
  ASSERT_DAT_OK(post_recv(passive().ep(), {sink.segment()}, 1));
  sink.lmr().free();
  ASSERT_DAT_OK(post_send(active().ep(), {source.segment()}, 2));
  expect_recv(1, DAT_DTO_ERR_LOCAL_PROTECTION);
  EXPECT_TRUE(sink.holds(7, 0, kSmall)) << "not touched any more";
  const DAT_EVENT event = next_event(active().request_evd());
  EXPECT_NE(event.event_data.dto_completion_event_data.status, DAT_DTO_SUCCESS);
  expect_broken();
}

// A request that has to wait for its turn. Its memory goes away meanwhile.
class RuleDtoErrorsMemory : public RuleDtoErrors, public testing::WithParamInterface<const char*> {
 protected:
  DAT_RETURN post(const DAT_LMR_TRIPLET& segment, const DAT_RMR_TRIPLET& remote) {
    const std::string kind = GetParam();
    if (kind == "Send") return post_send(active().ep(), {segment}, 2);
    if (kind == "Write") return post_write(active().ep(), {segment}, remote, 2);
    return post_read(active().ep(), {segment}, remote, 2);
  }
};

// Rules: dat_lmr_free.R11 ERR.5
TEST_F(RuleDtoErrors, TheMemoryOfAllThatIsUnderWayIsGone) {
  Buffer source = active().buffer(more_than_is_held());
  Buffer sink = passive().buffer(more_than_is_held());
  for (DAT_UINT64 i = 1; i <= 3; ++i) {
    ASSERT_DAT_OK(post_send(active().ep(), {source.segment()}, i)); // wait for a Recv
  }
  source.lmr().free();
  for (DAT_UINT64 i = 1; i <= 3; ++i) {
    ASSERT_DAT_OK(post_recv(passive().ep(), {sink.segment()}, i));
  }
  expect_request(1, DAT_DTO_ERR_LOCAL_PROTECTION);
  expect_request(2, DAT_DTO_ERR_FLUSHED);
  expect_request(3, DAT_DTO_ERR_FLUSHED);
  EXPECT_NO_EVENT(active().request_evd());
  expect_broken();
}

// Chance decides how many Writes have been carried out when the memory is freed. Some succeed, the
// next one reports the error, and all later ones are flushed.
// Rules: dat_lmr_free.R11 ERR.5
TEST_F(RuleDtoErrors, TheMemoryIsGoneWhileItIsWritten) {
  constexpr DAT_UINT64 kWrites = 4;
  constexpr std::size_t kLarge = 64UL * 1024 * 1024;
  Buffer source = active().buffer(kLarge);
  Buffer target = passive().buffer(kLarge);
  for (DAT_UINT64 i = 0; i < kWrites; ++i) {
    ASSERT_DAT_OK(post_write(active().ep(), {source.segment()}, target.remote(), i));
  }
  source.lmr().free();
  DAT_DTO_COMPLETION_STATUS before = DAT_DTO_SUCCESS;
  for (DAT_UINT64 i = 0; i < kWrites; ++i) {
    const DAT_EVENT event = next_event(active().request_evd());
    const DAT_DTO_COMPLETION_EVENT_DATA& dto = event.event_data.dto_completion_event_data;
    EXPECT_EQ(dto.user_cookie.as_64, i);
    if (before == DAT_DTO_SUCCESS)
      EXPECT_TRUE(dto.status == DAT_DTO_SUCCESS || dto.status == DAT_DTO_ERR_LOCAL_PROTECTION)
          << i << ": " << dto.status;
    else
      EXPECT_EQ(dto.status, DAT_DTO_ERR_FLUSHED) << i;
    before = dto.status;
  }
}

// Rules: dat_lmr_free.R11 ERR.5 ERR.8
TEST_P(RuleDtoErrorsMemory, IsGoneWhenItsTurnComes) {
  Buffer first = active().buffer(more_than_is_held());
  Buffer sink = passive().buffer(more_than_is_held());
  Buffer target = passive().buffer(kSmall);
  Pages pages = Pages::private_memory(1);
  Registration r(active().ia(), active().pz(), pages.data(), kSmall);
  ASSERT_DAT_OK(r.create());
  const DAT_LMR_TRIPLET segment =
      local_part(r.lmr_context, reinterpret_cast<DAT_VADDR>(pages.data()), kSmall);
  ASSERT_DAT_OK(post_send(active().ep(), {first.segment()}, 1)); // waits for a Recv
  ASSERT_DAT_OK(post(segment, target.remote()));
  ASSERT_DAT_OK(post_send(active().ep(), {first.segment(0, 8)}, 3));
  r.lmr.free();
  pages.unmap_from(0);
  target.fill(7);
  ASSERT_DAT_OK(post_recv(passive().ep(), {sink.segment()}, 8));
  ASSERT_DAT_OK(post_recv(passive().ep(), {sink.segment()}, 9));
  expect_request(1, DAT_DTO_SUCCESS);
  expect_request(2, DAT_DTO_ERR_LOCAL_PROTECTION);
  expect_request(3, DAT_DTO_ERR_FLUSHED);
  expect_recv(8, DAT_DTO_SUCCESS);
  expect_recv(9, DAT_DTO_ERR_FLUSHED);
  EXPECT_TRUE(target.holds(7, 0, kSmall));
  expect_broken();
}

INSTANTIATE_TEST_SUITE_P(Requests, RuleDtoErrorsMemory, testing::Values("Send", "Write", "Read"),
                         [](const auto& each) { return std::string(each.param); });

} // namespace
} // namespace datum::test
