// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Endpoints of unreliable datagrams: address handles, datagrams, and what must not hurt them.
#include "dat.h"

#include <dat2/dat_ib_extensions.h>

#include <array>
#include <cstring>
#include <string>

#include "fixture.h"
#include "two_processes.h"

namespace {

using namespace datum::test;

constexpr DAT_TIMEOUT kShort = 20'000; // us
constexpr std::size_t kHeaderRoom = 40;

SideOptions datagrams() {
  SideOptions options;
  options.change = [](DAT_EP_ATTR& attributes) {
    attributes.service_type = any_value<DAT_SERVICE_TYPE>(1);
    attributes.max_recv_dtos = 64;
    attributes.max_request_dtos = 64;
  };
  return options;
}

// An event of an endpoint of datagrams, or of a listener.
struct Told {
  DAT_EVENT event{};
  DAT_IB_EXTENSION_EVENT_DATA extension{};
  const DAT_CONNECTION_EVENT_DATA& connection() const {
    return event.event_data.connect_event_data;
  }
};

Told expect_told(DAT_EVD_HANDLE evd, int number, DAT_IB_EXT_TYPE type) {
  Told told;
  told.event = next_event(evd);
  EXPECT_EQ(static_cast<int>(told.event.event_number), number);
  std::memcpy(&told.extension, told.event.event_extension_data, sizeof told.extension);
  EXPECT_EQ(told.extension.type, type);
  return told;
}

Cr expect_datagrams_request(const Listener& listener) {
  const Told told = expect_told(listener.evd(), 0x40001, DAT_IB_UD_CONNECT_REQUEST);
  return Cr(told.event.event_data.cr_arrival_event_data.cr_handle);
}

Told expect_resolved(const Side& side, DAT_IB_EXT_TYPE type) {
  Told told = expect_told(side.connect_evd(), 0x40002, type);
  EXPECT_EQ(told.extension.status, DAT_OP_SUCCESS);
  EXPECT_NE(told.extension.remote_ah.ah, nullptr);
  EXPECT_NE(told.extension.remote_ah.qpn, 0U);
  return told;
}

Told expect_failure(const Side& side) {
  Told told = expect_told(side.connect_evd(), 0x40004, DAT_IB_UD_CONNECT_ERROR);
  EXPECT_EQ(told.extension.status, DAT_IB_OP_ERR);
  EXPECT_EQ(told.extension.remote_ah.ah, nullptr);
  return told;
}

// What each side calls the other.
struct Resolved {
  DAT_IB_ADDR_HANDLE of_passive{};
  DAT_IB_ADDR_HANDLE of_active{};
};

Resolved resolve(Side& active, Side& passive) {
  Listener listener(passive.ia());
  EXPECT_DAT_OK(connect(active.ep(), listener));
  Cr cr = expect_datagrams_request(listener);
  EXPECT_DAT_OK(accept(cr, passive.ep()));
  Resolved names;
  names.of_passive = expect_resolved(active, DAT_IB_UD_REMOTE_AH).extension.remote_ah;
  names.of_active = expect_resolved(passive, DAT_IB_UD_PASSIVE_REMOTE_AH).extension.remote_ah;
  return names;
}

DAT_RETURN send(Side& from, DAT_IB_ADDR_HANDLE to, DAT_LMR_TRIPLET part, DAT_UINT64 number = 1,
                int flags = 0) {
  return dat_ib_post_send_ud(from.ep(), 1, &part, &to, cookie(number), flags);
}

DAT_RETURN forget(Side& side, DAT_IB_ADDR_HANDLE which) {
  return dat_ib_ud_ah_free(side.ep(), &which);
}

void expect_sent(Side& from, DAT_UINT64 number, std::size_t length) {
  const Told told = expect_told(from.request_evd(), 0x40000, DAT_IB_UD_SEND);
  const DAT_DTO_COMPLETION_EVENT_DATA& dto = told.event.event_data.dto_completion_event_data;
  EXPECT_EQ(told.extension.status, DAT_OP_SUCCESS);
  EXPECT_EQ(dto.ep_handle, from.ep());
  EXPECT_EQ(dto.user_cookie.as_64, number);
  EXPECT_EQ(dto.status, DAT_DTO_SUCCESS);
  EXPECT_EQ(static_cast<int>(dto.operation), 13);
  EXPECT_EQ(dto.transfered_length, length);
}

class Dat2Datagrams : public testing::Test {
 protected:
  // Posted, sent, arrived.
  void expect_passes(Side& from, DAT_IB_ADDR_HANDLE to, Buffer& source, Side& at, Buffer& sink,
                     std::string_view text) {
    ASSERT_DAT_OK(post_recv(at.ep(), {sink.segment()}, 7));
    source.write(0, text);
    ASSERT_DAT_OK(send(from, to, source.segment(0, text.size()), 8));
    expect_sent(from, 8, text.size());
    EXPECT_EQ(expect_dto(at.recv_evd(), at.ep(), 7), kHeaderRoom + text.size());
    EXPECT_EQ(sink.text(kHeaderRoom, text.size()), text);
  }
  void there_and_back() {
    const Resolved names = resolve(here, there);
    expect_passes(here, names.of_passive, mine, there, theirs, "there");
    expect_passes(there, names.of_active, theirs, here, mine, "and back");
  }

