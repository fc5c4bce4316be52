// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// interop/siw: the end of a connection, by either side and in every way. siw's rdma_cm reports
// every end as DISCONNECTED.
#include "../../conformance/harness/variable.h"
#include "fixture.h"

namespace datum::siw {
namespace {

class SiwClose : public SiwConnected {
 protected:
  static constexpr std::size_t kPiece = 65536;
  static constexpr int kRounds = 8;
  static constexpr int kRequests = 3 * kRounds;

  void expect_end(DAT_EVENT_NUMBER number = DAT_CONNECTION_EVENT_DISCONNECTED) {
    test::expect_connection_event(side.connect_evd(), number, side.ep());
  }

  // Posts a Write, a Read and a Send in turns. siw has a receive for each Send.
  void post_requests() {
    const Remote remote = siw.memory();
    const DAT_RMR_TRIPLET there = test::remote_part(remote.stag, remote.address, kPiece);
    const DAT_LMR_TRIPLET source = buffer.segment(0, kPiece);
    const DAT_LMR_TRIPLET sink = buffer.segment(kPiece, kPiece);
    for (int i = 0; i < kRounds; ++i) siw.must("recv " + std::to_string(i) + " 65536 65536");
    for (DAT_UINT64 cookie = 0; cookie < kRequests; cookie += 3) {
      ASSERT_DAT_OK(test::post_write(side.ep(), {source}, there, cookie));
      ASSERT_DAT_OK(test::post_read(side.ep(), {sink}, there, cookie + 1));
      ASSERT_DAT_OK(test::post_send(side.ep(), {source}, cookie + 2));
    }
  }

  // Each of these requests must complete once and in order: some with success, then the rest as
  // flushed.
  void expect_requests_end() {
    bool flushed = false;
    for (DAT_UINT64 cookie = 0; cookie < kRequests; ++cookie) {
      const DAT_EVENT event = test::next_event(side.request_evd());
      ASSERT_EQ(event.event_number, DAT_DTO_COMPLETION_EVENT);
      const DAT_DTO_COMPLETION_EVENT_DATA& dto = event.event_data.dto_completion_event_data;
      EXPECT_EQ(dto.user_cookie.as_64, cookie);
      flushed = flushed || dto.status == DAT_DTO_ERR_FLUSHED;
      EXPECT_EQ(dto.status, flushed ? DAT_DTO_ERR_FLUSHED : DAT_DTO_SUCCESS) << cookie;
    }
  }

  // siw's receives must complete in the same way.
  void expect_receives_of_siw_end() {
    bool flushed = false;
    for (int i = 0; i < kRounds; ++i) {
      const std::string done = siw.ask("done 10000");
      const std::string cookie = std::to_string(i);
      flushed = flushed || done.ends_with("Work Request Flushed Error");
      if (flushed) {
        EXPECT_TRUE(done.starts_with(cookie + ' ')) << done;
        EXPECT_TRUE(done.ends_with("Work Request Flushed Error")) << done;
      } else {
        EXPECT_EQ(done, cookie + " 65536 success");
      }
    }
  }

  // siw posts Sends, for which we have Recvs, and Reads, which we serve. Then it ends the
  // connection in that way.
  void end_by_siw_with_its_requests(const std::string& way) {
    const std::string ours =
        ' ' + std::to_string(buffer.rmr_context()) + ' ' + std::to_string(buffer.address());
    for (DAT_UINT64 i = 0; i < kRounds; ++i) {
      ASSERT_DAT_OK(test::post_recv(side.ep(), {buffer.segment(kPiece, kPiece)}, i));
      siw.must("send 1 0 65536");
      siw.must("read 2 65536 65536" + ours);
    }
    const std::uint64_t sent = siw.end_by(way);
    const std::uint64_t received = expect_receives_end();
    // siw may have stopped within a message. If its socket then holds an unread answer of ours, its
    // end becomes a reset. A reset discards what is on its way.
    const bool in_order = expect_either_end() == DAT_CONNECTION_EVENT_DISCONNECTED;
    if (in_order) {
      EXPECT_GE(received, sent);
    }
    EXPECT_NO_EVENT(side.connect_evd());
  }

