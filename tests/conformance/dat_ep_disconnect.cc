// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat_ep_disconnect(3DAT) of connections with work on them.
#include <barrier>
#include <thread>

#include "each_kind.h"
#include "fixture.h"
#include "names.h"
#include "states.h"

namespace datum::test {
namespace {

constexpr auto kFlushed = DAT_DTO_ERR_FLUSHED;

class DatEpDisconnect : public testing::Test {
 protected:
  Side& active() { return pair.active(); }
  Side& passive() { return pair.passive(); }

  DAT_RETURN disconnect_active(DAT_CLOSE_FLAGS flags) {
    return dat_ep_disconnect(active().ep(), flags);
  }
  void expect_disconnected(Side& side) {
    expect_connection_event(side.connect_evd(), kDisconnected, side.ep());
    EXPECT_EQ(ep_state(side.ep()), DAT_EP_STATE_DISCONNECTED);
  }

  ConnectedPair pair;
  Buffer source = active().buffer(64);
  Buffer sink = passive().buffer(64);
};

// Rules: dat_ep_disconnect.R1 dat_ep_disconnect.R2 dat_ep_disconnect.R3
TEST_F(DatEpDisconnect, BadHandles) {
  expect_handle_checks(pair.active_ia(), DAT_HANDLE_TYPE_EP, [](DAT_HANDLE handle) {
    return dat_ep_disconnect(handle, DAT_CLOSE_ABRUPT_FLAG);
  });
}

TEST_F(DatEpDisconnect, R4UnknownFlags) {
  for (const int flags : {2, 3, -1}) {
    EXPECT_DAT_ERROR(disconnect_active(any_value<DAT_CLOSE_FLAGS>(flags)), DAT_INVALID_PARAMETER,
                     DAT_INVALID_ARG2)
        << flags;
  }
  EXPECT_EQ(ep_state(active().ep()), DAT_EP_STATE_CONNECTED);
  EXPECT_NO_EVENT(active().connect_evd());
}

TEST_F(DatEpDisconnect, R5AbruptEndsBothSides) {
  ASSERT_DAT_OK(disconnect_active(DAT_CLOSE_ABRUPT_FLAG));
  expect_disconnected(active());
  expect_disconnected(passive());
  EXPECT_NO_EVENT(active().connect_evd());
  EXPECT_NO_EVENT(passive().connect_evd());
}

// Rules: dat_ep_disconnect.R12
TEST_F(DatEpDisconnect, OnceMoreDoesNothing) {
  pair.disconnect();
  EXPECT_DAT_OK(disconnect_active(DAT_CLOSE_ABRUPT_FLAG));
  EXPECT_DAT_OK(disconnect_active(DAT_CLOSE_GRACEFUL_FLAG));
  EXPECT_EQ(ep_state(active().ep()), DAT_EP_STATE_DISCONNECTED);
  EXPECT_NO_EVENT(active().connect_evd());
  EXPECT_NO_EVENT(passive().connect_evd());
}

// Rules: dat_ep_disconnect.R6 DISC.3 DISC.4 DISC.9
TEST_F(DatEpDisconnect, GracefulCarriesOutWhatWasPosted) {
  Buffer target = passive().buffer(16);
  Buffer fetched = active().buffer(16);
  source.fill(3);
  ASSERT_DAT_OK(post_recv(active().ep(), {fetched.segment()}, 9));
  for (DAT_UINT64 i = 1; i <= 2; ++i) {
    ASSERT_DAT_OK(post_send(active().ep(), {source.segment(0, 16)}, i));
  }
  ASSERT_DAT_OK(post_write(active().ep(), {source.segment(0, 16)}, target.remote(), 3));
  ASSERT_DAT_OK(post_read(active().ep(), {fetched.segment()}, target.remote(), 4));
  ASSERT_DAT_OK(disconnect_active(DAT_CLOSE_GRACEFUL_FLAG));
  // The Sends wait for Recvs of the peer, and the disconnect for the Sends.
  EXPECT_EQ(ep_state(active().ep()), DAT_EP_STATE_DISCONNECT_PENDING);
  DAT_EVENT event{};
  EXPECT_DAT_TYPE(dat_evd_dequeue(active().connect_evd(), &event), DAT_QUEUE_EMPTY);
  for (DAT_UINT64 i = 1; i <= 2; ++i) {
    ASSERT_DAT_OK(post_recv(passive().ep(), {sink.segment(16 * i, 16)}, i));
  }
  for (DAT_UINT64 i = 1; i <= 4; ++i) expect_dto(active().request_evd(), active().ep(), i);
  expect_dto(active().recv_evd(), active().ep(), 9, kFlushed);
  expect_disconnected(active());
  for (DAT_UINT64 i = 1; i <= 2; ++i) expect_dto(passive().recv_evd(), passive().ep(), i);
  expect_disconnected(passive());
  EXPECT_TRUE(target.holds(3, 0, 16));
  EXPECT_TRUE(fetched.holds(3, 0, 16));
}

TEST_F(DatEpDisconnect, R7WhatMayBePostedMeanwhile) {
  const auto staged = put_ep_in_state(DAT_EP_STATE_DISCONNECT_PENDING);
  Side& side = staged->side();
  Side& peer = staged->peer();
  Buffer mine = side.buffer(32);
  Buffer theirs = peer.buffer(32);
  const Rmr rmr = create_rmr(side.pz());
  for (const DAT_RETURN status :
       {post_send(staged->ep(), {mine.segment()}, 7),
        post_write(staged->ep(), {mine.segment()}, theirs.remote(), 7),
        post_read(staged->ep(), {mine.segment()}, theirs.remote(), 7),
        post_bind(staged->ep(), rmr, mine.segment(), DAT_MEM_PRIV_ALL_FLAG, 7, nullptr)}) {
    EXPECT_DAT_ERROR(status, DAT_INVALID_STATE, DAT_INVALID_STATE_EP_DISCPENDING);
  }
  // A message of the peer still finds its Recv.
  ASSERT_DAT_OK(post_recv(staged->ep(), {mine.segment()}, 8));
  theirs.write(0, "still there");
  ASSERT_DAT_OK(post_send(peer.ep(), {theirs.segment(0, 11)}, 9));
  EXPECT_EQ(expect_dto(side.recv_evd(), staged->ep(), 8), 11U);
  EXPECT_EQ(mine.text(0, 11), "still there");
  expect_dto(peer.request_evd(), peer.ep(), 9);
}

// Counts the completions that succeeded. All completions after the first failure must have failed.
int successes(DAT_EVD_HANDLE evd, int count) {
  int good = 0;
  for (int i = 0; i < count; ++i) {
    const DAT_EVENT event = expect_event(evd, DAT_DTO_COMPLETION_EVENT);
    const DAT_DTO_COMPLETION_EVENT_DATA& dto = event.event_data.dto_completion_event_data;
    EXPECT_EQ(dto.user_cookie.as_64, static_cast<DAT_UINT64>(i)) << "in posting order";
    if (dto.status == DAT_DTO_SUCCESS) {
      EXPECT_EQ(good, i) << "success after a failure";
      ++good;
    } else {
      EXPECT_EQ(dto.status, kFlushed);
    }
  }
  return good;
}

// Rules: DISC.1 DISC.2
TEST_F(DatEpDisconnect, AfterTheFirstFailureEverythingFails) {
  constexpr int kCount = 16;
  for (int round = 0; round < 30 && !HasFailure(); ++round) {
    for (DAT_UINT64 i = 0; i < kCount; ++i)
      ASSERT_DAT_OK(post_recv(passive().ep(), {sink.segment()}, i));
    for (DAT_UINT64 i = 0; i < kCount; ++i)
      ASSERT_DAT_OK(post_send(active().ep(), {source.segment()}, i));
    ASSERT_DAT_OK(disconnect_active(DAT_CLOSE_ABRUPT_FLAG));
    expect_disconnected(active());
    expect_disconnected(passive());
    const int sent = successes(active().request_evd(), kCount);
    const int received = successes(passive().recv_evd(), kCount);
    EXPECT_LE(sent, received) << "a Send that succeeded was received";
    ASSERT_DAT_OK(dat_ep_reset(active().ep()));
    ASSERT_DAT_OK(dat_ep_reset(passive().ep()));
    establish(active(), passive());
  }
}

// Rules: DISC.2 DISC.6
TEST(DatEpDisconnectOneEvd, TheEventComesBehindTheCompletions) {
  PairOptions options;
  options.active.evds = Evds::kOne;
  options.passive.evds = Evds::kOne;
  ConnectedPair pair(options);
  Side& active = pair.active();
  Side& passive = pair.passive();
  Buffer source = active.buffer(16);
  Buffer sink = passive.buffer(16);
  ASSERT_DAT_OK(post_recv(active.ep(), {source.segment()}, 1));
  ASSERT_DAT_OK(post_recv(active.ep(), {source.segment()}, 2));
  ASSERT_DAT_OK(post_recv(passive.ep(), {sink.segment()}, 3));
  ASSERT_DAT_OK(dat_ep_disconnect(active.ep(), DAT_CLOSE_ABRUPT_FLAG));
  expect_dto(active.connect_evd(), active.ep(), 1, kFlushed);
  expect_dto(active.connect_evd(), active.ep(), 2, kFlushed);
  expect_connection_event(active.connect_evd(), kDisconnected, active.ep());
  EXPECT_NO_EVENT(active.connect_evd());
  expect_dto(passive.connect_evd(), passive.ep(), 3, kFlushed);
  expect_connection_event(passive.connect_evd(), kDisconnected, passive.ep());
  EXPECT_NO_EVENT(passive.connect_evd());
}

// Rules: dat_ep_disconnect.R14 EPEVENT.13
TEST_F(DatEpDisconnect, BothSidesAtOnce) {
  for (int round = 0; round < 50 && !HasFailure(); ++round) {
    const DAT_CLOSE_FLAGS flags = round % 2 == 0 ? DAT_CLOSE_ABRUPT_FLAG : DAT_CLOSE_GRACEFUL_FLAG;
    std::barrier together(2);
    std::thread other([&] {
      together.arrive_and_wait();
      EXPECT_DAT_OK(dat_ep_disconnect(passive().ep(), flags));
    });
    together.arrive_and_wait();
    EXPECT_DAT_OK(disconnect_active(flags));
    other.join();
    expect_disconnected(active());
    expect_disconnected(passive());
    ASSERT_DAT_OK(dat_ep_reset(active().ep()));
    ASSERT_DAT_OK(dat_ep_reset(passive().ep()));
    establish(active(), passive()); // finds no second terminal event
  }
}

} // namespace
} // namespace datum::test