  Ia here_ia = open_ia();
  Ia there_ia = open_ia();
  Side here{here_ia, datagrams()};
  Side there{there_ia, datagrams()};
  Buffer mine = here.buffer(8192);
  Buffer theirs = there.buffer(8192);
};

// Rules: DAT2.42
TEST_F(Dat2Datagrams, TheServiceTypeStays) {
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
TEST_F(Dat2Datagrams, WithoutAnSrqAndAnRsp) {
  Pz pz = create_pz(here_ia);
  Srq srq = create_srq(here_ia, pz);
  DAT_EP_ATTR attributes = default_attributes(here_ia);
  attributes.service_type = any_value<DAT_SERVICE_TYPE>(1);
  Ep ep;
  EXPECT_DAT_TYPE(dat_ep_create_with_srq(here_ia, pz, here.recv_evd(), here.request_evd(),
                                         here.connect_evd(), srq, &attributes, ep.out()),
                  DAT_MODEL_NOT_SUPPORTED);
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
TEST_F(Dat2Datagrams, ConnectingTellsBothSidesAnAddress) {
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
TEST_F(Dat2Datagrams, PrivateDataUpToTheLimit) {
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
TEST_F(Dat2Datagrams, OneEndpointHasManyPeers) {
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
  // Some may be on the way even now; the last one comes behind all of them.
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

// Rules: DAT2.48
TEST_F(Dat2Datagrams, ARejectBringsItsData) {
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
TEST_F(Dat2Datagrams, NobodyListens) {
  ASSERT_DAT_OK(connect(here.ep(), address_of(there_ia), free_qualifier()));
  const Told told = expect_failure(here);
  EXPECT_EQ(told.connection().ep_handle, here.ep());
  there_and_back();
}

// Rules: DAT2.48
TEST_F(Dat2Datagrams, NobodyAnswersInTime) {
  Listener listener(there_ia);
  Cr cr;
  // On a busy machine it can be over before the request was sent: then with more time.
  for (DAT_TIMEOUT time = kShort; time < kPatience && cr.get() == DAT_HANDLE_NULL; time *= 2) {
    ASSERT_DAT_OK(connect(here.ep(), listener, {}, time));
    expect_failure(here);
    DAT_EVENT event{};
    if (dat_evd_dequeue(listener.evd(), &event) == DAT_SUCCESS)
      cr = Cr(event.event_data.cr_arrival_event_data.cr_handle);
  }
  // The listener does not know yet.
  ASSERT_DAT_OK(accept(cr, there.ep()));
  expect_failure(there);
  there_and_back();
}

// Rules: DAT2.49
TEST_F(Dat2Datagrams, NeverPairedWithAConnectedEndpoint) {
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
TEST_F(Dat2Datagrams, RefusedWhereOnlyAConnectedEndpointCouldAnswer) {
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
TEST_F(Dat2Datagrams, AFreedAddressIsOfNoUseButThePeerMaySend) {
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
TEST_F(Dat2Datagrams, WhatWasSentBeforeBothFreedArrives) {
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
TEST_F(Dat2Datagrams, FreeingAConnectionLeavesTheAddress) {
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

// Rules: DAT2.51
TEST_F(Dat2Datagrams, ToAPeerThatHasGoneTheyAreLostAndComplete) {
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
TEST_F(Dat2Datagrams, AStoppedProcessAndADeadOneHoldNobodyUp) {
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

// A connected endpoint whose consumer says what requests of the other kind begin with.
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
  // Its connection has ended, and nothing else.
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
TEST_F(Dat2Datagrams, DisconnectingEndsAllAndResetBeginsAgain) {
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
TEST_F(Dat2Datagrams, FreedInTheMiddleOfItAll) {
  const Resolved names = resolve(here, there);
  Listener listener(there_ia);
  ASSERT_DAT_OK(connect(here.ep(), listener));
  Cr cr = expect_datagrams_request(listener);
  ASSERT_DAT_OK(send(here, names.of_passive, mine.segment(0, 4)));
  here.ep().free();
  ASSERT_DAT_OK(accept(cr, there.ep()));
  expect_failure(there);
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

// Rules: DAT2.54
TEST_F(Dat2Datagrams, AnAddressServesTheEndpointsOfItsProtectionZone) {
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
TEST_F(Dat2Datagrams, ToItself) {
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
  // Without a Recv it is dropped, before the one behind it arrives in one.
  EXPECT_EQ(count(there_ia, DCNT_IA_DIAG_ERR_RQ_UDSDPRD), 0U);
  ASSERT_DAT_OK(post_recv(there.ep(), {theirs.segment(0, kHeaderRoom + 4)}, 1));
  ASSERT_DAT_OK(send(here, names.of_passive, mine.segment(0, 5)));
  ASSERT_DAT_OK(send(here, names.of_passive, mine.segment(0, 4)));
  expect_dto(there.recv_evd(), there.ep(), 1);
  EXPECT_EQ(count(there_ia, DCNT_IA_DIAG_ERR_RQ_UDSDPRD), 1U);
}

} // namespace
