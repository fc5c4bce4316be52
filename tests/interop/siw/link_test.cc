// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// interop/siw: a link that is cut, for a moment or for longer than a peer may be silent.
#include <chrono>
#include <optional>
#include <set>

#include "../../conformance/harness/variable.h"
#include "fixture.h"
#include "processes.h"

namespace datum::siw {
namespace {

// Takes our end of the link down, or the end that `link` names. The destructor brings the link up
// again.
class Cut {
 public:
  explicit Cut(std::vector<std::string> link = {"-n", "datum", "link", "set", "datumlink"})
      : link_(std::move(link)) {
    set("down");
  }
  ~Cut() { mend(); }
  Cut(const Cut&) = delete;
  Cut& operator=(const Cut&) = delete;

  void mend() {
    if (!mended_) set("up");
    mended_ = true;
  }

 private:
  void set(const char* state) {
    std::vector<std::string> command{"ip"};
    command.insert(command.end(), link_.begin(), link_.end());
    command.emplace_back(state);
    EXPECT_EQ(BesideSiw(command).exit_status(), 0);
  }

  std::vector<std::string> link_;
  bool mended_ = false;
};

class SiwLink : public SiwConnected {
 protected:
  void expect_end(DAT_EVENT_NUMBER number) {
    test::expect_connection_event(side.connect_evd(), number, side.ep());
  }
  DAT_RMR_TRIPLET there(std::size_t length) {
    const Remote remote = siw.memory();
    return test::remote_part(remote.stag, remote.address, length);
  }
  // Waits for siw's first message. From then on our side knows that siw is a foreign peer, and
  // sends it no more questions.
  void hear_siw() {
    ASSERT_DAT_OK(test::post_read(side.ep(), {}, there(0), 100));
    expect_dto(side.request_evd(), 100, 0);
  }

  // siw ends the connection while its TCP holds its Sends and no Send has arrived. Each Send is
  // small, so TCP takes it at once.
  void expect_sends_before_end_by(const std::string& way) {
    constexpr DAT_UINT64 kSends = 8;
    constexpr std::size_t kEach = 1024;
    ASSERT_NO_FATAL_FAILURE(hear_siw()); // siw would answer a later question by a reset
    siw.must("fill 0 8192 4");
    for (DAT_UINT64 i = 0; i < kSends; ++i)
      ASSERT_DAT_OK(test::post_recv(side.ep(), {buffer.segment(i * kEach, kEach)}, i));
    Cut cut;
    for (DAT_UINT64 i = 0; i < kSends; ++i) {
      siw.must("send " + std::to_string(i) + ' ' + std::to_string(i * kEach) + " 1024");
      siw.expect_done(i, kEach);
    }
    EXPECT_EQ(siw.end_by(way), kSends);
    EXPECT_NO_EVENT(side.recv_evd());
    cut.mend();
    for (DAT_UINT64 i = 0; i < kSends; ++i) expect_dto(side.recv_evd(), i, kEach);
    EXPECT_TRUE(buffer.holds(4, 0, kSends * kEach));
    expect_end(DAT_CONNECTION_EVENT_DISCONNECTED);
    EXPECT_NO_EVENT(side.connect_evd());
  }
  void close_ia_at_once() {
    EXPECT_DAT_OK(dat_ia_close(ia.release(), DAT_CLOSE_ABRUPT_FLAG));
    buffer.lmr().release();
    side.give_up();
  }

