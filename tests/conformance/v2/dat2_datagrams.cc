// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Datagrams: what they carry, when they are dropped, and what may be posted.
#include <array>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "datagrams.h"
#include "segment_checks.h"

namespace {

using namespace datum::test;

// Rules: DAT2.45
TEST_F(Dat2Datagrams, ArriveBehindTheRoomForAHeader) {
  there_and_back();
}

// Rules: DAT2.45
TEST_F(Dat2Datagrams, OfAllSizesInSeveralSegments) {
  const Resolved names = resolve(here, there);
  mine.fill(3);
  for (const std::size_t size : {0U, 1U, 40U, 1024U, 1025U, 4096U}) {
    ASSERT_DAT_OK(post_recv(there.ep(), {theirs.segment(0, 30), theirs.segment(30, 5000)}, 1));
    std::array<DAT_LMR_TRIPLET, 2> parts = {mine.segment(0, size / 3),
                                            mine.segment(size / 3, size - size / 3)};
    DAT_IB_ADDR_HANDLE to = names.of_passive;
    ASSERT_DAT_OK(dat_ib_post_send_ud(here.ep(), 2, parts.data(), &to, cookie(size), 0));
    expect_sent(here, size, size);
    EXPECT_EQ(expect_dto(there.recv_evd(), there.ep(), 1), kHeaderRoom + size);
    EXPECT_EQ(std::memcmp(theirs.bytes().data() + kHeaderRoom, mine.bytes().data(), size), 0)
        << size;
  }
}

// Rules: FOREIGN.8
TEST_F(Dat2Datagrams, NoConnectEvdOfAnotherIa) {
  DAT_EP_PARAM param = query_ep(here.ep());
  Ep none;
  EXPECT_DAT_ERROR(dat_ep_create(here_ia, here.pz(), here.recv_evd(), here.request_evd(),
                                 there.connect_evd(), &param.ep_attr, none.out()),
                   DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EVD_CONN);
  param.connect_evd_handle = there.connect_evd();
  EXPECT_DAT_ERROR(dat_ep_modify(here.ep(), DAT_EP_FIELD_CONNECT_EVD_HANDLE, &param),
                   DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
}

// Rules: DAT2.45
TEST_F(Dat2Datagrams, TooLong) {
  const Resolved names = resolve(here, there);
  EXPECT_DAT_ERROR(send(here, names.of_passive, mine.segment(0, 4097)), DAT_INVALID_PARAMETER,
                   DAT_INVALID_ARG3);
}

// Rules: DAT2.45
TEST_F(Dat2Datagrams, ARecvHasRoomForTheHeaderBesideTheLargestMessage) {
  DAT_EP_ATTR attributes = query_ep(there.ep()).ep_attr;
  attributes.max_message_size = 1024;
  Ep small = there.another_ep(&attributes);
  EXPECT_DAT_OK(post_recv(small, {theirs.segment(0, kHeaderRoom + 1024)}, 1));
  EXPECT_DAT_ERROR(post_recv(small, {theirs.segment(0, kHeaderRoom + 1025)}, 2),
                   DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
}

// Rules: DAT2.45
TEST_F(Dat2Datagrams, ASuppressedOneIsNotReported) {
  const Resolved names = resolve(here, there);
  ASSERT_DAT_OK(post_recv(there.ep(), {theirs.segment()}, 1));
  ASSERT_DAT_OK(send(here, names.of_passive, mine.segment(0, 4), 1, DAT_COMPLETION_SUPPRESS_FLAG));
  EXPECT_EQ(expect_dto(there.recv_evd(), there.ep(), 1), kHeaderRoom + 4);
  EXPECT_NO_EVENT(here.request_evd());
}

// Rules: DAT2.46
TEST_F(Dat2Datagrams, ABurstForPostedRecvsArrivesWholeAndInOrder) {
  const Resolved names = resolve(here, there);
  for (DAT_UINT64 i = 0; i != 64; ++i) ASSERT_DAT_OK(post_recv(there.ep(), {theirs.segment()}, i));
  mine.fill(9);
  for (DAT_UINT64 i = 0; i != 64; ++i)
    ASSERT_DAT_OK(send(here, names.of_passive, mine.segment(0, 4096 - i), i));
  for (DAT_UINT64 i = 0; i != 64; ++i) {
    expect_sent(here, i, 4096 - i);
    EXPECT_EQ(expect_dto(there.recv_evd(), there.ep(), i), kHeaderRoom + 4096 - i);
  }
}

// Rules: DAT2.47
TEST_F(Dat2Datagrams, OneThatDoesNotFitIsDropped) {
  const Resolved names = resolve(here, there);
  ASSERT_DAT_OK(post_recv(there.ep(), {theirs.segment(0, kHeaderRoom + 10)}, 5));
  ASSERT_DAT_OK(send(here, names.of_passive, mine.segment(0, 11), 1));
  ASSERT_DAT_OK(send(here, names.of_passive, mine.segment(0, 10), 2));
  expect_sent(here, 1, 11);
  expect_sent(here, 2, 10);
  EXPECT_EQ(expect_dto(there.recv_evd(), there.ep(), 5), kHeaderRoom + 10);
}

// Rules: DAT2.47
TEST_F(Dat2Datagrams, WithoutARecvDroppedAndNothingBreaks) {
  const Resolved names = resolve(here, there);
  ASSERT_DAT_OK(post_recv(there.ep(), {theirs.segment()}, 0));
  for (DAT_UINT64 i = 0; i != 60; ++i) {
    ASSERT_DAT_OK(send(here, names.of_passive, mine.segment(0, 100), i));
    expect_sent(here, i, 100);
  }
  EXPECT_EQ(expect_dto(there.recv_evd(), there.ep(), 0), kHeaderRoom + 100);
  // Some datagrams may still be on the way. The last one arrives after all of them.
  for (DAT_UINT64 i = 1; i != 62; ++i) ASSERT_DAT_OK(post_recv(there.ep(), {theirs.segment()}, i));
  ASSERT_DAT_OK(send(here, names.of_passive, mine.segment(0, 7), 60));
  expect_sent(here, 60, 7);
  DAT_VLEN length = 0;
  for (DAT_UINT64 i = 1; i != 62 && length != kHeaderRoom + 7; ++i)
    length = expect_dto(there.recv_evd(), there.ep(), i);
  EXPECT_EQ(length, kHeaderRoom + 7);
  EXPECT_NO_EVENT(there.connect_evd());
}

// Rules: DAT2.47
TEST_F(Dat2Datagrams, ARecvWhoseMemoryIsGoneFailsAloneAndTheNextIsTaken) {
  const Resolved names = resolve(here, there);
  {
    Buffer gone = there.buffer(128);
    ASSERT_DAT_OK(post_recv(there.ep(), {gone.segment()}, 1));
    ASSERT_DAT_OK(post_recv(there.ep(), {theirs.segment()}, 2));
  }
  ASSERT_DAT_OK(send(here, names.of_passive, mine.segment(0, 4)));
  expect_dto(there.recv_evd(), there.ep(), 1, DAT_DTO_ERR_LOCAL_PROTECTION);
  EXPECT_EQ(expect_dto(there.recv_evd(), there.ep(), 2), kHeaderRoom + 4);
  EXPECT_EQ(ep_state(there.ep()), DAT_EP_STATE_CONNECTED);
}

// Rules: DAT2.53
TEST_F(Dat2Datagrams, OtherOperationsAreNotForThem) {
  resolve(here, there);
  EXPECT_DAT_TYPE(post_send(here.ep(), {mine.segment(0, 4)}, 1), DAT_INVALID_STATE);
  EXPECT_DAT_TYPE(post_write(here.ep(), {mine.segment(0, 4)}, theirs.remote(0, 4), 1),
                  DAT_INVALID_STATE);
  EXPECT_DAT_TYPE(post_read(here.ep(), {mine.segment(0, 4)}, theirs.remote(0, 4), 1),
                  DAT_INVALID_STATE);
}

// Rules: DAT2.53
TEST_F(Dat2Datagrams, WrongArguments) {
  const Resolved names = resolve(here, there);
  DAT_IB_ADDR_HANDLE to = names.of_passive;
  DAT_LMR_TRIPLET part = mine.segment(0, 4);
  const auto post = [&](DAT_HANDLE ep, DAT_COUNT count, DAT_LMR_TRIPLET* parts,
                        DAT_IB_ADDR_HANDLE* address, int flags) {
    return dat_ib_post_send_ud(ep, count, parts, address, cookie(1), flags);
  };
  Side connected(here_ia);
  EXPECT_DAT_ERROR(post(connected.ep(), 1, &part, &to, 0), DAT_INVALID_HANDLE,
                   DAT_INVALID_HANDLE_EP);
  EXPECT_DAT_ERROR(post(here.pz(), 1, &part, &to, 0), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EP);
  EXPECT_DAT_ERROR(post(here.ep(), -1, &part, &to, 0), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
  EXPECT_DAT_ERROR(post(here.ep(), 1, nullptr, &to, 0), DAT_INVALID_PARAMETER, DAT_INVALID_ARG4);
  EXPECT_DAT_ERROR(post(here.ep(), 1, &part, nullptr, 0), DAT_INVALID_PARAMETER, DAT_INVALID_ARG5);
  EXPECT_DAT_ERROR(post(here.ep(), 1, &part, &to, 0x40), DAT_INVALID_PARAMETER, DAT_INVALID_ARG7);
  to.qpn += 1;
  EXPECT_DAT_ERROR(post(here.ep(), 1, &part, &to, 0), DAT_INVALID_PARAMETER, DAT_INVALID_ARG5);
  to = names.of_passive;
  to.ah = reinterpret_cast<ibv_ah*>(reinterpret_cast<std::uintptr_t>(to.ah) + 1);
  EXPECT_DAT_ERROR(post(here.ep(), 1, &part, &to, 0), DAT_INVALID_PARAMETER, DAT_INVALID_ARG5);
  EXPECT_DAT_ERROR(forget(here, to), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
  EXPECT_DAT_ERROR(forget(connected, names.of_passive), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EP);
}

// Rules: DAT2.53
TEST_F(Dat2Datagrams, BeforeAnyPeerThereIsNobodyToSendTo) {
  const Resolved names = resolve(here, there);
  Side third(here_ia, datagrams());
  Buffer thirds = third.buffer(64);
  EXPECT_DAT_ERROR(send(third, names.of_passive, thirds.segment(0, 4)), DAT_INVALID_STATE,
                   DAT_INVALID_STATE_EP_UNCONNECTED);
}

// Rules: DAT2.57 DAT2.59
TEST_F(Dat2Datagrams, AreCounted) {
  const auto count = [](DAT_HANDLE handle, int counter) {
    std::uint64_t value = 77;
    EXPECT_DAT_OK(dat_ib_query_counters(handle, counter, &value, 0));
    return value;
  };
  const Resolved names = resolve(here, there);
  expect_passes(here, names.of_passive, mine, there, theirs, "twelve bytes");
  EXPECT_EQ(count(here.ep(), DCNT_EP_POST_SEND_UD), 1U);
  EXPECT_EQ(count(here.ep(), DCNT_EP_POST_SEND_UD_DATA), 12U);
  EXPECT_EQ(count(here.ep(), DCNT_EP_POST_SEND), 0U);
  EXPECT_EQ(count(there.ep(), DCNT_EP_RECV_UD), 1U);
  EXPECT_EQ(count(there.ep(), DCNT_EP_RECV_UD_DATA), 52U) << "with the room for a header";
  EXPECT_EQ(count(there.ep(), DCNT_EP_RECV), 0U);
  EXPECT_EQ(count(here_ia, DCNT_IA_CM_AH_REQ_TX), 1U);
  EXPECT_EQ(count(there_ia, DCNT_IA_CM_AH_REQ_RX), 1U);
  EXPECT_EQ(count(here_ia, DCNT_IA_CM_AH_RESOLVED), 1U);
  EXPECT_EQ(count(there_ia, DCNT_IA_CM_AH_RESOLVED), 1U);
  // If a datagram found no Recv, it has been dropped before the next datagram arrives in a Recv.
  EXPECT_EQ(count(there_ia, DCNT_IA_DIAG_ERR_RQ_UDSDPRD), 0U);
  ASSERT_DAT_OK(post_recv(there.ep(), {theirs.segment(0, kHeaderRoom + 4)}, 1));
  ASSERT_DAT_OK(send(here, names.of_passive, mine.segment(0, 5)));
  ASSERT_DAT_OK(send(here, names.of_passive, mine.segment(0, 4)));
  expect_dto(there.recv_evd(), there.ep(), 1);
  EXPECT_EQ(count(there_ia, DCNT_IA_DIAG_ERR_RQ_UDSDPRD), 1U);
}

// Rules: DAT2.45
TEST_F(Dat2Datagrams, TheRoomForAHeaderIsLeftAsItWas) {
  const Resolved names = resolve(here, there);
  theirs.fill(5);
  DAT_LMR_TRIPLET sink = theirs.segment(0, 100);
  ASSERT_DAT_OK(dat_ib_post_recv_ud(there.ep(), 1, &sink, cookie(1), DAT_COMPLETION_DEFAULT_FLAG));
  mine.fill(6);
  ASSERT_DAT_OK(send(here, names.of_passive, mine.segment(0, 20)));
  EXPECT_EQ(expect_dto(there.recv_evd(), there.ep(), 1), 60U);
  EXPECT_TRUE(theirs.holds(5, 0, 40));
  EXPECT_EQ(std::memcmp(theirs.bytes().data() + 40, mine.bytes().data(), 20), 0);
  EXPECT_TRUE(theirs.holds(5, 60, 40)) << "behind it, too";
}

// Rules: DAT2.46 DAT2.44
TEST_F(Dat2Datagrams, OfSeveralPeersAtOnceArriveWholeAndEachInItsOrder) {
  constexpr DAT_UINT64 kPeers = 3;
  constexpr DAT_UINT64 kOfEach = 20;
  struct Peer {
    Ia ia = open_ia();
    Side side{ia, datagrams()};
    Buffer buffer = side.buffer(kOfEach * 1000);
  };
  std::array<Peer, kPeers> peers;
  std::array<DAT_IB_ADDR_HANDLE, kPeers> names{};
  for (DAT_UINT64 i = 0; i != kPeers; ++i) names[i] = resolve(peers[i].side, here).of_passive;
  Buffer sink = here.buffer(kPeers * kOfEach * 1040);
  for (DAT_UINT64 i = 0; i != kPeers * kOfEach; ++i)
    ASSERT_DAT_OK(post_recv(here.ep(), {sink.segment(i * 1040, 1040)}, i));
  std::vector<std::thread> threads;
  for (DAT_UINT64 i = 0; i != kPeers; ++i) {
    threads.emplace_back([&peers, &names, i] {
      Peer& peer = peers[i];
      for (DAT_UINT64 n = 0; n != kOfEach; ++n) {
        const auto mark = static_cast<char>(i * kOfEach + n);
        peer.buffer.write(n * 1000, std::string(1000, mark));
        EXPECT_DAT_OK(send(peer.side, names[i], peer.buffer.segment(n * 1000, 1000), n));
      }
    });
  }
  for (std::thread& each : threads) each.join();
  std::array<DAT_UINT64, kPeers> next{};
  for (DAT_UINT64 i = 0; i != kPeers * kOfEach; ++i) {
    EXPECT_EQ(expect_dto(here.recv_evd(), here.ep(), i), 1040U);
    const std::string_view text = sink.text(i * 1040 + kHeaderRoom, 1000);
    const auto mark = static_cast<DAT_UINT64>(text[0]);
    EXPECT_EQ(text, std::string(1000, text[0]));
    ASSERT_LT(mark / kOfEach, kPeers);
    EXPECT_EQ(mark % kOfEach, next[mark / kOfEach]++);
  }
}

// Rules: DAT2.68
TEST_F(Dat2Datagrams, AFencedOneHasNothingToWaitFor) {
  const Resolved names = resolve(here, there);
  ASSERT_DAT_OK(post_recv(there.ep(), {theirs.segment()}, 1));
  ASSERT_DAT_OK(
      send(here, names.of_passive, mine.segment(0, 4), 2, DAT_COMPLETION_BARRIER_FENCE_FLAG));
  expect_sent(here, 2, 4);
  EXPECT_EQ(expect_dto(there.recv_evd(), there.ep(), 1), kHeaderRoom + 4);
}

// Rules: DAT2.69
TEST_F(Dat2Datagrams, ASuppressedOneThatFailsIsReported) {
  const Resolved names = resolve(here, there);
  ASSERT_DAT_OK(dat_ep_disconnect(here.ep(), DAT_CLOSE_ABRUPT_FLAG));
  ASSERT_DAT_OK(send(here, names.of_passive, mine.segment(0, 4), 2, DAT_COMPLETION_SUPPRESS_FLAG));
  const Told flushed = expect_told(here.request_evd(), 0x40000, DAT_IB_UD_SEND);
  const DAT_DTO_COMPLETION_EVENT_DATA& dto = flushed.event.event_data.dto_completion_event_data;
  EXPECT_EQ(dto.user_cookie.as_64, 2U);
  EXPECT_EQ(dto.status, DAT_DTO_ERR_FLUSHED);
}

// Rules: DAT2.70
TEST_F(Dat2Datagrams, AnUnsignalledOneIsQueuedAndDoesNotTrigger) {
  const Resolved names = resolve(here, there);
  EXPECT_DAT_ERROR(
      send(here, names.of_passive, mine.segment(0, 4), 1, DAT_COMPLETION_UNSIGNALLED_FLAG),
      DAT_INVALID_PARAMETER, DAT_INVALID_ARG7);
  SideOptions options;
  options.change = [](DAT_EP_ATTR& attributes) {
    datagrams().change(attributes);
    attributes.request_completion_flags = DAT_COMPLETION_UNSIGNALLED_FLAG;
  };
  Side quiet(here_ia, options);
  Buffer buffer = quiet.buffer(64);
  const DAT_IB_ADDR_HANDLE to = resolve(quiet, there).of_passive;
  const Cno cno = create_cno(here_ia);
  ASSERT_DAT_OK(dat_evd_modify_cno(quiet.request_evd(), cno));
  ASSERT_DAT_OK(send(quiet, to, buffer.segment(0, 4), 2, DAT_COMPLETION_UNSIGNALLED_FLAG));
  EXPECT_UNTRIGGERED(cno);
  expect_sent(quiet, 2, 4);
  ASSERT_DAT_OK(send(quiet, to, buffer.segment(0, 4), 3));
  EXPECT_TRIGGERED(cno, quiet.request_evd());
  expect_sent(quiet, 3, 4);
  ASSERT_DAT_OK(dat_evd_modify_cno(quiet.request_evd(), DAT_HANDLE_NULL));
}

// Rules: DAT2.71
TEST_F(Dat2Datagrams, OnlyOneThatSolicitsTriggers) {
  SideOptions options;
  options.change = [](DAT_EP_ATTR& attributes) {
    datagrams().change(attributes);
    attributes.recv_completion_flags = DAT_COMPLETION_SOLICITED_WAIT_FLAG;
  };
  Side listening(there_ia, options);
  Buffer sink = listening.buffer(128);
  const DAT_IB_ADDR_HANDLE to = resolve(here, listening).of_passive;
  const Cno cno = create_cno(there_ia);
  ASSERT_DAT_OK(dat_evd_modify_cno(listening.recv_evd(), cno));
  ASSERT_DAT_OK(post_recv(listening.ep(), {sink.segment()}, 1));
  ASSERT_DAT_OK(post_recv(listening.ep(), {sink.segment()}, 2));
  ASSERT_DAT_OK(send(here, to, mine.segment(0, 4), 3));
  EXPECT_EQ(poll_dto(listening.recv_evd(), listening.ep(), 1), kHeaderRoom + 4);
  EXPECT_UNTRIGGERED(cno);
  ASSERT_DAT_OK(send(here, to, mine.segment(0, 4), 4, DAT_COMPLETION_SOLICITED_WAIT_FLAG));
  EXPECT_TRIGGERED(cno, listening.recv_evd());
  EXPECT_EQ(poll_dto(listening.recv_evd(), listening.ep(), 2), kHeaderRoom + 4);
  ASSERT_DAT_OK(dat_evd_modify_cno(listening.recv_evd(), DAT_HANDLE_NULL));
}

// Rules: DAT2.53
TEST_F(Dat2Datagrams, SegmentsAreCheckedAsForOtherSends) {
  DAT_IB_ADDR_HANDLE to = resolve(here, there).of_passive;
  expect_segment_checks(here_ia, here.pz(), kNoLocalRead, [&](Segments segments) {
    return dat_ib_post_send_ud(here.ep(), static_cast<DAT_COUNT>(segments.size()), segments.data(),
                               &to, cookie(1), 0);
  });
  const auto most = query_ep(here.ep()).ep_attr.max_request_iov;
  Segments too_many(static_cast<std::size_t>(most) + 1, mine.segment(0, 1));
  EXPECT_DAT_ERROR(dat_ib_post_send_ud(here.ep(), most + 1, too_many.data(), &to, cookie(1), 0),
                   DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
}

// Rules: DAT2.75
TEST_F(Dat2Datagrams, TheSoftWatermarkTellsOnce) {
  resolve(here, there);
  ASSERT_DAT_OK(dat_ep_set_watermark(there.ep(), 2, -1));
  for (DAT_UINT64 i = 0; i != 4; ++i) ASSERT_DAT_OK(post_recv(there.ep(), {theirs.segment()}, i));
  const DAT_EVENT event = next_event(async_evd_of(there_ia));
  EXPECT_EQ(event.event_data.asynch_error_event_data.dat_handle, there.ep());
  EXPECT_NO_EVENT(async_evd_of(there_ia));
  EXPECT_EQ(ep_state(there.ep()), DAT_EP_STATE_CONNECTED);
}

// Rules: DAT2.75 dat_ep_set_watermark.R9
TEST_F(Dat2Datagrams, TheHardWatermarkEndsThem) {
  const Resolved names = resolve(here, there);
  ASSERT_DAT_OK(dat_ep_set_watermark(there.ep(), -1, 2));
  for (DAT_UINT64 i = 0; i != 2; ++i) ASSERT_DAT_OK(post_recv(there.ep(), {theirs.segment()}, i));
  EXPECT_EQ(ep_state(there.ep()), DAT_EP_STATE_CONNECTED) << "reached, not exceeded";
  ASSERT_DAT_OK(post_recv(there.ep(), {theirs.segment()}, 2));
  for (DAT_UINT64 i = 0; i != 3; ++i)
    expect_dto(there.recv_evd(), there.ep(), i, DAT_DTO_ERR_FLUSHED);
  expect_connection_event(there.connect_evd(), DAT_CONNECTION_EVENT_BROKEN, there.ep());
  EXPECT_EQ(ep_state(there.ep()), DAT_EP_STATE_DISCONNECTED);
  EXPECT_NO_EVENT(here.connect_evd());
  ASSERT_DAT_OK(send(here, names.of_passive, mine.segment(0, 4), 9));
  expect_sent(here, 9, 4);
  ASSERT_DAT_OK(dat_ep_set_watermark(there.ep(), -1, -1));
  ASSERT_DAT_OK(dat_ep_reset(there.ep()));
  there_and_back();
}

// Rules: DAT2.75
TEST_F(Dat2Datagrams, TheHardWatermarkWaitsForTheFirstPeer) {
  ASSERT_DAT_OK(dat_ep_set_watermark(there.ep(), -1, 1));
  for (DAT_UINT64 i = 0; i != 2; ++i) ASSERT_DAT_OK(post_recv(there.ep(), {theirs.segment()}, i));
  EXPECT_EQ(ep_state(there.ep()), DAT_EP_STATE_UNCONNECTED);
  EXPECT_NO_EVENT(there.connect_evd());
  Listener listener(there_ia);
  ASSERT_DAT_OK(connect(here.ep(), listener));
  Cr cr = expect_datagrams_request(listener);
  ASSERT_DAT_OK(accept(cr, there.ep()));
  expect_resolved(here, DAT_IB_UD_REMOTE_AH);
  expect_resolved(there, DAT_IB_UD_PASSIVE_REMOTE_AH);
  expect_connection_event(there.connect_evd(), DAT_CONNECTION_EVENT_BROKEN, there.ep());
  for (DAT_UINT64 i = 0; i != 2; ++i)
    expect_dto(there.recv_evd(), there.ep(), i, DAT_DTO_ERR_FLUSHED);
}

} // namespace
