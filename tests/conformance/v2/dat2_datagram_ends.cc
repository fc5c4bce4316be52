// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Peers that end, stop or lie must not hurt endpoints of datagrams. Also the end of such an
// endpoint itself.
#include <chrono>
#include <optional>
#include <string>
#include <thread>

#include "datagrams.h"
#include "two_processes.h"

namespace {

using namespace datum::test;

using Dat2DatagramEnds = Dat2Datagrams;

// Rules: DAT2.51
TEST_F(Dat2DatagramEnds, ToAPeerThatHasGoneTheyAreLostAndComplete) {
  const Resolved names = resolve(here, there);
  there.ep().free();
  for (DAT_UINT64 i = 0; i != 50; ++i) {
    ASSERT_DAT_OK(send(here, names.of_passive, mine.segment(0, 4096), i));
    expect_sent(here, i, 4096);
  }
  EXPECT_NO_EVENT(here.connect_evd());
  EXPECT_EQ(ep_state(here.ep()), DAT_EP_STATE_CONNECTED);
  Side other(there_ia, datagrams());
  Buffer others = other.buffer(128);
  expect_passes(here, resolve(here, other).of_passive, mine, other, others, "others live");
  EXPECT_DAT_OK(forget(here, names.of_passive));
}

// Rules: DAT2.51
TEST_F(Dat2DatagramEnds, AStoppedProcessAndADeadOneHoldNobodyUp) {
  if (transport() == "sim") GTEST_SKIP() << "the simulator has one process";
  PeerProcess process = PeerProcess::of_this_program();
  Listener listener(here_ia);
  process.send("datagrams " + std::to_string(listener.qualifier()));
  Cr cr = expect_datagrams_request(listener);
  ASSERT_DAT_OK(accept(cr, here.ep()));
  const DAT_IB_ADDR_HANDLE far_away =
      expect_resolved(here, DAT_IB_UD_PASSIVE_REMOTE_AH).extension.remote_ah;
  EXPECT_EQ(process.receive(), "ok");
  EXPECT_EQ(process.ask("wait"), "0x40002");
  const auto burst = [&] {
    for (DAT_UINT64 i = 0; i != 300; ++i) {
      ASSERT_DAT_OK(send(here, far_away, mine.segment(0, 4096), i));
      expect_sent(here, i, 4096);
    }
  };
  process.stop();
  burst();
  const DAT_IB_ADDR_HANDLE near = resolve(here, there).of_passive;
  expect_passes(here, near, mine, there, theirs, "beside a stopped one");
  process.kill();
  burst();
  expect_passes(here, near, mine, there, theirs, "beside a dead one");
  EXPECT_NO_EVENT(here.connect_evd());
}

// Sends datagrams to a process that does not take them, until there is no room for more.
class Dat2LostDatagrams : public Dat2Datagrams {
 protected:
  void SetUp() override {
    if (transport() == "sim") GTEST_SKIP() << "the simulator has one process";
    process.emplace(PeerProcess::of_this_program());
    Listener listener(here_ia);
    process->send("datagrams " + std::to_string(listener.qualifier()));
    Cr cr = expect_datagrams_request(listener);
    ASSERT_DAT_OK(accept(cr, here.ep()));
    far_away = expect_resolved(here, DAT_IB_UD_PASSIVE_REMOTE_AH).extension.remote_ah;
    EXPECT_EQ(process->receive(), "ok");
    EXPECT_EQ(process->ask("wait"), "0x40002");
    process->stop();
    // TCP's buffers hold some megabytes.
    constexpr DAT_UINT64 kBound = 20'000;
    for (DAT_UINT64 i = 0; lost() == 0 && i != kBound; ++i) send_one(i);
    ASSERT_EQ(lost(), 1U);
  }
  std::uint64_t lost() {
    std::uint64_t value = 0;
    EXPECT_DAT_OK(dat_ib_query_counters(here_ia, DCNT_IA_LNK_ERR_XMT_DISCARDS, &value, 0));
    return value;
  }
  void send_one(DAT_UINT64 number) {
    ASSERT_DAT_OK(send(here, far_away, mine.segment(0, 4096), number));
    expect_sent(here, number, 4096);
  }