  // Returns how many Recvs completed with success.
  std::uint64_t expect_receives_end() {
    std::uint64_t received = 0;
    bool flushed = false;
    for (DAT_UINT64 i = 0; i < kRounds; ++i) {
      const DAT_EVENT event = test::next_event(side.recv_evd());
      const DAT_DTO_COMPLETION_EVENT_DATA& dto = event.event_data.dto_completion_event_data;
      EXPECT_EQ(dto.user_cookie.as_64, i);
      flushed = flushed || dto.status == DAT_DTO_ERR_FLUSHED;
      EXPECT_EQ(dto.status, flushed ? DAT_DTO_ERR_FLUSHED : DAT_DTO_SUCCESS) << i;
      if (!flushed) ++received;
    }
    return received;
  }

  DAT_EVENT_NUMBER expect_either_end() {
    const DAT_EVENT end = test::next_event(side.connect_evd());
    EXPECT_TRUE(end.event_number == DAT_CONNECTION_EVENT_DISCONNECTED ||
                end.event_number == DAT_CONNECTION_EVENT_BROKEN)
        << std::hex << end.event_number;
    return end.event_number;
  }

  void disconnect_on_both_sides(DAT_CLOSE_FLAGS flags) {
    siw.begin("disconnect");
    EXPECT_DAT_OK(dat_ep_disconnect(side.ep(), flags));
    const std::string answer = siw.answer(); // an error if siw has seen our end first
    EXPECT_TRUE(answer == "ok" || answer.starts_with("error: disconnect")) << answer;
    expect_end();
    EXPECT_NO_EVENT(side.connect_evd());
    siw.expect_event("DISCONNECTED");
    siw.expect("event 0", "nothing");
  }

