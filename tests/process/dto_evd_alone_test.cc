// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The peer of a consumer is killed, and the consumer never takes an event from its connect EVD.
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "connected_peer.h"
#include "connection.h"
#include "two_processes.h"
#include "variable.h"

namespace datum::test {
namespace {

class DtoEvdAlone : public testing::TestWithParam<const char*>, protected ConnectedPeer {
 protected:
  static constexpr DAT_UINT64 kRequests = 6;

  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(connect());
    ASSERT_EQ(process_->ask("wait"), "0x04001");
    // The peer's message completes the connection. The event stays on the connect EVD.
    look_for_recvs_until_connected();
    ASSERT_TRUE(told_of(side_->ep(), "datum_path").starts_with(GetParam()));
  }
  // A single dequeue may not find what has arrived, so this dequeues until the EP is connected.
  void look_for_recvs_until_connected() {
    DAT_EP_STATE state = DAT_EP_STATE_COMPLETION_PENDING;
    while (state == DAT_EP_STATE_COMPLETION_PENDING) {
      EXPECT_NO_EVENT(side_->recv_evd());
      ASSERT_DAT_OK(dat_ep_get_status(side_->ep(), &state, nullptr, nullptr));
    }
    ASSERT_EQ(state, DAT_EP_STATE_CONNECTED);
  }
  // Posts Recvs and Sends. None completes, since the peer has no Recvs and sends nothing. The
  // completions of Sends with even numbers are suppressed.
  void post_all() {
    for (DAT_UINT64 i = 0; i < kRequests; ++i) {
      EXPECT_DAT_OK(post_recv(side_->ep(), {buffer_->segment()}, 100 + i));
      EXPECT_DAT_OK(
          post_send(side_->ep(), {buffer_->segment(0, 64)}, i,
                    i % 2 == 0 ? DAT_COMPLETION_SUPPRESS_FLAG : DAT_COMPLETION_DEFAULT_FLAG));
    }
  }
  void expect_none_ended() {
    EXPECT_NO_EVENT(side_->request_evd());
    EXPECT_NO_EVENT(side_->recv_evd());
  }

 private:
  const Variable transport_{"DATUM_TRANSPORT", GetParam()};
};

// Rules: ERR.14
TEST_P(DtoEvdAlone, WaitsAndHasAFailureForEachRequest) {
  post_all();
  expect_none_ended();
  process_->kill();
  for (DAT_UINT64 i = 0; i < kRequests; ++i)
    expect_dto(side_->request_evd(), side_->ep(), i, DAT_DTO_ERR_FLUSHED);
  for (DAT_UINT64 i = 0; i < kRequests; ++i)
    expect_dto(side_->recv_evd(), side_->ep(), 100 + i, DAT_DTO_ERR_FLUSHED);
}

// Rules: ERR.14
TEST_P(DtoEvdAlone, PollsAndHasAFailureForEachRequest) {
  post_all();
  expect_none_ended();
  process_->kill();
  for (DAT_UINT64 i = 0; i < kRequests; ++i)
    poll_dto(side_->request_evd(), side_->ep(), i, DAT_DTO_ERR_FLUSHED);
  for (DAT_UINT64 i = 0; i < kRequests; ++i)
    poll_dto(side_->recv_evd(), side_->ep(), 100 + i, DAT_DTO_ERR_FLUSHED);
}

// Requests that are posted after the death are flushed, too.
// Rules: ERR.14
TEST_P(DtoEvdAlone, PostsAfterTheDeath) {
  process_->kill();
  ASSERT_DAT_OK(post_recv(side_->ep(), {buffer_->segment()}, 1));
  expect_dto(side_->recv_evd(), side_->ep(), 1, DAT_DTO_ERR_FLUSHED);
  ASSERT_DAT_OK(post_send(side_->ep(), {buffer_->segment(0, 64)}, 2));
  expect_dto(side_->request_evd(), side_->ep(), 2, DAT_DTO_ERR_FLUSHED);
}

INSTANTIATE_TEST_SUITE_P(Ways, DtoEvdAlone, testing::Values("shm", "tcp"),
                         [](const auto& each) { return std::string(each.param); });

} // namespace
} // namespace datum::test
