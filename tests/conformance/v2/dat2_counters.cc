// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The counters of IAs, endpoints and event dispatchers.
#include "dat.h"

#include <dat2/dat_ib_extensions.h>

#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "fixture.h"
#include "threads.h"

namespace {

using namespace datum::test;

constexpr DAT_TIMEOUT kShort = 1'000; // us

using Counters = std::vector<std::uint64_t>;

Counters counters(DAT_HANDLE handle, int all, int reset = 0) {
  Counters values(static_cast<std::size_t>(all) + 1, 77);
  EXPECT_DAT_OK(dat_ib_query_counters(handle, all, values.data(), reset));
  EXPECT_EQ(values.back(), 77U) << "more was written than there are counters";
  return values;
}
Counters of_ep(const Side& side, int reset = 0) {
  return counters(const_cast<Side&>(side).ep(), DCNT_EP_ALL_COUNTERS, reset);
}
Counters of_evd(DAT_EVD_HANDLE evd, int reset = 0) {
  return counters(evd, DCNT_EVD_ALL_COUNTERS, reset);
}
Counters of_ia(DAT_IA_HANDLE ia, int reset = 0) {
  return counters(ia, DCNT_IA_ALL_COUNTERS, reset);
}
std::uint64_t one(DAT_HANDLE handle, int counter) {
  std::uint64_t value = 77;
  EXPECT_DAT_OK(dat_ib_query_counters(handle, counter, &value, 0));
  return value;
}

// The text that a call writes to standard output.
template <class Call>
std::string printed(const Call& call) {
  std::fflush(stdout);
  std::FILE* file = std::tmpfile();
  const int saved = ::dup(STDOUT_FILENO);
  ::dup2(::fileno(file), STDOUT_FILENO);
  call();
  std::fflush(stdout);
  ::dup2(saved, STDOUT_FILENO);
  ::close(saved);
  std::rewind(file);
  std::array<char, 4096> text{};
  const std::size_t size = std::fread(text.data(), 1, text.size(), file);
  std::fclose(file);
  return {text.data(), size};
}

class Dat2Counters : public Connected {
 protected:
  void send(std::size_t size) {
    ASSERT_DAT_OK(post_recv(passive().ep(), {theirs.segment(0, 512)}, 1));
    ASSERT_DAT_OK(post_send(active().ep(), {mine.segment(0, size)}, 2));
    expect_dto(active().request_evd(), active().ep(), 2);
    expect_dto(passive().recv_evd(), passive().ep(), 1);
  }