  void close_ia_at_once() {
    EXPECT_DAT_OK(dat_ia_close(ia.release(), DAT_CLOSE_ABRUPT_FLAG));
    buffer.lmr().release();
    side.give_up();
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
  siw.expect_flushed(1);
}

// Rules: SIW.17
TEST_P(SiwClose, GracefulDisconnectBehindRequests) {
  post_requests();
  ASSERT_DAT_OK(dat_ep_disconnect(side.ep(), DAT_CLOSE_GRACEFUL_FLAG));
  for (DAT_UINT64 cookie = 0; cookie < kRequests; ++cookie)
    expect_dto(side.request_evd(), cookie, kPiece);
  for (std::uint64_t i = 0; i < kRounds; ++i) siw.expect_done(i, kPiece);
  expect_end();
  siw.expect_event("DISCONNECTED");
}

// Rules: SIW.32
TEST_P(SiwClose, AbruptDisconnectWithRequestsOutstanding) {
  post_requests();
  ASSERT_DAT_OK(dat_ep_disconnect(side.ep(), DAT_CLOSE_ABRUPT_FLAG));
  expect_requests_end();
  expect_end();
  siw.expect_event("DISCONNECTED");
  expect_receives_of_siw_end();
}

// Rules: SIW.32
TEST_P(SiwClose, EndpointThatIsFreedWithRequestsOutstanding) {
  post_requests();
  side.ep().free();
  siw.expect_event("DISCONNECTED");
  expect_receives_of_siw_end();
}

// Rules: SIW.33
TEST_P(SiwClose, AbruptCloseOfTheIa) {
  siw.must("recv 1 0 16");
  ASSERT_DAT_OK(test::post_recv(side.ep(), {buffer.segment()}, 2));
  close_ia_at_once();
  siw.expect_event("DISCONNECTED");
  siw.expect_flushed(1);
}

// Rules: SIW.33
TEST_P(SiwClose, AbruptCloseOfTheIaWithRequestsOutstanding) {
  post_requests();
  close_ia_at_once();
  siw.expect_event("DISCONNECTED");
  expect_receives_of_siw_end();
}

// Rules: SIW.34
TEST_P(SiwClose, GracefulCloseOfTheIaIsRefusedWhileTheEndpointIsThere) {
  EXPECT_EQ(DAT_GET_TYPE(dat_ia_close(ia, DAT_CLOSE_GRACEFUL_FLAG)), DAT_INVALID_STATE);
  siw.must("recv 1 0 64");
  ASSERT_DAT_OK(test::post_send(side.ep(), {buffer.segment(0, 64)}, 2));
  siw.expect_done(1, 64);
  expect_dto(side.request_evd(), 2, 64);
  side.ep().free();
  siw.expect_event("DISCONNECTED"); // after the test, the fixture closes the IA gracefully
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

// Rules: SIW.35
TEST_P(SiwClose, DisconnectBySiwWithItsRequestsOutstanding) {
  end_by_siw_with_its_requests("disconnect");
  siw.expect_event("DISCONNECTED");
}

// Rules: SIW.35
TEST_P(SiwClose, ErrorStateOfSiwWithItsRequestsOutstanding) {
  end_by_siw_with_its_requests("abort");
  siw.expect_event("DISCONNECTED");
}

// Rules: SIW.35
TEST_P(SiwClose, QueuePairThatIsDestroyedWithItsRequestsOutstanding) {
  end_by_siw_with_its_requests("drop");
}

// Rules: SIW.35
TEST_P(SiwClose, ProcessOfSiwThatDiesWithItsRequestsOutstanding) {
  end_by_siw_with_its_requests("die");
}

// Rules: SIW.19
TEST_P(SiwClose, QueuePairOfSiwInItsErrorState) {
  siw.must("recv 1 0 16");
  ASSERT_DAT_OK(test::post_recv(side.ep(), {buffer.segment()}, 2));
  siw.must("abort");
  test::expect_dto(side.recv_evd(), side.ep(), 2, DAT_DTO_ERR_FLUSHED);
  expect_end();
  siw.expect_event("DISCONNECTED");
  siw.expect_flushed(1);
}

// Either process may call first. In both cases each side gets one event.
// Rules: SIW.21
TEST_P(SiwClose, BothDisconnectAtOnceWeAbruptly) {
  disconnect_on_both_sides(DAT_CLOSE_ABRUPT_FLAG);
}

// Rules: SIW.21
TEST_P(SiwClose, BothDisconnectAtOnceWeGracefully) {
  disconnect_on_both_sides(DAT_CLOSE_GRACEFUL_FLAG);
}

// Rules: SIW.21
TEST_P(SiwClose, BothDisconnectAtOnceWithRequestsOutstanding) {
  post_requests();
  siw.begin("disconnect");
  EXPECT_DAT_OK(dat_ep_disconnect(side.ep(), DAT_CLOSE_ABRUPT_FLAG));
  siw.answer();
  expect_requests_end();
  // On a busy host siw's end may come first. With Reads outstanding it is not an orderly end.
  expect_either_end();
  EXPECT_NO_EVENT(side.connect_evd());
  siw.expect_event("DISCONNECTED");
  expect_receives_of_siw_end();
}

DATUM_SIW_BOTH_WAYS(SiwClose);

struct LongWait {
  const test::Variable wait{"DATUM_RNR_TIMEOUT", "60000"};
};

// A Send of siw's waits for a Recv of ours, and siw's next request, a Read, waits for the Send.
class SiwWaits : private LongWait, public SiwClose {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(SiwClose::SetUp());
    siw.must("send 1 0 64");
    siw.must("read 2 0 64 " + std::to_string(buffer.rmr_context()) + ' ' +
             std::to_string(buffer.address()));
    siw.expect_done(1, 64);
    siw.expect("done 50", "nothing");
  }
};

// Rules: SIW.36
TEST_P(SiwWaits, AbruptDisconnect) {
  ASSERT_DAT_OK(dat_ep_disconnect(side.ep(), DAT_CLOSE_ABRUPT_FLAG));
  expect_end();
  siw.expect_flushed(2);
  siw.expect_event("DISCONNECTED");
}

// Rules: SIW.36
TEST_P(SiwWaits, GracefulDisconnect) {
  ASSERT_DAT_OK(dat_ep_disconnect(side.ep(), DAT_CLOSE_GRACEFUL_FLAG));
  // All our own requests have ended. The disconnect does not wait for siw's requests, except for
  // the time that an end may take.
  const DAT_EVENT end = test::next_event(side.connect_evd(), 2 * test::kPatience);
  EXPECT_EQ(end.event_number, DAT_CONNECTION_EVENT_DISCONNECTED);
  siw.expect_flushed(2);
  siw.expect_event("DISCONNECTED");
}

// Rules: SIW.36
TEST_P(SiwWaits, EndpointThatIsFreed) {
  side.ep().free();
  siw.expect_flushed(2);
  siw.expect_event("DISCONNECTED");
}

// Rules: SIW.36
TEST_P(SiwWaits, AbruptCloseOfTheIa) {
  close_ia_at_once();
  siw.expect_flushed(2);
  siw.expect_event("DISCONNECTED");
}

// The Send that waited is lost with the connection. siw flushes its Read only when the queue pair
// is destroyed.
// Rules: SIW.36
TEST_P(SiwWaits, DisconnectBySiw) {
  siw.must("disconnect");
  siw.expect_event("DISCONNECTED");
  expect_either_end();
  EXPECT_NO_EVENT(side.connect_evd());
  EXPECT_NO_EVENT(side.recv_evd());
}

DATUM_SIW_BOTH_WAYS(SiwWaits);

} // namespace
} // namespace datum::siw
