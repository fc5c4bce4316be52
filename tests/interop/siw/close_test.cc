// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// interop/siw: the end of a connection, by either side and in every way. What siw's rdma_cm calls
// the end is DISCONNECTED, whatever ended it.
#include "fixture.h"

namespace datum::siw {
namespace {

class SiwClose : public SiwConnected {
 protected:
  void expect_end(DAT_EVENT_NUMBER number = DAT_CONNECTION_EVENT_DISCONNECTED) {
    test::expect_connection_event(side.connect_evd(), number, side.ep());
  }

  test::Buffer buffer = side.buffer(std::size_t{1} << 20);
};

// Rules: SIW.16
TEST_P(SiwClose, GracefulDisconnect) {
  ASSERT_DAT_OK(dat_ep_disconnect(side.ep(), DAT_CLOSE_GRACEFUL_FLAG));
  expect_end();
  siw.expect_event("DISCONNECTED");
}

// Rules: SIW.17
TEST_P(SiwClose, GracefulDisconnectSendsWhatWasPosted) {
  buffer.fill(5);
  siw.must("recv 1 0 1048576");
  ASSERT_DAT_OK(test::post_send(side.ep(), {buffer.segment()}, 2));
  ASSERT_DAT_OK(dat_ep_disconnect(side.ep(), DAT_CLOSE_GRACEFUL_FLAG));
  siw.expect_done(1, 1048576);
  siw.must("check 0 1048576 5");
  test::expect_dto(side.request_evd(), side.ep(), 2);
  expect_end();
  siw.expect_event("DISCONNECTED");
}

// Rules: SIW.18
TEST_P(SiwClose, AbruptDisconnectFlushesOnBothSides) {
  siw.must("recv 1 0 16");
  ASSERT_DAT_OK(test::post_recv(side.ep(), {buffer.segment()}, 2));
  ASSERT_DAT_OK(dat_ep_disconnect(side.ep(), DAT_CLOSE_ABRUPT_FLAG));
  test::expect_dto(side.recv_evd(), side.ep(), 2, DAT_DTO_ERR_FLUSHED);
  expect_end();
  siw.expect_event("DISCONNECTED");
  siw.expect_failed(1, "Work Request Flushed Error");
}

// Rules: SIW.16
TEST_P(SiwClose, EndpointThatIsFreed) {
  side.ep().free();
  siw.expect_event("DISCONNECTED");
}

// Rules: SIW.19
TEST_P(SiwClose, DisconnectBySiw) {
  ASSERT_DAT_OK(test::post_recv(side.ep(), {buffer.segment()}, 2));
  siw.must("disconnect");
  test::expect_dto(side.recv_evd(), side.ep(), 2, DAT_DTO_ERR_FLUSHED);
  expect_end();
  siw.expect_event("DISCONNECTED");
}

// Rules: SIW.19
TEST_P(SiwClose, SendOfSiwArrivesBeforeItsDisconnect) {
  ASSERT_DAT_OK(test::post_recv(side.ep(), {buffer.segment()}, 2));
  siw.must("fill 0 65536 7");
  siw.must("send 1 0 65536");
  siw.expect_done(1, 65536);
  siw.must("disconnect");
  EXPECT_EQ(test::expect_dto(side.recv_evd(), side.ep(), 2), 65536U);
  EXPECT_TRUE(buffer.holds(7, 0, 65536));
  expect_end();
}

// Rules: SIW.19
TEST_P(SiwClose, QueuePairThatIsDestroyed) {
  siw.must("drop");
  expect_end();
}

// Rules: SIW.20
TEST_P(SiwClose, ProcessOfSiwThatDies) {
  siw.die();
  expect_end();
}

// Rules: SIW.21
TEST_P(SiwClose, BothDisconnect) {
  siw.must("disconnect");
  // Ours may come before or behind siw's end; either is one.
  EXPECT_DAT_OK(dat_ep_disconnect(side.ep(), DAT_CLOSE_ABRUPT_FLAG));
  expect_end();
  EXPECT_NO_EVENT(side.connect_evd());
  siw.expect_event("DISCONNECTED");
}

DATUM_SIW_BOTH_WAYS(SiwClose);

} // namespace
} // namespace datum::siw
