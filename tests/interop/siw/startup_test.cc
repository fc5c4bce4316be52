// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// interop/siw: connections with siw that are established, connections that are refused, and private
// data.
#include "fixture.h"

namespace datum::siw {
namespace {

// rdma_cm has 8 bits for the length of private data, which includes 4 octets of siw's own.
constexpr std::size_t kMostForSiw = 251;

std::string private_data(std::size_t length) {
  std::string data;
  for (std::size_t i = 0; i < length; ++i) data += static_cast<char>(i * 3 + length);
  return data;
}

class SiwPrivateData : public SiwTest, public testing::WithParamInterface<std::size_t> {};

// Rules: SIW.1
TEST_P(SiwPrivateData, TravelsBothWaysWhenWeConnect) {
  connect_to_siw(private_data(GetParam()), private_data(GetParam()));
}

// Rules: SIW.1
TEST_P(SiwPrivateData, TravelsBothWaysWhenSiwConnects) {
  connect_from_siw(private_data(GetParam()), private_data(GetParam()));
}

// Rules: SIW.2
TEST_P(SiwPrivateData, ComesToSiwWithOurReject) {
  test::Listener listener(ia);
  siw.must("connect " + own_address() + ' ' + std::to_string(listener.qualifier()) + " 1 -");
  test::Cr cr = listener.expect_request();
  std::string why = private_data(GetParam());
  EXPECT_DAT_OK(dat_cr_reject(cr.release(), static_cast<DAT_COUNT>(why.size()), why.data()));
  EXPECT_EQ(siw.expect_event("REJECTED"), why);
}

// Rules: SIW.3
TEST_P(SiwPrivateData, OfSiwsRejectIsTaken) {
  const std::uint16_t port = free_port();
  siw.must("listen " + siw_address() + ' ' + std::to_string(port));
  ASSERT_DAT_OK(test::connect(side.ep(), address(), port, "may I"));
  EXPECT_EQ(siw.expect_event("CONNECT_REQUEST"), "may I");
  siw.must("reject " + hexadecimal(private_data(GetParam())));
  const auto refused = test::expect_connection_event(side.connect_evd(),
                                                     DAT_CONNECTION_EVENT_PEER_REJECTED, side.ep());
  EXPECT_EQ(test::reply_data(refused), private_data(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Length, SiwPrivateData, testing::Values(0, 1, 48, kMostForSiw));

using SiwStartup = SiwTest;

// Rules: SIW.4
TEST_F(SiwStartup, NobodyListensOnSiwsSide) {
  ASSERT_DAT_OK(test::connect(side.ep(), address(), free_port()));
  test::expect_connection_event(side.connect_evd(), DAT_CONNECTION_EVENT_NON_PEER_REJECTED,
                                side.ep());
}

// Rules: SIW.5
TEST_F(SiwStartup, NobodyListensOnOurSide) {
  DAT_CONN_QUAL gone = 0;
  {
    const test::Listener listener(ia);
    gone = listener.qualifier();
  }
  // siw's rdma_connect() waits for TCP, so the call itself reports the refusal.
  const std::string order = "connect " + own_address() + ' ' + std::to_string(gone) + " 1 -";
  siw.expect(order, "error: " + order + ": rdma_connect: Connection refused");
}

// Rules: SIW.6
TEST_F(SiwStartup, SiwTakesNoDecision) {
  const std::uint16_t port = free_port();
  siw.must("listen " + siw_address() + ' ' + std::to_string(port));
  ASSERT_DAT_OK(test::connect(side.ep(), address(), port, "", 1'000'000));
  siw.expect_event("CONNECT_REQUEST");
  test::expect_connection_event(side.connect_evd(), DAT_CONNECTION_EVENT_TIMED_OUT, side.ep());
}

// Rules: SIW.7
TEST_F(SiwStartup, ProcessOfSiwDiesBeforeItsDecision) {
  const std::uint16_t port = free_port();
  siw.must("listen " + siw_address() + ' ' + std::to_string(port));
  ASSERT_DAT_OK(test::connect(side.ep(), address(), port));
  siw.expect_event("CONNECT_REQUEST");
  siw.die();
  test::expect_connection_event(side.connect_evd(), DAT_CONNECTION_EVENT_PEER_REJECTED, side.ep());
}

// Rules: SIW.8 SIW.30
TEST_F(SiwStartup, EndpointConnectsToSiwAgainAfterReset) {
  for (int round = 0; round < 10; ++round) {
    connect_to_siw("again", "yes");
    ASSERT_DAT_OK(dat_ep_disconnect(side.ep(), DAT_CLOSE_ABRUPT_FLAG));
    test::expect_connection_event(side.connect_evd(), DAT_CONNECTION_EVENT_DISCONNECTED, side.ep());
    siw.expect_event("DISCONNECTED");
    siw.must("drop");
    siw.must("unlisten");
    ASSERT_DAT_OK(dat_ep_reset(side.ep()));
  }
}

// The responder may not send first (RFC 5044 section 7.1). siw as the initiator neither allows the
// responder to send first (RFC 6581, A) nor sends anything by itself.
// Rules: SIW.9
TEST_F(SiwStartup, OurSendsWaitUntilSiwHasSpoken) {
  connect_from_siw();
  test::Buffer buffer = side.buffer(16);
  siw.must("recv 1 0 16");
  ASSERT_DAT_OK(test::post_send(side.ep(), {buffer.segment()}, 2));
  EXPECT_NO_EVENT(side.request_evd());
  siw.expect("done 50", "nothing");
  siw.must("write 3 0 0 1 0");
  test::expect_dto(side.request_evd(), side.ep(), 2);
}

// siw's consumer sends nothing. A Send of ours still ends, since our side finds out that siw is a
// foreign peer.
class SiwSilent : public SiwTest {
 protected:
  void expect_that_a_send_ends() {
    test::Buffer buffer = side.buffer(16);
    siw.must("recv 1 0 16");
    ASSERT_DAT_OK(test::post_send(side.ep(), {buffer.segment()}, 2));
    siw.expect_done(1, 16);
    expect_dto(side.request_evd(), 2, 16);
    EXPECT_NO_EVENT(side.connect_evd());
  }
};

// Rules: SIW.42
TEST_F(SiwSilent, AnswersAReadOfNothing) {
  connect_to_siw();
  expect_that_a_send_ends();
}

// siw serves as many Reads as our request asks for, whatever its consumer says. Our side asks for
// one Read even if no consumer wants Reads, so that it can send the question.
// Rules: SIW.42
TEST_F(SiwSilent, AnswersItAlsoWhereNeitherConsumerWantsReads) {
  DAT_EP_PARAM none{};
  ASSERT_DAT_OK(dat_ep_modify(side.ep(), DAT_EP_FIELD_EP_ATTR_MAX_RDMA_READ_OUT, &none));
  connect_to_siw({}, {}, 0);
  expect_that_a_send_ends();
}

} // namespace
} // namespace datum::siw