  static constexpr std::size_t kSize = 65536;
  test::Buffer buffer = side.buffer(kSize);
};

// Rules: SIW.38
TEST_P(SiwLink, DataGoOnAfterAShortCut) {
  buffer.fill(8);
  siw.must("recv 1 0 65536");
  siw.must("fill 131072 65536 9");
  Cut cut;
  ASSERT_DAT_OK(test::post_send(side.ep(), {buffer.segment()}, 2));
  siw.must("send 3 131072 65536");
  EXPECT_NO_EVENT(side.connect_evd());
  cut.mend();
  const std::set<std::string> done{siw.ask("done 10000"), siw.ask("done 10000")};
  EXPECT_EQ(done, (std::set<std::string>{"1 65536 success", "3 65536 success"}));
  siw.must("check 0 65536 8");
  expect_dto(side.request_evd(), 2, kSize);
  ASSERT_DAT_OK(test::post_recv(side.ep(), {buffer.segment()}, 4));
  expect_dto(side.recv_evd(), 4, kSize);
  EXPECT_NO_EVENT(side.connect_evd());
}

// Rules: SIW.38
TEST_P(SiwLink, GracefulDisconnectWaitsForAReadUntilTheLinkIsBack) {
  const DAT_RMR_TRIPLET source = there(kSize);
  siw.must("fill 0 65536 5");
  Cut cut;
  ASSERT_DAT_OK(test::post_read(side.ep(), {buffer.segment()}, source, 1));
  ASSERT_DAT_OK(dat_ep_disconnect(side.ep(), DAT_CLOSE_GRACEFUL_FLAG));
  EXPECT_NO_EVENT(side.connect_evd());
  cut.mend();
  expect_dto(side.request_evd(), 1, kSize);
  EXPECT_TRUE(buffer.holds(5, 0, kSize));
  expect_end(DAT_CONNECTION_EVENT_DISCONNECTED);
  siw.expect_event("DISCONNECTED");
}

// TCP sends only a part of the message without an answer of the peer. So the last octets still wait
// on our side when the consumer disconnects.
// Rules: SIW.17 SIW.38
TEST_P(SiwLink, GracefulDisconnectSendsWhatTheLinkHeldUp) {
  ASSERT_NO_FATAL_FAILURE(hear_siw());
  buffer.fill(6);
  siw.must("recv 1 0 65536");
  Cut cut;
  ASSERT_DAT_OK(test::post_send(side.ep(), {buffer.segment()}, 2));
  ASSERT_DAT_OK(dat_ep_disconnect(side.ep(), DAT_CLOSE_GRACEFUL_FLAG));
  expect_dto(side.request_evd(), 2, kSize);
  expect_end(DAT_CONNECTION_EVENT_DISCONNECTED);
  cut.mend();
  siw.expect_done(1, kSize);
  siw.must("check 0 65536 6");
  siw.expect_event("DISCONNECTED");
}

// The same while the IA closes. A closing IA serves connections that are ending for at most a
// second, and then leaves them to TCP. Here the link is back, so the close must not take the whole
// second.
// Rules: SIW.17 SIW.38
TEST_P(SiwLink, CloseOfTheIaSendsWhatTheLinkHeldUp) {
  ASSERT_NO_FATAL_FAILURE(hear_siw());
  buffer.fill(6);
  siw.must("recv 1 0 65536");
  std::optional<Cut> cut(std::in_place);
  ASSERT_DAT_OK(test::post_send(side.ep(), {buffer.segment()}, 2));
  ASSERT_DAT_OK(dat_ep_disconnect(side.ep(), DAT_CLOSE_GRACEFUL_FLAG));
  expect_dto(side.request_evd(), 2, kSize);
  expect_end(DAT_CONNECTION_EVENT_DISCONNECTED);
  cut.reset();
  const auto begin = std::chrono::steady_clock::now();
  close_ia_at_once();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(950));
  siw.expect_done(1, kSize);
  siw.must("check 0 65536 6");
  siw.expect_event("DISCONNECTED");
}

// Rules: SIW.35 SIW.38
TEST_P(SiwLink, SendsThatTheLinkHeldUpComeBeforeTheDisconnectBySiw) {
  expect_sends_before_end_by("disconnect");
  siw.expect_event("DISCONNECTED");
}

// Rules: SIW.35 SIW.38
TEST_P(SiwLink, SendsThatTheLinkHeldUpComeBeforeTheErrorStateOfSiw) {
  expect_sends_before_end_by("abort");
  siw.expect_event("DISCONNECTED");
}

// Rules: SIW.35 SIW.38
TEST_P(SiwLink, SendsThatTheLinkHeldUpComeBeforeTheEndOfTheQueuePair) {
  expect_sends_before_end_by("drop");
}

// Rules: SIW.20 SIW.35 SIW.38
TEST_P(SiwLink, SendsThatTheLinkHeldUpComeBeforeTheDeathOfSiwsProcess) {
  expect_sends_before_end_by("die");
}

// Rules: SIW.32
TEST_P(SiwLink, AbruptDisconnectDoesNotWaitForTheLink) {
  const DAT_RMR_TRIPLET source = there(kSize);
  Cut cut;
  ASSERT_DAT_OK(test::post_read(side.ep(), {buffer.segment()}, source, 1));
  ASSERT_DAT_OK(dat_ep_disconnect(side.ep(), DAT_CLOSE_ABRUPT_FLAG));
  test::expect_dto(side.request_evd(), side.ep(), 1, DAT_DTO_ERR_FLUSHED);
  expect_end(DAT_CONNECTION_EVENT_DISCONNECTED);
  cut.mend();
  siw.expect_event("DISCONNECTED");
}

// An endpoint that is freed gets no more events. siw learns of the end once the link is back.
// Rules: SIW.32
TEST_P(SiwLink, EndpointThatIsFreedDoesNotWaitForTheLink) {
  const DAT_RMR_TRIPLET source = there(kSize);
  siw.must("recv 1 0 64");
  Cut cut;
  ASSERT_DAT_OK(test::post_read(side.ep(), {buffer.segment()}, source, 2));
  const auto begin = std::chrono::steady_clock::now();
  side.ep().free();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(950));
  EXPECT_NO_EVENT(side.request_evd());
  EXPECT_NO_EVENT(side.connect_evd());
  cut.mend();
  siw.expect_event("DISCONNECTED");
  siw.expect_flushed(1);
}