  static constexpr auto kWithAtomic = static_cast<DAT_MEM_PRIV_FLAGS>(
      static_cast<int>(DAT_MEM_PRIV_ALL_FLAG) | static_cast<int>(DAT_IB_MEM_PRIV_REMOTE_ATOMIC));
  Buffer mine = active().buffer(1024, kWithAtomic);
  Buffer theirs = passive().buffer(1024, kWithAtomic);
};

// Rules: DAT2.57
TEST_F(Dat2Counters, WhatAnEndpointPostedAndReceived) {
  send(100);
  send(11);
  ASSERT_DAT_OK(post_write(active().ep(), {mine.segment(0, 64)}, theirs.remote(0, 64), 3));
  expect_dto(active().request_evd(), active().ep(), 3);
  ASSERT_DAT_OK(post_read(active().ep(), {mine.segment(0, 32)}, theirs.remote(0, 32), 4));
  expect_dto(active().request_evd(), active().ep(), 4);
  const Counters sender = of_ep(active());
  EXPECT_EQ(sender[DCNT_EP_CONNECT], 1U);
  EXPECT_EQ(sender[DCNT_EP_DISCONNECT], 0U);
  EXPECT_EQ(sender[DCNT_EP_POST_SEND], 2U);
  EXPECT_EQ(sender[DCNT_EP_POST_SEND_DATA], 111U);
  EXPECT_EQ(sender[DCNT_EP_POST_RECV], 0U);
  EXPECT_EQ(sender[DCNT_EP_POST_WRITE], 1U);
  EXPECT_EQ(sender[DCNT_EP_POST_WRITE_DATA], 64U);
  EXPECT_EQ(sender[DCNT_EP_POST_READ], 1U);
  EXPECT_EQ(sender[DCNT_EP_POST_READ_DATA], 32U);
  EXPECT_EQ(sender[DCNT_EP_RECV], 0U);
  const Counters receiver = of_ep(passive());
  EXPECT_EQ(receiver[DCNT_EP_CONNECT], 0U) << "it was connected to";
  EXPECT_EQ(receiver[DCNT_EP_POST_RECV], 2U);
  EXPECT_EQ(receiver[DCNT_EP_POST_RECV_DATA], 1024U);
  EXPECT_EQ(receiver[DCNT_EP_RECV], 2U);
  EXPECT_EQ(receiver[DCNT_EP_RECV_DATA], 111U);
  EXPECT_EQ(receiver[DCNT_EP_POST_SEND], 0U);
}

// Rules: DAT2.57
TEST_F(Dat2Counters, ExtendedOperationsHaveTheirOwn) {
  DAT_LMR_TRIPLET sink = mine.segment(0, 8);
  DAT_RMR_TRIPLET word = theirs.remote(0, 8);
  ASSERT_DAT_OK(dat_ib_post_fetch_and_add(active().ep(), 1, &sink, cookie(1), &word,
                                          DAT_COMPLETION_DEFAULT_FLAG));
  next_event(active().request_evd());
  ASSERT_DAT_OK(dat_ib_post_cmp_and_swap(active().ep(), 1, 2, &sink, cookie(1), &word,
                                         DAT_COMPLETION_DEFAULT_FLAG));
  next_event(active().request_evd());
  ASSERT_DAT_OK(post_recv(passive().ep(), {theirs.segment(512, 16)}, 1));
  DAT_LMR_TRIPLET source = mine.segment(0, 48);
  DAT_RMR_TRIPLET target = theirs.remote(64, 48);
  ASSERT_DAT_OK(dat_ib_post_rdma_write_immed(active().ep(), 1, &source, cookie(2), &target, 9,
                                             DAT_COMPLETION_DEFAULT_FLAG));
  next_event(active().request_evd());
  next_event(passive().recv_evd());
  const Counters sender = of_ep(active());
  EXPECT_EQ(sender[DCNT_EP_POST_FETCH_ADD], 1U);
  EXPECT_EQ(sender[DCNT_EP_POST_CMP_SWAP], 1U);
  EXPECT_EQ(sender[DCNT_EP_POST_WRITE_IMM], 1U);
  EXPECT_EQ(sender[DCNT_EP_POST_WRITE_IMM_DATA], 48U);
  EXPECT_EQ(sender[DCNT_EP_POST_WRITE], 0U);
  const Counters receiver = of_ep(passive());
  EXPECT_EQ(receiver[DCNT_EP_RECV_RDMA_IMM], 1U);
  EXPECT_EQ(receiver[DCNT_EP_RECV_RDMA_IMM_DATA], 48U);
  EXPECT_EQ(receiver[DCNT_EP_RECV], 0U);
}

// Rules: DAT2.57
TEST_F(Dat2Counters, WhatFailedIsNotCounted) {
  EXPECT_DAT_TYPE(post_send(active().ep(), {mine.segment(1000, 100)}, 1), DAT_INVALID_PARAMETER);
  EXPECT_EQ(one(active().ep(), DCNT_EP_POST_SEND), 0U);
  ASSERT_DAT_OK(post_recv(passive().ep(), {theirs.segment(0, 8)}, 1));
  pair.disconnect();
  expect_dto(passive().recv_evd(), passive().ep(), 1, DAT_DTO_ERR_FLUSHED);
  EXPECT_EQ(one(passive().ep(), DCNT_EP_RECV), 0U);
  EXPECT_EQ(one(active().ep(), DCNT_EP_DISCONNECT), 1U);
  EXPECT_EQ(one(passive().ep(), DCNT_EP_DISCONNECT), 0U);
}

// Rules: DAT2.58
TEST_F(Dat2Counters, WhatAnEventDispatcherDid) {
  const Evd evd = create_evd(active().ia(), DAT_EVD_SOFTWARE_FLAG);
  DAT_EVENT event{};
  DAT_COUNT left = 0;
  EXPECT_DAT_TYPE(dat_evd_dequeue(evd, &event), DAT_QUEUE_EMPTY);
  EXPECT_DAT_TYPE(dat_evd_dequeue(evd, &event), DAT_QUEUE_EMPTY);
  ASSERT_DAT_OK(post_software_event(evd, nullptr));
  EXPECT_DAT_OK(dat_evd_dequeue(evd, &event));
  EXPECT_DAT_TYPE(dat_evd_wait(evd, kShort, 1, &event, &left), DAT_TIMEOUT_EXPIRED);
  EXPECT_DAT_TYPE(dat_evd_wait(evd, 0, 1, &event, &left), DAT_TIMEOUT_EXPIRED);
  BlockedCall waiter([&] { return dat_evd_wait(evd, kPatience, 1, &event, &left); });
  ASSERT_DAT_OK(post_software_event(evd, nullptr));
  EXPECT_DAT_OK(waiter.join());
  const Counters counted = of_evd(evd);
  EXPECT_EQ(counted[DCNT_EVD_WAIT], 3U);
  EXPECT_EQ(counted[DCNT_EVD_WAIT_BLOCKED], 2U);
  EXPECT_EQ(counted[DCNT_EVD_WAIT_NOTIFY], 1U);
  EXPECT_EQ(counted[DCNT_EVD_DEQUEUE], 3U);
  EXPECT_EQ(counted[DCNT_EVD_DEQUEUE_FOUND], 1U);
  EXPECT_EQ(counted[DCNT_EVD_DEQUEUE_NOT_FOUND], 2U);
  EXPECT_GE(counted[DCNT_EVD_DEQUEUE_POLL], 2U);
  EXPECT_EQ(counted[DCNT_EVD_DEQUEUE_POLL_FOUND], 0U) << "nothing came over a connection";
  EXPECT_EQ(counted[DCNT_EVD_CONN_CALLBACK], 0U);
  EXPECT_EQ(counted[DCNT_EVD_DTO_CALLBACK], 0U);
}

// Rules: DAT2.58
TEST_F(Dat2Counters, WhatConnectionsBroughtIt) {
  send(8);
  EXPECT_EQ(one(active().request_evd(), DCNT_EVD_DTO_CALLBACK), 1U);
  EXPECT_EQ(one(passive().recv_evd(), DCNT_EVD_DTO_CALLBACK), 1U);
  EXPECT_EQ(one(active().connect_evd(), DCNT_EVD_CONN_CALLBACK), 1U);
  EXPECT_EQ(one(active().connect_evd(), DCNT_EVD_DTO_CALLBACK), 0U);
}

// Rules: DAT2.59
TEST_F(Dat2Counters, ObjectsOfAnInterfaceAdapter) {
  Ia ia = open_ia();
  const Counters before = of_ia(ia);
  EXPECT_EQ(before[DCNT_IA_PZ_CREATE], 0U);
  EXPECT_EQ(before[DCNT_IA_EP_CREATE], 0U);
  EXPECT_EQ(before[DCNT_IA_EVD_CREATE], 1U) << "the one for asynchronous events";
  std::uint64_t endpoints = 0;
  {
    Side side(ia);
    const std::uint64_t those_of_side = one(ia, DCNT_IA_EP_CREATE);
    const Ep another = side.another_ep();
    endpoints = one(ia, DCNT_IA_EP_CREATE);
    EXPECT_EQ(endpoints, those_of_side + 1);
    EXPECT_EQ(one(ia, DCNT_IA_EP_FREE), endpoints - 2);
    const Buffer buffer = side.buffer(64);
    const Rmr rmr = create_rmr(side.pz());
    const Listener listener(ia);
    const Rsp rsp = create_rsp(ia, free_qualifier(), side.ep(), listener.evd());
    const Counters during = of_ia(ia);
    EXPECT_EQ(during[DCNT_IA_PZ_CREATE], 1U);
    EXPECT_EQ(during[DCNT_IA_PZ_FREE], 0U);
    EXPECT_EQ(during[DCNT_IA_LMR_CREATE], 1U);
    EXPECT_EQ(during[DCNT_IA_RMR_CREATE], 1U);
    EXPECT_EQ(during[DCNT_IA_EVD_CREATE], 5U);
    EXPECT_EQ(during[DCNT_IA_PSP_CREATE], 0U);
    EXPECT_EQ(during[DCNT_IA_PSP_CREATE_ANY], 1U);
    EXPECT_EQ(during[DCNT_IA_RSP_CREATE], 1U);
    EXPECT_EQ(during[DCNT_IA_RSP_FREE], 0U);
    EXPECT_EQ(during[DCNT_IA_CM_LISTEN], 2U);
  }
  const Counters after = of_ia(ia);
  EXPECT_EQ(after[DCNT_IA_PZ_FREE], 1U);
  EXPECT_EQ(after[DCNT_IA_LMR_FREE], 1U);
  EXPECT_EQ(after[DCNT_IA_RMR_FREE], 1U);
  EXPECT_EQ(after[DCNT_IA_EP_FREE], endpoints);
  EXPECT_EQ(after[DCNT_IA_EVD_FREE], 4U);
  EXPECT_EQ(after[DCNT_IA_PSP_FREE], 1U);
  EXPECT_EQ(after[DCNT_IA_RSP_FREE], 1U);
  EXPECT_EQ(after[DCNT_IA_SRQ_CREATE], 0U);
}

// Rules: DAT2.59
TEST_F(Dat2Counters, ConnectionsOfAnInterfaceAdapter) {
  pair.disconnect();
  const Counters active_side = of_ia(active().ia());
  EXPECT_EQ(active_side[DCNT_IA_CM_REQ_TX], 1U);
  EXPECT_EQ(active_side[DCNT_IA_CM_REQ_RX], 0U);
  EXPECT_EQ(active_side[DCNT_IA_CM_REP_RX], 1U);
  EXPECT_EQ(active_side[DCNT_IA_CM_ACTIVE_EST], 1U);
  EXPECT_EQ(active_side[DCNT_IA_CM_PASSIVE_EST], 0U);
  EXPECT_EQ(active_side[DCNT_IA_CM_DREQ_TX], 1U);
  EXPECT_EQ(active_side[DCNT_IA_CM_DREQ_RX], 0U);
  EXPECT_EQ(active_side[DCNT_IA_CM_ERR], 0U);
  const Counters passive_side = of_ia(passive().ia());
  EXPECT_EQ(passive_side[DCNT_IA_CM_REQ_RX], 1U);
  EXPECT_EQ(passive_side[DCNT_IA_SP_CR], 1U);
  EXPECT_EQ(passive_side[DCNT_IA_SP_CR_ACCEPTED], 1U);
  EXPECT_EQ(passive_side[DCNT_IA_SP_CR_REJECTED], 0U);
  EXPECT_EQ(passive_side[DCNT_IA_CM_REP_TX], 1U);
  EXPECT_EQ(passive_side[DCNT_IA_CM_PASSIVE_EST], 1U);
  EXPECT_EQ(passive_side[DCNT_IA_CM_DREQ_TX], 0U);
  EXPECT_EQ(passive_side[DCNT_IA_CM_DREQ_RX], 1U);
}

// Rules: DAT2.59
TEST_F(Dat2Counters, RefusalsAndFaults) {
  const Ep another = active().another_ep();
  Listener listener(passive().ia());
  ASSERT_DAT_OK(connect(another, listener));
  Cr cr = listener.expect_request();
  ASSERT_DAT_OK(dat_cr_reject(cr.release(), 0, nullptr));
  expect_connection_event(active().connect_evd(), DAT_CONNECTION_EVENT_PEER_REJECTED, another);
  EXPECT_EQ(one(passive().ia(), DCNT_IA_SP_CR_REJECTED), 1U);
  EXPECT_EQ(one(passive().ia(), DCNT_IA_CM_USER_REJ_TX), 1U);
  EXPECT_EQ(one(active().ia(), DCNT_IA_CM_USER_REJ_RX), 1U);
  // A shorter Write would go through the ring if the peer has polled a moment ago.
  constexpr std::size_t kStraight = 8192;
  const Buffer from = active().buffer(kStraight);
  const Buffer to = passive().buffer(kStraight);
  DAT_RMR_TRIPLET wrong = to.remote(0, kStraight);
  wrong.rmr_context ^= 1U;
  ASSERT_DAT_OK(post_write(active().ep(), {from.segment(0, kStraight)}, wrong, 3));
  EXPECT_NE(next_event(active().request_evd()).event_data.dto_completion_event_data.status,
            DAT_DTO_SUCCESS);
  expect_connection_event(passive().connect_evd(), DAT_CONNECTION_EVENT_BROKEN, passive().ep());
  EXPECT_EQ(one(active().ia(), DCNT_IA_DIAG_ERR_SQ_RAE), 1U);
  // Over shared memory the writing side checks the region table of its peer, so the peer does not
  // count the error.
  EXPECT_EQ(one(passive().ia(), DCNT_IA_DIAG_ERR_RQ_RAE), transport() == "shm" ? 0U : 1U);
  EXPECT_EQ(one(passive().ia(), DCNT_IA_CM_ERR_RESET), 1U);
  EXPECT_EQ(one(passive().ia(), DCNT_IA_CM_ERR), 1U);
}

// Rules: DAT2.59
TEST_F(Dat2Counters, ATimeLimitThatIsOver) {
  const Ep another = active().another_ep();
  Listener listener(passive().ia());
  ASSERT_DAT_OK(connect(another, listener, {}, 1000));
  expect_connection_event(active().connect_evd(), DAT_CONNECTION_EVENT_TIMED_OUT, another);
  EXPECT_EQ(one(active().ia(), DCNT_IA_CM_ERR_TIMEOUT), 1U);
  EXPECT_EQ(one(active().ia(), DCNT_IA_CM_ERR), 1U);
  // The request may have been sent already. Then it arrives although its requester no longer waits.
  // No request arrives after the PSP has been freed.
  listener.psp().free();
  DAT_EVENT event{};
  while (dat_evd_dequeue(listener.evd(), &event) == DAT_SUCCESS)
    EXPECT_DAT_OK(dat_cr_reject(event.event_data.cr_arrival_event_data.cr_handle, 0, nullptr));
}

// Rules: DAT2.59
TEST_F(Dat2Counters, AMistakeOfOurOwnIsNoFaultOfAPeer) {
  const Rmr window = create_rmr(active().pz());
  DAT_RMR_CONTEXT context = 0;
  ASSERT_DAT_OK(post_bind(active().ep(), window, mine.segment(0, 16),
                          DAT_MEM_PRIV_REMOTE_WRITE_FLAG, 1, &context));
  next_event(active().request_evd());
  DAT_RMR_TRIPLET beyond = mine.remote(8, 16);
  beyond.rmr_context = context;
  const DAT_RMR_TRIPLET source = theirs.remote(0, 16);
  EXPECT_DAT_ERROR(dat_ep_post_rdma_read_to_rmr(active().ep(), &beyond, cookie(2), &source,
                                                DAT_COMPLETION_DEFAULT_FLAG),
                   DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
  EXPECT_EQ(one(active().ia(), DCNT_IA_DIAG_ERR_RQ_RAE), 0U);
}

// Rules: DAT2.60
TEST_F(Dat2Counters, AResetIsOfWhatWasAskedForAndOfThisObject) {
  send(10);
  std::uint64_t value = 0;
  EXPECT_DAT_OK(dat_ib_query_counters(active().ep(), DCNT_EP_POST_SEND, &value, 1));
  EXPECT_EQ(value, 1U);
  EXPECT_EQ(one(active().ep(), DCNT_EP_POST_SEND), 0U);
  EXPECT_EQ(one(active().ep(), DCNT_EP_POST_SEND_DATA), 10U);
  send(5);
  EXPECT_EQ(one(active().ep(), DCNT_EP_POST_SEND), 1U);
  EXPECT_EQ(of_ep(active(), 1)[DCNT_EP_POST_SEND_DATA], 15U);
  EXPECT_EQ(of_ep(active()), Counters([] {
              Counters none(DCNT_EP_ALL_COUNTERS + 1, 0);
              none.back() = 77;
              return none;
            }()));
  EXPECT_EQ(one(passive().ep(), DCNT_EP_RECV_DATA), 15U);
}

// Rules: DAT2.61
TEST_F(Dat2Counters, AGroupThatIsStoppedStandsStill) {
  const auto requests = [this] { return one(active().ia(), DCNT_IA_CM_REQ_TX); };
  const auto connect_once_more = [this] {
    const Ep another = active().another_ep();
    ASSERT_DAT_OK(connect(another, address_of(active().ia()), free_qualifier()));
    next_event(active().connect_evd());
  };
  ASSERT_EQ(requests(), 1U);
  const std::uint64_t endpoints = one(active().ia(), DCNT_IA_EP_CREATE);
  ASSERT_DAT_OK(dat_ib_stop_counter(active().ia(), DCNT_IA_CM));
  connect_once_more();
  EXPECT_EQ(requests(), 1U);
  EXPECT_EQ(one(active().ia(), DCNT_IA_EP_CREATE), endpoints + 1) << "of no group";
  ASSERT_DAT_OK(dat_ib_start_counter(active().ia(), DCNT_IA_CM));
  EXPECT_EQ(requests(), 1U);
  connect_once_more();
  EXPECT_EQ(requests(), 2U);
  ASSERT_DAT_OK(dat_ib_stop_counter(active().ia(), DCNT_IA_DIAG));
  connect_once_more();
  EXPECT_EQ(requests(), 3U) << "another group";
}

// Rules: DAT2.62
TEST_F(Dat2Counters, BadArguments) {
  std::uint64_t value = 77;
  const auto query = [&value](DAT_HANDLE handle, int counter) {
    return dat_ib_query_counters(handle, counter, &value, 1);
  };
  EXPECT_DAT_ERROR(query(active().pz(), 0), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE1);
  EXPECT_DAT_ERROR(query(DAT_HANDLE_NULL, 0), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE1);
  EXPECT_DAT_ERROR(query(active().ep(), 25), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
  EXPECT_DAT_ERROR(query(active().ep(), -1), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
  EXPECT_DAT_ERROR(query(active().recv_evd(), 11), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
  EXPECT_DAT_ERROR(query(active().ia(), 86), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
  EXPECT_EQ(value, 77U);
  EXPECT_DAT_ERROR(dat_ib_query_counters(active().ep(), 0, nullptr, 0), DAT_INVALID_PARAMETER,
                   DAT_INVALID_ARG4);
  EXPECT_DAT_ERROR(dat_ib_print_counters(active().ep(), 25, 0), DAT_INVALID_PARAMETER,
                   DAT_INVALID_ARG3);
  EXPECT_DAT_ERROR(dat_ib_stop_counter(active().ep(), DCNT_IA_CM), DAT_INVALID_HANDLE,
                   DAT_INVALID_HANDLE_IA);
  EXPECT_DAT_ERROR(dat_ib_start_counter(active().ia(), 3), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
}

// Rules: DAT2.63
TEST_F(Dat2Counters, Printed) {
  send(10);
  EXPECT_EQ(printed([&] {
              EXPECT_DAT_OK(dat_ib_print_counters(active().ep(), DCNT_EP_ALL_COUNTERS, 1));
            }),
            "DCNT_EP_CONNECT 1\nDCNT_EP_POST_SEND 1\nDCNT_EP_POST_SEND_DATA 10\n");
  EXPECT_EQ(
      printed([&] { EXPECT_DAT_OK(dat_ib_print_counters(active().ep(), DCNT_EP_POST_SEND, 0)); }),
      "DCNT_EP_POST_SEND 0\n");
}

} // namespace
