// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat_ep_set_watermark(3DAT): when an EP has more Recvs than its soft mark, it causes an event;
// when it has more than its hard mark, its connection breaks.
#include "each_kind.h"
#include "fixture.h"
#include "names.h"

namespace datum::test {
namespace {

constexpr DAT_COUNT kInfinite = -1; // DAT_WATERMARK_INFINITE

class DatEpSetWatermark : public Conformance {
 protected:
  void SetUp() override {
    Conformance::SetUp();
    peer_ia = open_ia();
    side = std::make_unique<Side>(ia);
    peer = std::make_unique<Side>(peer_ia);
    buffer = std::make_unique<Buffer>(side->buffer(16));
    async = async_evd_of(ia);
  }
  void TearDown() override {
    side->ep().free();
    buffer.reset();
    side.reset();
    peer.reset();
  }

  DAT_RETURN set(DAT_COUNT soft, DAT_COUNT hard) {
    return dat_ep_set_watermark(side->ep(), soft, hard);
  }
  void post_recvs(int count) {
    for (int i = 0; i < count; ++i)
      ASSERT_DAT_OK(post_recv(side->ep(), {buffer->segment()}, posted++));
  }
  // A message of the peer takes one Recv.
  void take_one() {
    Buffer source = peer->buffer(16);
    ASSERT_DAT_OK(post_send(peer->ep(), {source.segment()}, 1));
    expect_dto(side->recv_evd(), side->ep(), taken++);
    expect_dto(peer->request_evd(), peer->ep(), 1);
  }
  void expect_soft_event() {
    const DAT_EVENT event = next_event(async);
    EXPECT_EQ(static_cast<int>(event.event_number), 0x8005);
    EXPECT_EQ(event.event_data.asynch_error_event_data.dat_handle, side->ep());
    EXPECT_EQ(event.event_data.asynch_error_event_data.reason, 2);
  }
  void expect_broken() {
    expect_connection_event(side->connect_evd(), kBroken, side->ep());
    expect_connection_event(peer->connect_evd(), kBroken, peer->ep());
    EXPECT_EQ(ep_state(side->ep()), DAT_EP_STATE_DISCONNECTED);
    for (; taken != posted; ++taken)
      expect_dto(side->recv_evd(), side->ep(), taken, DAT_DTO_ERR_FLUSHED);
  }

  Ia peer_ia;
  std::unique_ptr<Side> side;
  std::unique_ptr<Side> peer;
  std::unique_ptr<Buffer> buffer;
  DAT_EVD_HANDLE async = DAT_HANDLE_NULL;
  DAT_UINT64 posted = 0;
  DAT_UINT64 taken = 0;
};

// Rules: dat_ep_set_watermark.R1 dat_ep_set_watermark.R2 dat_ep_set_watermark.R3
TEST_F(DatEpSetWatermark, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_EP, [](DAT_HANDLE handle) {
    return dat_ep_set_watermark(handle, kInfinite, kInfinite);
  });
}

// Rules: dat_ep_set_watermark.R5 dat_ep_set_watermark.R6
TEST_F(DatEpSetWatermark, ValuesThatAreNoMark) {
  for (const DAT_COUNT bad : {0, -2, -100, -0x7fffffff - 1}) {
    EXPECT_DAT_ERROR(set(bad, kInfinite), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2) << bad;
    EXPECT_DAT_ERROR(set(kInfinite, bad), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3) << bad;
  }
}

// Rules: dat_ep_set_watermark.R7 dat_ep_set_watermark.R8 WM.4
TEST_F(DatEpSetWatermark, TheSoftMarkTellsOnce) {
  establish(*peer, *side);
  ASSERT_DAT_OK(set(2, kInfinite));
  post_recvs(2);
  EXPECT_NO_EVENT(async) << "reached, not exceeded";
  post_recvs(1);
  expect_soft_event();
  post_recvs(1);
  take_one();
  take_one();
  post_recvs(1); // exceeds it a second time
  EXPECT_NO_EVENT(async);
  EXPECT_NO_EVENT(side->connect_evd());
  EXPECT_EQ(ep_state(side->ep()), DAT_EP_STATE_CONNECTED);
}

// Rules: dat_ep_set_watermark.R10 dat_ep_set_watermark.R11
TEST_F(DatEpSetWatermark, TheCallArmsAgainAndMayFireAtOnce) {
  post_recvs(3);
  ASSERT_DAT_OK(set(3, kInfinite));
  EXPECT_NO_EVENT(async);
  ASSERT_DAT_OK(set(2, kInfinite));
  expect_soft_event();
  ASSERT_DAT_OK(set(2, kInfinite));
  expect_soft_event();
  ASSERT_DAT_OK(set(3, kInfinite));
  EXPECT_NO_EVENT(async);
  post_recvs(1);
  expect_soft_event();
}

// Rules: dat_ep_set_watermark.R9 WM.5
TEST_F(DatEpSetWatermark, TheHardMarkBreaksTheConnection) {
  establish(*peer, *side);
  ASSERT_DAT_OK(set(kInfinite, 2));
  post_recvs(2);
  EXPECT_NO_EVENT(side->connect_evd()) << "reached, not exceeded";
  post_recvs(1);
  expect_broken();
  EXPECT_NO_EVENT(side->connect_evd());
  EXPECT_NO_EVENT(async);
}

// Rules: dat_ep_set_watermark.R9
TEST_F(DatEpSetWatermark, TheHardMarkMayBreakInTheCall) {
  establish(*peer, *side);
  post_recvs(3);
  ASSERT_DAT_OK(set(kInfinite, 3));
  EXPECT_EQ(ep_state(side->ep()), DAT_EP_STATE_CONNECTED);
  ASSERT_DAT_OK(set(kInfinite, 2));
  expect_broken();
}

// Rules: dat_ep_set_watermark.R9 EPEVENT.13
TEST_F(DatEpSetWatermark, TheHardMarkWaitsForTheConnection) {
  ASSERT_DAT_OK(set(kInfinite, 2));
  post_recvs(3);
  EXPECT_EQ(ep_state(side->ep()), DAT_EP_STATE_UNCONNECTED);
  EXPECT_NO_EVENT(side->connect_evd());
  Listener listener(peer_ia);
  ASSERT_DAT_OK(connect(side->ep(), listener));
  Cr cr = listener.expect_request();
  ASSERT_DAT_OK(accept(cr, peer->ep()));
  expect_connection_event(side->connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, side->ep());
  expect_connection_event(peer->connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, peer->ep());
  expect_broken();
}

// Rules: dat_ep_set_watermark.R12 WM.6
TEST_F(DatEpSetWatermark, InfiniteDisablesBoth) {
  establish(*peer, *side);
  ASSERT_DAT_OK(set(1, 1));
  ASSERT_DAT_OK(set(kInfinite, kInfinite));
  post_recvs(16);
  EXPECT_NO_EVENT(async);
  EXPECT_NO_EVENT(side->connect_evd());
  EXPECT_EQ(ep_state(side->ep()), DAT_EP_STATE_CONNECTED);
}

// Rules: dat_ep_set_watermark.R13
TEST_F(DatEpSetWatermark, TheAttributePresetsTheSoftMark) {
  DAT_EP_ATTR attributes = default_attributes(ia);
  attributes.srq_soft_hw = 2;
  side->ep() = side->another_ep(&attributes);
  post_recvs(2);
  EXPECT_NO_EVENT(async);
  post_recvs(1);
  expect_soft_event();
}

} // namespace
} // namespace datum::test