// A closing IA serves connections that are ending for at most a second, and then leaves them to
// TCP.
// Rules: SIW.33
TEST_P(SiwLink, AbruptCloseOfTheIaWaitsASecondForTheLinkAtMost) {
  const DAT_RMR_TRIPLET source = there(kSize);
  siw.must("recv 1 0 64");
  Cut cut;
  ASSERT_DAT_OK(test::post_read(side.ep(), {buffer.segment()}, source, 2));
  const auto begin = std::chrono::steady_clock::now();
  close_ia_at_once();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
  cut.mend();
  siw.expect_event("DISCONNECTED");
  siw.expect_flushed(1);
}

DATUM_SIW_BOTH_WAYS(SiwLink);

struct ShortPatience {
  const test::Variable patience{"DATUM_PEER_TIMEOUT", "1000"};
};

class SiwCutOff : private ShortPatience, public SiwLink {
 protected:
  // siw learns of the end by the answer to the next message that it sends.
  void expect_that_siw_learns() {
    siw.must("write 9 0 0 1 0");
    siw.expect_event("DISCONNECTED");
  }
};

// Rules: SIW.39
TEST_P(SiwCutOff, WithNothingOutstanding) {
  ASSERT_DAT_OK(test::post_recv(side.ep(), {buffer.segment()}, 1));
  Cut cut;
  test::expect_dto(side.recv_evd(), side.ep(), 1, DAT_DTO_ERR_FLUSHED);
  expect_end(DAT_CONNECTION_EVENT_BROKEN);
  cut.mend();
  expect_that_siw_learns();
}

// Rules: SIW.39
TEST_P(SiwCutOff, WithAReadOutstanding) {
  const DAT_RMR_TRIPLET source = there(kSize);
  Cut cut;
  ASSERT_DAT_OK(test::post_read(side.ep(), {buffer.segment()}, source, 1));
  test::expect_dto(side.request_evd(), side.ep(), 1, DAT_DTO_ERR_FLUSHED);
  expect_end(DAT_CONNECTION_EVENT_BROKEN);
  cut.mend();
  expect_that_siw_learns();
}

// Rules: SIW.39
TEST_P(SiwCutOff, WithASendThatNobodyHasAcknowledged) {
  ASSERT_NO_FATAL_FAILURE(hear_siw());
  siw.must("recv 1 0 65536");
  Cut cut;
  ASSERT_DAT_OK(test::post_send(side.ep(), {buffer.segment()}, 2));
  expect_dto(side.request_evd(), 2, kSize); // it completes when TCP has it
  expect_end(DAT_CONNECTION_EVENT_BROKEN);
  cut.mend();
  expect_that_siw_learns();
}

// siw ends all connections of a device that goes down, and cannot tell us.
// Rules: SIW.40
TEST_P(SiwCutOff, InterfaceOfSiwThatGoesDown) {
  siw.must("recv 1 0 64");
  Cut cut({"link", "set", "siwlink"});
  siw.expect_event("DISCONNECTED");
  siw.expect_flushed(1);
  expect_end(DAT_CONNECTION_EVENT_BROKEN);
  cut.mend();
  // During the cut our host has begun to ask for siw's link address. Until it gives up, a connect
  // finds siw unreachable although the link is back. The host forgets the question when our end of
  // the link goes down.
  Cut().mend();
  siw.must("drop");
  siw.must("unlisten");
  ASSERT_DAT_OK(dat_ep_reset(side.ep()));
  connect_to_siw(); // waits until the link is up again
}

DATUM_SIW_BOTH_WAYS(SiwCutOff);

} // namespace
} // namespace datum::siw
