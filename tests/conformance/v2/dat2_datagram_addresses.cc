// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Address handles: how an endpoint of datagrams gets them, which endpoint each one names, and how
// long it stays valid.
#include <set>
#include <string>
#include <vector>

#include "datagrams.h"

namespace {

using namespace datum::test;

using Dat2DatagramAddresses = Dat2Datagrams;

// Rules: DAT2.42
TEST_F(Dat2DatagramAddresses, TheServiceTypeStays) {
  EXPECT_EQ(static_cast<int>(query_ep(here.ep()).ep_attr.service_type), 1);
  EXPECT_EQ(ep_state(here.ep()), DAT_EP_STATE_UNCONNECTED);
  DAT_EP_PARAM param{};
  param.ep_attr.service_type = DAT_SERVICE_TYPE_RC;
  EXPECT_DAT_ERROR(dat_ep_modify(here.ep(), DAT_EP_FIELD_EP_ATTR_SERVICE_TYPE, &param),
                   DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
  param.ep_attr.service_type = any_value<DAT_SERVICE_TYPE>(1);
  EXPECT_DAT_OK(dat_ep_modify(here.ep(), DAT_EP_FIELD_EP_ATTR_SERVICE_TYPE, &param));
  resolve(here, there);
  EXPECT_EQ(ep_state(here.ep()), DAT_EP_STATE_CONNECTED);
  EXPECT_EQ(ep_state(there.ep()), DAT_EP_STATE_CONNECTED);
}

// Rules: DAT2.42
TEST_F(Dat2DatagramAddresses, WithoutAnRspAndACopy) {
  Evd evd = create_evd(here_ia, DAT_EVD_CR_FLAG);
  Rsp rsp;
  EXPECT_DAT_TYPE(dat_rsp_create(here_ia, free_qualifier(), here.ep(), evd, rsp.out()),
                  DAT_MODEL_NOT_SUPPORTED);
  Side other(here_ia);
  EXPECT_DAT_TYPE(
      dat_ep_dup_connect(here.ep(), other.ep(), kPatience, 0, nullptr, DAT_QOS_BEST_EFFORT),
      DAT_MODEL_NOT_SUPPORTED);
}

// Rules: DAT2.43
TEST_F(Dat2DatagramAddresses, ConnectingTellsBothSidesAnAddress) {
  Listener listener(there_ia);
  ASSERT_DAT_OK(connect(here.ep(), listener, "request"));
  Cr cr = expect_datagrams_request(listener);
  EXPECT_EQ(request_data(cr), "request");
  ASSERT_DAT_OK(accept(cr, there.ep(), "answer"));
  const Told active = expect_resolved(here, DAT_IB_UD_REMOTE_AH);
  EXPECT_EQ(active.connection().ep_handle, here.ep());
  EXPECT_EQ(reply_data(active.connection()), "answer");
  EXPECT_EQ(std::memcmp(&active.extension.remote_ah.ia_addr, address_of(there_ia), 8), 0);
  const Told passive = expect_resolved(there, DAT_IB_UD_PASSIVE_REMOTE_AH);
  EXPECT_EQ(passive.connection().ep_handle, there.ep());
  EXPECT_EQ(reply_data(passive.connection()), "request");
  EXPECT_EQ(std::memcmp(&passive.extension.remote_ah.ia_addr, address_of(here_ia), 8), 0);
  EXPECT_NE(active.extension.remote_ah.qpn, passive.extension.remote_ah.qpn);
}

// Rules: DAT2.43
TEST_F(Dat2DatagramAddresses, PrivateDataUpToTheLimit) {
  const auto most = static_cast<std::size_t>(provider_attributes(here_ia).max_private_data_size);
  const std::string question(most, 'q');
  const std::string answer(most, 'a');
  Listener listener(there_ia);
  ASSERT_DAT_OK(connect(here.ep(), listener, question));
  Cr cr = expect_datagrams_request(listener);
  EXPECT_EQ(request_data(cr), question);
  ASSERT_DAT_OK(accept(cr, there.ep(), answer));
  EXPECT_EQ(reply_data(expect_resolved(here, DAT_IB_UD_REMOTE_AH).connection()), answer);
  EXPECT_EQ(reply_data(expect_resolved(there, DAT_IB_UD_PASSIVE_REMOTE_AH).connection()), question);
}

// Rules: DAT2.44
TEST_F(Dat2DatagramAddresses, OneEndpointHasManyPeers) {
  Side third(there_ia, datagrams());
  Buffer thirds = third.buffer(128);
  const Resolved with_there = resolve(here, there);
  const Resolved with_third = resolve(here, third);
  const Resolved again = resolve(third, here);
  EXPECT_NE(with_there.of_passive.ah, with_third.of_passive.ah);
  expect_passes(here, with_third.of_passive, mine, third, thirds, "to the third");
  expect_passes(here, with_there.of_passive, mine, there, theirs, "to the other");
  expect_passes(there, with_there.of_active, theirs, here, mine, "from the other");
  expect_passes(third, with_third.of_active, thirds, here, mine, "from the third");
  expect_passes(third, again.of_passive, thirds, here, mine, "once more");
}

// Rules: DAT2.48
TEST_F(Dat2DatagramAddresses, ARejectBringsItsData) {
  Listener listener(there_ia);
  ASSERT_DAT_OK(connect(here.ep(), listener));
  Cr cr = expect_datagrams_request(listener);
  char why[] = "busy";
  ASSERT_DAT_OK(dat_cr_reject(cr.release(), sizeof why, why));
  const Told told = expect_told(here.connect_evd(), 0x40003, DAT_IB_UD_CONNECT_REJECT);
  EXPECT_EQ(told.extension.remote_ah.ah, nullptr);
  EXPECT_EQ(reply_data(told.connection()), std::string(why, sizeof why));
  EXPECT_DAT_OK(dat_ib_ud_cm_free(here.ep(), told.extension.context.as_ptr));
  there_and_back();
}

// Rules: DAT2.48
TEST_F(Dat2DatagramAddresses, NobodyListens) {
  ASSERT_DAT_OK(connect(here.ep(), address_of(there_ia), free_qualifier()));
  const Told told = expect_failure(here);
  EXPECT_EQ(told.connection().ep_handle, here.ep());
  there_and_back();
}

// Rules: DAT2.48
TEST_F(Dat2DatagramAddresses, NobodyAnswersInTime) {
  constexpr DAT_TIMEOUT kShort = 20'000; // us
  Listener listener(there_ia);
  Cr cr;
  // On a busy machine the time can be over before the request is sent. Then the loop tries again
  // with more time.
  for (DAT_TIMEOUT time = kShort; time < kPatience && cr.get() == DAT_HANDLE_NULL; time *= 2) {
    ASSERT_DAT_OK(connect(here.ep(), listener, {}, time));
    expect_failure(here);
    // Waits for a request that is still on its way. Otherwise it would arrive during the next try.
    const auto way = static_cast<DAT_TIMEOUT>(time_on_the_way().count());
    DAT_EVENT event{};
    DAT_COUNT left = 0;
    if (dat_evd_wait(listener.evd(), way, 1, &event, &left) == DAT_SUCCESS)
      cr = Cr(event.event_data.cr_arrival_event_data.cr_handle);
  }
  // The listener does not know yet that the requester has given up.
  ASSERT_DAT_OK(accept(cr, there.ep()));
  expect_failure(there);
  there_and_back();
  // A request of an attempt that was given up may have arrived after the last dequeue from the
  // listener's EVD. No request arrives after the PSP has been freed. The requests that have arrived
  // must be freed before their IA is closed.
  listener.psp().free();
  DAT_EVENT late{};
  while (dat_evd_dequeue(listener.evd(), &late) == DAT_SUCCESS)
    Cr(late.event_data.cr_arrival_event_data.cr_handle).free();
}

// Rules: DAT2.49
TEST_F(Dat2DatagramAddresses, NeverPairedWithAConnectedEndpoint) {
  Side connected(there_ia);
  Listener listener(there_ia);
  ASSERT_DAT_OK(connect(here.ep(), listener));
  Cr for_datagrams = expect_datagrams_request(listener);
  EXPECT_DAT_ERROR(accept(for_datagrams, connected.ep()), DAT_INVALID_HANDLE,
                   DAT_INVALID_HANDLE_EP);
  ASSERT_DAT_OK(connect(connected.ep(), listener));
  Cr for_connection = listener.expect_request();
  EXPECT_DAT_ERROR(accept(for_connection, there.ep()), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EP);
  ASSERT_DAT_OK(accept(for_datagrams, there.ep()));
  expect_resolved(here, DAT_IB_UD_REMOTE_AH);
  expect_resolved(there, DAT_IB_UD_PASSIVE_REMOTE_AH);
  for_connection.free();
  expect_connection_event(connected.connect_evd(), DAT_CONNECTION_EVENT_PEER_REJECTED,
                          connected.ep());
}

// Rules: DAT2.49
TEST_F(Dat2DatagramAddresses, RefusedWhereOnlyAConnectedEndpointCouldAnswer) {
  Listener with_endpoints(there_ia, DAT_PSP_PROVIDER_FLAG);
  ASSERT_DAT_OK(connect(here.ep(), with_endpoints));
  expect_failure(here);
  Evd evd = create_evd(there_ia, DAT_EVD_CR_FLAG);
  Side connected(there_ia);
  const DAT_CONN_QUAL qualifier = free_qualifier();
  Rsp rsp = create_rsp(there_ia, qualifier, connected.ep(), evd);
  ASSERT_DAT_OK(connect(here.ep(), address_of(there_ia), qualifier));
  expect_failure(here);
  EXPECT_EQ(ep_state(connected.ep()), DAT_EP_STATE_RESERVED);
}

// Rules: DAT2.50
TEST_F(Dat2DatagramAddresses, AFreedAddressIsOfNoUseButThePeerMaySend) {
  const Resolved names = resolve(here, there);
  ASSERT_DAT_OK(forget(there, names.of_active));
  EXPECT_DAT_ERROR(send(there, names.of_active, theirs.segment(0, 4)), DAT_INVALID_PARAMETER,
                   DAT_INVALID_ARG5);
  EXPECT_DAT_ERROR(forget(there, names.of_active), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
  expect_passes(here, names.of_passive, mine, there, theirs, "still there");
  ASSERT_DAT_OK(forget(here, names.of_passive));
  EXPECT_NO_EVENT(here.connect_evd());
  EXPECT_NO_EVENT(there.connect_evd());
  there_and_back();
}

// Rules: DAT2.50
TEST_F(Dat2DatagramAddresses, WhatWasSentBeforeBothFreedArrives) {
  const Resolved names = resolve(here, there);
  for (DAT_UINT64 i = 0; i != 64; ++i) ASSERT_DAT_OK(post_recv(there.ep(), {theirs.segment()}, i));
  for (DAT_UINT64 i = 0; i != 64; ++i)
    ASSERT_DAT_OK(send(here, names.of_passive, mine.segment(0, 4096), i));
  ASSERT_DAT_OK(forget(there, names.of_active));
  ASSERT_DAT_OK(forget(here, names.of_passive));
  for (DAT_UINT64 i = 0; i != 64; ++i)
    EXPECT_EQ(expect_dto(there.recv_evd(), there.ep(), i), kHeaderRoom + 4096);
}

// Rules: DAT2.50
TEST_F(Dat2DatagramAddresses, FreeingAConnectionLeavesTheAddress) {
  Listener listener(there_ia);
  ASSERT_DAT_OK(connect(here.ep(), listener, "request"));
  Cr cr = expect_datagrams_request(listener);
  ASSERT_DAT_OK(accept(cr, there.ep()));
  const Told told = expect_resolved(here, DAT_IB_UD_REMOTE_AH);
  expect_resolved(there, DAT_IB_UD_PASSIVE_REMOTE_AH);
  EXPECT_DAT_OK(dat_ib_ud_cm_free(here.ep(), told.extension.context.as_ptr));
  expect_passes(here, told.extension.remote_ah, mine, there, theirs, "as ever");
  ASSERT_DAT_OK(forget(here, told.extension.remote_ah));
  EXPECT_DAT_OK(dat_ib_ud_cm_free(here.ep(), told.extension.context.as_ptr));
  EXPECT_DAT_ERROR(dat_ib_ud_cm_free(here.ep(), pointer_value(0x7777'7770)), DAT_INVALID_PARAMETER,
                   DAT_INVALID_ARG3);
}

// Rules: DAT2.54
TEST_F(Dat2DatagramAddresses, AnAddressServesTheEndpointsOfItsProtectionZone) {
  const Resolved names = resolve(here, there);
  DAT_EP_ATTR attributes = query_ep(here.ep()).ep_attr;
  Ep sibling = here.another_ep(&attributes);
  Listener listener(there_ia);
  ASSERT_DAT_OK(connect(sibling, listener));
  expect_datagrams_request(listener).free();
  expect_told(here.connect_evd(), 0x40003, DAT_IB_UD_CONNECT_REJECT);
  ASSERT_DAT_OK(post_recv(there.ep(), {theirs.segment()}, 1));
  DAT_IB_ADDR_HANDLE to = names.of_passive;
  DAT_LMR_TRIPLET part = mine.segment(0, 4);
  ASSERT_DAT_OK(dat_ib_post_send_ud(sibling, 1, &part, &to, cookie(2), 0));
  EXPECT_EQ(expect_dto(there.recv_evd(), there.ep(), 1), kHeaderRoom + 4);
  Side stranger(here_ia, datagrams());
  Buffer strangers = stranger.buffer(64);
  resolve(stranger, there);
  EXPECT_DAT_ERROR(send(stranger, names.of_passive, strangers.segment(0, 4)), DAT_INVALID_PARAMETER,
                   DAT_INVALID_ARG5);
}

// Rules: DAT2.55
TEST_F(Dat2DatagramAddresses, ToItself) {
  Listener listener(here_ia);
  ASSERT_DAT_OK(connect(here.ep(), listener));
  Cr cr = expect_datagrams_request(listener);
  ASSERT_DAT_OK(accept(cr, here.ep()));
  DAT_IB_ADDR_HANDLE to{};
  for (int i = 0; i != 2; ++i) {
    const DAT_EVENT event = next_event(here.connect_evd());
    DAT_IB_EXTENSION_EVENT_DATA data;
    std::memcpy(&data, event.event_extension_data, sizeof data);
    if (data.type == DAT_IB_UD_REMOTE_AH) to = data.remote_ah;
  }
  Buffer sink = here.buffer(128);
  expect_passes(here, to, mine, here, sink, "myself");
}

// Rules: DAT2.43
TEST_F(Dat2DatagramAddresses, PrivateDataAboveTheLimit) {
  const auto most = static_cast<std::size_t>(provider_attributes(here_ia).max_private_data_size);
  const std::string too_much(most + 1, 'x');
  Listener listener(there_ia);
  EXPECT_DAT_ERROR(connect(here.ep(), listener, too_much), DAT_INVALID_PARAMETER, DAT_INVALID_ARG5);
  EXPECT_EQ(ep_state(here.ep()), DAT_EP_STATE_UNCONNECTED);
  ASSERT_DAT_OK(connect(here.ep(), listener));
  Cr cr = expect_datagrams_request(listener);
  EXPECT_DAT_ERROR(accept(cr, there.ep(), too_much), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
  EXPECT_EQ(ep_state(there.ep()), DAT_EP_STATE_UNCONNECTED);
  ASSERT_DAT_OK(accept(cr, there.ep()));
  expect_resolved(here, DAT_IB_UD_REMOTE_AH);
  expect_resolved(there, DAT_IB_UD_PASSIVE_REMOTE_AH);
}

// Rules: DAT2.76
TEST_F(Dat2DatagramAddresses, NoneIsGivenTwice) {
  std::set<const void*> given;
  std::vector<DAT_IB_ADDR_HANDLE> freed;
  for (int i = 0; i != 10; ++i) {
    const Resolved names = resolve(here, there);
    given.insert(names.of_passive.ah);
    ASSERT_DAT_OK(forget(here, names.of_passive));
    ASSERT_DAT_OK(forget(there, names.of_active));
    freed.push_back(names.of_passive);
  }
  EXPECT_EQ(given.size(), 10U);
  for (const DAT_IB_ADDR_HANDLE& each : freed) {
    EXPECT_DAT_ERROR(send(here, each, mine.segment(0, 4)), DAT_INVALID_PARAMETER, DAT_INVALID_ARG5);
  }
}

// Rules: DAT2.77 DAT2.48
TEST_F(Dat2DatagramAddresses, WhatRejectsSaidStaysUntilItIsGivenBack) {
  Listener listener(there_ia);
  std::vector<Told> told;
  for (const char* why : {"the first", "the second"}) {
    ASSERT_DAT_OK(connect(here.ep(), listener));
    Cr cr = expect_datagrams_request(listener);
    std::string data = why;
    ASSERT_DAT_OK(dat_cr_reject(cr.release(), static_cast<DAT_COUNT>(data.size()), data.data()));
    told.push_back(expect_told(here.connect_evd(), 0x40003, DAT_IB_UD_CONNECT_REJECT));
  }
  EXPECT_EQ(reply_data(told[0].connection()), "the first");
  EXPECT_EQ(reply_data(told[1].connection()), "the second");
  EXPECT_DAT_OK(dat_ib_ud_cm_free(here.ep(), told[0].extension.context.as_ptr));
  EXPECT_EQ(reply_data(told[1].connection()), "the second");
}

// Rules: DAT2.77
TEST_F(Dat2DatagramAddresses, AnEventThatIsDequeuedBehindItsEndpointHasNoData) {
  Listener listener(there_ia);
  const Cno active_cno = create_cno(here_ia);
  const Cno passive_cno = create_cno(there_ia);
  ASSERT_DAT_OK(dat_evd_modify_cno(here.connect_evd(), active_cno));
  ASSERT_DAT_OK(dat_evd_modify_cno(there.connect_evd(), passive_cno));
  ASSERT_DAT_OK(connect(here.ep(), listener, "request"));
  Cr cr = expect_datagrams_request(listener);
  ASSERT_DAT_OK(accept(cr, there.ep(), "answer"));
  EXPECT_TRIGGERED(active_cno, here.connect_evd());
  EXPECT_TRIGGERED(passive_cno, there.connect_evd());
  here.ep().free();
  there.ep().free();
  const Told active = expect_told(here.connect_evd(), 0x40002, DAT_IB_UD_REMOTE_AH);
  EXPECT_EQ(active.connection().private_data_size, 0);
  EXPECT_EQ(active.connection().private_data, nullptr);
  const Told passive = expect_told(there.connect_evd(), 0x40002, DAT_IB_UD_PASSIVE_REMOTE_AH);
  EXPECT_EQ(passive.connection().private_data_size, 0);
  EXPECT_EQ(passive.connection().private_data, nullptr);
  ASSERT_DAT_OK(dat_evd_modify_cno(here.connect_evd(), DAT_HANDLE_NULL));
  ASSERT_DAT_OK(dat_evd_modify_cno(there.connect_evd(), DAT_HANDLE_NULL));
}

} // namespace