  std::optional<PeerProcess> process;
  DAT_IB_ADDR_HANDLE far_away{};
};

// Rules: DAT2.78
TEST_F(Dat2LostDatagrams, EachThatFindsNoRoomIsCounted) {
  send_one(1);
  EXPECT_EQ(lost(), 2U);
}

// Up to 128 datagrams are kept, and wait for as long as the ring has no room.
class Dat2KeptDatagrams : public Dat2LostDatagrams {
 protected:
  void SetUp() override {
    if (transport() != "shm") GTEST_SKIP() << "only there is it known what has left";
    Dat2LostDatagrams::SetUp();
  }
  // No event reports a lost datagram: only the counter shows it.
  void expect_lost(std::uint64_t count) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(kPatience);
    while (lost() != count && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    EXPECT_EQ(lost(), count);
  }
};

// Rules: DAT2.78
TEST_F(Dat2KeptDatagrams, AreCountedWhenTheirEndpointHasEndedForASecond) {
  ASSERT_DAT_OK(dat_ep_disconnect(here.ep(), DAT_CLOSE_GRACEFUL_FLAG));
  expect_lost(129);
}

// Rules: DAT2.78
TEST_F(Dat2KeptDatagrams, AreCountedWhenTheirEndpointWasFreed) {
  here.ep().free();
  expect_lost(129);
}

// Rules: DAT2.78
TEST_F(Dat2KeptDatagrams, AreCountedAsThePeerEnds) {
  process->kill();
  expect_lost(129);
  send_one(1);
  EXPECT_EQ(lost(), 130U) << "there is nobody any more";
}

// A connected endpoint whose consumer puts the mark of a datagram request into its own request.
class Dat2Liar : public Dat2Datagrams {
 protected:
  void SetUp() override {
    Listener listener(here_ia);
    const std::string mark("\xd7"
                           "DatumUD\x01\0\0\0\0\0\0\x07",
                           16);
    ASSERT_DAT_OK(connect(liar.ep(), listener, mark + "hello"));
    Cr cr = expect_datagrams_request(listener);
    EXPECT_EQ(request_data(cr), "hello");
    ASSERT_DAT_OK(accept(cr, here.ep()));
    expect_connection_event(liar.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, liar.ep());
    EXPECT_EQ(expect_resolved(here, DAT_IB_UD_PASSIVE_REMOTE_AH).extension.remote_ah.qpn, 7U);
  }
  // Only the liar's connection has ended: datagrams still go both ways.
  void expect_alone_in_its_end() {
    expect_connection_event(liar.connect_evd(), DAT_CONNECTION_EVENT_BROKEN, liar.ep());
    EXPECT_NO_EVENT(here.connect_evd());
    there_and_back();
  }

