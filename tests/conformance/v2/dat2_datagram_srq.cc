// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Endpoints of datagrams that take their Recvs from an SRQ.
#include <chrono>
#include <string>

#include "datagrams.h"

namespace {

using namespace datum::test;

constexpr DAT_COUNT kRecvs = 4;

SideOptions datagrams_with_srq() {
  SideOptions options = datagrams();
  options.srq_recvs = kRecvs;
  return options;
}

// `here` sends to `taker`.
class Dat2DatagramSrq : public Dat2Datagrams {
 protected:
  void post(DAT_LMR_TRIPLET part, DAT_UINT64 number) {
    EXPECT_DAT_OK(post_srq_recv(taker.srq(), {part}, number));
  }
  void send_text(DAT_IB_ADDR_HANDLE to, std::string_view text) {
    mine.write(0, text);
    EXPECT_DAT_OK(send(here, to, mine.segment(0, text.size()), 8));
    expect_sent(here, 8, text.size());
  }
  void expect_text(DAT_EP_HANDLE ep, DAT_UINT64 number, std::size_t at, std::string_view text) {
    EXPECT_EQ(expect_dto(taker.recv_evd(), ep, number), kHeaderRoom + text.size());
    EXPECT_EQ(sink.text(at + kHeaderRoom, text.size()), text);
  }
  DAT_COUNT available() {
    DAT_SRQ_PARAM param{};
    EXPECT_DAT_OK(dat_srq_query(taker.srq(), DAT_SRQ_FIELD_ALL, &param));
    return param.available_dto_count;
  }
  std::uint64_t dropped() {
    std::uint64_t value = 0;
    EXPECT_DAT_OK(dat_ib_query_counters(there_ia, DCNT_IA_DIAG_ERR_RQ_UDSDPRD, &value, 0));
    return value;
  }
  // Makes another endpoint that takes from the same SRQ.
  Ep another(const DAT_EP_ATTR& attributes) {
    Ep ep;
    EXPECT_DAT_OK(dat_ep_create_with_srq(there_ia, taker.pz(), taker.recv_evd(),
                                         taker.request_evd(), taker.connect_evd(), taker.srq(),
                                         &attributes, ep.out()));
    return ep;
  }

  Side taker{there_ia, datagrams_with_srq()};
  Buffer sink = taker.buffer(8192);
};

// Rules: DAT2.82
TEST_F(Dat2DatagramSrq, EachTakesTheNextRecv) {
  const Resolved names = resolve(here, taker);
  post(sink.segment(0, 100), 1);
  post(sink.segment(1000, 100), 2);
  send_text(names.of_passive, "the first");
  send_text(names.of_passive, "and the second");
  expect_text(taker.ep(), 1, 0, "the first");
  expect_text(taker.ep(), 2, 1000, "and the second");
  EXPECT_EQ(available(), 0);
}

// Rules: DAT2.82
TEST_F(Dat2DatagramSrq, HasNoRecvsOfItsOwn) {
  EXPECT_DAT_TYPE(post_recv(taker.ep(), {sink.segment()}, 1), DAT_INVALID_STATE);
}

// Rules: DAT2.82
TEST_F(Dat2DatagramSrq, EndpointsOfBothKindsShareIt) {
  const Resolved names = resolve(here, taker);
  Ep connected = another(default_attributes(there_ia));
  Side sender(here_ia);
  establish(sender.ep(), sender.connect_evd(), connected, taker.connect_evd(), there_ia);
  post(sink.segment(0, 100), 1);
  post(sink.segment(1000, 100), 2);
  send_text(names.of_passive, "a datagram");
  expect_text(taker.ep(), 1, 0, "a datagram");
  Buffer source = sender.buffer(64);
  source.write(0, "a message");
  ASSERT_DAT_OK(post_send(sender.ep(), {source.segment(0, 9)}, 3));
  EXPECT_EQ(expect_dto(taker.recv_evd(), connected, 2), 9U);
  expect_dto(sender.request_evd(), sender.ep(), 3);
  EXPECT_EQ(sink.text(1000, 9), "a message");
}

// Rules: DAT2.82
TEST_F(Dat2DatagramSrq, TheLowWatermarkTells) {
  const Resolved names = resolve(here, taker);
  post(sink.segment(0, 100), 1);
  ASSERT_DAT_OK(dat_srq_set_lw(taker.srq(), 1));
  send_text(names.of_passive, "the last Recv");
  expect_text(taker.ep(), 1, 0, "the last Recv");
  expect_low_watermark(there_ia, taker.srq());
}

// Rules: DAT2.83
TEST_F(Dat2DatagramSrq, WithoutARecvItIsDropped) {
  const Resolved names = resolve(here, taker);
  send_text(names.of_passive, "dropped");
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(kPatience);
  while (dropped() == 0 && std::chrono::steady_clock::now() < end)
    EXPECT_NO_EVENT(taker.recv_evd());
  ASSERT_EQ(dropped(), 1U);
  post(sink.segment(0, 100), 1);
  send_text(names.of_passive, "taken");
  expect_text(taker.ep(), 1, 0, "taken");
}

// Rules: DAT2.83
TEST_F(Dat2DatagramSrq, ATooShortRecvStays) {
  const Resolved names = resolve(here, taker);
  post(sink.segment(0, kHeaderRoom + 5), 1);
  send_text(names.of_passive, "too long");
  send_text(names.of_passive, "short");
  expect_text(taker.ep(), 1, 0, "short");
  EXPECT_NO_EVENT(taker.recv_evd());
}

// Rules: DAT2.83
TEST_F(Dat2DatagramSrq, ARecvWhoseMemoryIsGoneFailsAloneAndTheNextIsTaken) {
  const Resolved names = resolve(here, taker);
  {
    Buffer gone = taker.buffer(100);
    post(gone.segment(), 1);
  }
  post(sink.segment(0, 100), 2);
  send_text(names.of_passive, "the next");
  expect_dto(taker.recv_evd(), taker.ep(), 1, DAT_DTO_ERR_LOCAL_PROTECTION);
  expect_text(taker.ep(), 2, 0, "the next");
  EXPECT_NO_EVENT(taker.connect_evd());
}

// Rules: DAT2.83 DAT2.87
TEST_F(Dat2DatagramSrq, WhatNoDatagramTookStaysForOthers) {
  resolve(here, taker);
  post(sink.segment(0, 100), 1);
  ASSERT_DAT_OK(dat_ep_disconnect(taker.ep(), DAT_CLOSE_ABRUPT_FLAG));
  expect_connection_event(taker.connect_evd(), DAT_CONNECTION_EVENT_DISCONNECTED, taker.ep());
  EXPECT_NO_EVENT(taker.recv_evd());
  EXPECT_NO_EVENT(async_evd_of(there_ia));
  EXPECT_EQ(available(), 1);
  ASSERT_DAT_OK(dat_ep_reset(taker.ep()));
  const Resolved names = resolve(here, taker);
  send_text(names.of_passive, "after a reset");
  expect_text(taker.ep(), 1, 0, "after a reset");
}

} // namespace