  Side liar{there_ia};
  Buffer lies = liar.buffer(8192);
};

// Rules: DAT2.56
TEST_F(Dat2Liar, MayFillRecvs) {
  ASSERT_DAT_OK(post_recv(here.ep(), {mine.segment()}, 1));
  ASSERT_DAT_OK(post_send(liar.ep(), {lies.segment(0, 100)}, 2));
  EXPECT_EQ(expect_dto(here.recv_evd(), here.ep(), 1), kHeaderRoom + 100);
  expect_dto(liar.request_evd(), liar.ep(), 2);
  there_and_back();
}

// Rules: DAT2.56
TEST_F(Dat2Liar, CannotWrite) {
  mine.fill(1);
  ASSERT_DAT_OK(post_write(liar.ep(), {lies.segment(0, 8)}, mine.remote(0, 8), 2));
  expect_dto(liar.request_evd(), liar.ep(), 2, DAT_DTO_ERR_REMOTE_ACCESS);
  EXPECT_TRUE(mine.holds(1, 0, 8));
  expect_alone_in_its_end();
}

// Rules: DAT2.56
TEST_F(Dat2Liar, CannotRead) {
  ASSERT_DAT_OK(post_read(liar.ep(), {lies.segment(0, 8)}, mine.remote(0, 8), 2));
  expect_dto(liar.request_evd(), liar.ep(), 2, DAT_DTO_ERR_REMOTE_RESPONDER);
  expect_alone_in_its_end();
}

// Rules: DAT2.56
TEST_F(Dat2Liar, CannotSendMoreThanADatagram) {
  ASSERT_DAT_OK(post_recv(here.ep(), {mine.segment()}, 1));
  ASSERT_DAT_OK(post_send(liar.ep(), {lies.segment(0, 4097)}, 2));
  expect_dto(liar.request_evd(), liar.ep(), 2, DAT_DTO_ERR_REMOTE_RESPONDER);
  expect_connection_event(liar.connect_evd(), DAT_CONNECTION_EVENT_BROKEN, liar.ep());
  ASSERT_DAT_OK(dat_ep_disconnect(here.ep(), DAT_CLOSE_ABRUPT_FLAG));
  expect_dto(here.recv_evd(), here.ep(), 1, DAT_DTO_ERR_FLUSHED);
}

// Rules: DAT2.52
TEST_F(Dat2DatagramEnds, DisconnectingEndsAllAndResetBeginsAgain) {
  const Resolved names = resolve(here, there);
  ASSERT_DAT_OK(post_recv(here.ep(), {mine.segment()}, 4));
  ASSERT_DAT_OK(dat_ep_disconnect(here.ep(), DAT_CLOSE_GRACEFUL_FLAG));
  expect_dto(here.recv_evd(), here.ep(), 4, DAT_DTO_ERR_FLUSHED);
  expect_connection_event(here.connect_evd(), DAT_CONNECTION_EVENT_DISCONNECTED, here.ep());
  EXPECT_EQ(ep_state(here.ep()), DAT_EP_STATE_DISCONNECTED);
  EXPECT_DAT_OK(dat_ep_disconnect(here.ep(), DAT_CLOSE_ABRUPT_FLAG));
  ASSERT_DAT_OK(send(here, names.of_passive, mine.segment(0, 4), 6));
  const Told flushed = expect_told(here.request_evd(), 0x40000, DAT_IB_UD_SEND);
  EXPECT_EQ(flushed.event.event_data.dto_completion_event_data.status, DAT_DTO_ERR_FLUSHED);
  EXPECT_EQ(flushed.extension.status, DAT_IB_OP_ERR);
  EXPECT_NO_EVENT(there.connect_evd());
  ASSERT_DAT_OK(dat_ep_reset(here.ep()));
  EXPECT_EQ(ep_state(here.ep()), DAT_EP_STATE_UNCONNECTED);
  there_and_back();
  EXPECT_DAT_ERROR(send(here, names.of_passive, mine.segment(0, 4)), DAT_INVALID_PARAMETER,
                   DAT_INVALID_ARG5);
}

// Rules: DAT2.52
TEST_F(Dat2DatagramEnds, FreedInTheMiddleOfItAll) {
  const Resolved names = resolve(here, there);
  Listener listener(there_ia);
  ASSERT_DAT_OK(connect(here.ep(), listener));
  Cr cr = expect_datagrams_request(listener);
  ASSERT_DAT_OK(send(here, names.of_passive, mine.segment(0, 4)));
  here.ep().free();
  ASSERT_DAT_OK(accept(cr, there.ep()));
  expect_failure(there);
}

// A consumer may end once its sends have completed: the datagrams that it has sent arrive.
class Dat2LastDatagrams : public Dat2Datagrams {
 protected:
  static constexpr DAT_UINT64 kMany = 64; // 256 KiB: more than any transport takes at once
  static void send_many(Side& from, DAT_IB_ADDR_HANDLE to, Buffer& source) {
    source.fill(5);
    for (DAT_UINT64 i = 0; i != kMany; ++i)
      ASSERT_DAT_OK(send(from, to, source.segment(0, 4096), i));
    for (DAT_UINT64 i = 0; i != kMany; ++i) expect_sent(from, i, 4096);
  }
  void SetUp() override {
    for (DAT_UINT64 i = 0; i != kMany; ++i)
      ASSERT_DAT_OK(post_recv(there.ep(), {theirs.segment()}, i));
  }
  void expect_all_there() {
    for (DAT_UINT64 i = 0; i != kMany; ++i)
      ASSERT_EQ(expect_dto(there.recv_evd(), there.ep(), i), kHeaderRoom + 4096);
    EXPECT_NO_EVENT(there.connect_evd());
  }
};

// Rules: DAT2.80
TEST_F(Dat2LastDatagrams, ArriveThoughTheEndpointIsFreed) {
  send_many(here, resolve(here, there).of_passive, mine);
  here.ep().free();
  expect_all_there();
}

// Rules: DAT2.80
TEST_F(Dat2LastDatagrams, ArriveThoughItIsDisconnectedAndBeginsAgain) {
  const Resolved names = resolve(here, there);
  send_many(here, names.of_passive, mine);
  ASSERT_DAT_OK(dat_ep_disconnect(here.ep(), DAT_CLOSE_ABRUPT_FLAG));
  expect_connection_event(here.connect_evd(), DAT_CONNECTION_EVENT_DISCONNECTED, here.ep());
  ASSERT_DAT_OK(dat_ep_reset(here.ep()));
  expect_all_there();
  there_and_back();
}

// Rules: DAT2.80
TEST_F(Dat2LastDatagrams, ArriveThoughTheAdapterIsClosed) {
  Ia third_ia = open_ia();
  {
    Side third(third_ia, datagrams());
    Buffer thirds = third.buffer(8192);
    send_many(third, resolve(third, there).of_passive, thirds);
    third.ep().free();
  }
  third_ia.free();
  expect_all_there();
}

// Rules: DAT2.80
TEST_F(Dat2LastDatagrams, TakeNothingThatArrivesBehindThem) {
  const Resolved names = resolve(here, there);
  ASSERT_DAT_OK(post_recv(here.ep(), {mine.segment(4096, 4096)}, 99));
  send_many(here, names.of_passive, mine);
  ASSERT_DAT_OK(dat_ep_disconnect(here.ep(), DAT_CLOSE_ABRUPT_FLAG));
  expect_dto(here.recv_evd(), here.ep(), 99, DAT_DTO_ERR_FLUSHED);
  ASSERT_DAT_OK(send(there, names.of_active, theirs.segment(0, 4)));
  expect_sent(there, 1, 4);
  expect_all_there();
  EXPECT_NO_EVENT(here.recv_evd());
}

} // namespace
