// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat_ep_connect(3DAT): its arguments, one at a time, and the event that ends an attempt.
#include <netinet/in.h>
#include <sys/un.h>

#include <functional>

#include "each_kind.h"
#include "fixture.h"
#include "names.h"

namespace datum::test {
namespace {

// The arguments of a connect that would succeed, to be changed one at a time.
struct ConnectArguments {
  DAT_EP_HANDLE ep;
  DAT_IA_ADDRESS_PTR address;
  DAT_CONN_QUAL qualifier;
  DAT_TIMEOUT timeout = DAT_TIMEOUT_INFINITE;
  DAT_COUNT data_size = 0;
  DAT_PVOID data = nullptr;
  DAT_QOS qos = DAT_QOS_BEST_EFFORT;
  DAT_CONNECT_FLAGS flags = DAT_CONNECT_DEFAULT_FLAG;

  DAT_RETURN call() const {
    return dat_ep_connect(ep, address, qualifier, timeout, data_size, data, qos, flags);
  }
};

class DatEpConnect : public Conformance {
 protected:
  void SetUp() override {
    Conformance::SetUp();
    passive_ia = open_ia();
    passive = std::make_unique<Side>(passive_ia);
    listener = std::make_unique<Listener>(passive_ia);
    active = std::make_unique<Side>(ia);
    arguments.ep = active->ep();
    arguments.address = address_of(passive_ia);
    arguments.qualifier = listener->qualifier();
  }
  void TearDown() override {
    active.reset();
    passive.reset();
    listener.reset();
  }

  // The call must fail at once and leave no trace.
  void expect_refused(DAT_RETURN type, DAT_RETURN subtype,
                      const std::function<void(ConnectArguments&)>& change) {
    ConnectArguments changed = arguments;
    change(changed);
    EXPECT_DAT_ERROR(changed.call(), type, subtype);
    EXPECT_EQ(ep_state(arguments.ep), DAT_EP_STATE_UNCONNECTED);
  }
  void expect_bad_argument(DAT_RETURN subtype,
                           const std::function<void(ConnectArguments&)>& change) {
    expect_refused(DAT_INVALID_PARAMETER, subtype, change);
  }

  void expect_accepted(std::string_view data = {}) {
    Cr cr = listener->expect_request();
    EXPECT_DAT_OK(accept(cr, passive->ep(), data));
  }

  Ia passive_ia;
  std::unique_ptr<Side> passive;
  std::unique_ptr<Listener> listener;
  std::unique_ptr<Side> active;
  ConnectArguments arguments{};
};

// Rules: dat_ep_connect.R1 dat_ep_connect.R2 dat_ep_connect.R3
TEST_F(DatEpConnect, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_EP, [&](DAT_HANDLE handle) {
    ConnectArguments changed = arguments;
    changed.ep = handle;
    return changed.call();
  });
}

TEST_F(DatEpConnect, R4ExactlyOneEvent) {
  ASSERT_DAT_OK(arguments.call());
  EXPECT_EQ(ep_state(arguments.ep), DAT_EP_STATE_ACTIVE_CONNECTION_PENDING);
  EXPECT_NO_EVENT(active->connect_evd()) << "nobody has answered yet";
  expect_accepted();
  expect_connection_event(active->connect_evd(), kEstablished, arguments.ep);
  EXPECT_EQ(ep_state(arguments.ep), DAT_EP_STATE_CONNECTED);
  EXPECT_NO_EVENT(active->connect_evd());
}

// Rules: dat_ep_connect.R5 dat_ep_connect.R8 dat_ep_connect.R10 dat_ep_connect.R11
// Rules: dat_ep_connect.R12 dat_ep_connect.R15 dat_ep_connect.R20
TEST_F(DatEpConnect, BadArguments) {
  std::vector<char> data(static_cast<std::size_t>(provider_attributes(ia).max_private_data_size) +
                         1);
  expect_bad_argument(DAT_INVALID_ARG2, [](ConnectArguments& a) { a.address = nullptr; });
  expect_bad_argument(DAT_INVALID_ARG4, [](ConnectArguments& a) { a.timeout = 0; });
  expect_bad_argument(DAT_INVALID_ARG5, [&](ConnectArguments& a) {
    a.data = data.data();
    a.data_size = -1;
  });
  expect_bad_argument(DAT_INVALID_ARG5, [&](ConnectArguments& a) {
    a.data = data.data();
    a.data_size = static_cast<DAT_COUNT>(data.size());
  });
  expect_bad_argument(DAT_INVALID_ARG6, [](ConnectArguments& a) { a.data_size = 1; });
  expect_bad_argument(DAT_INVALID_ARG8,
                      [](ConnectArguments& a) { a.flags = any_value<DAT_CONNECT_FLAGS>(2); });
  EXPECT_NO_EVENT(active->connect_evd());
  EXPECT_NO_EVENT(listener->evd());
  ASSERT_DAT_OK(arguments.call()) << "still possible";
  expect_accepted();
  expect_connection_event(active->connect_evd(), kEstablished, arguments.ep);
}

// Rules: dat_ep_connect.R6 dat_ep_connect.R7 dat_ep_connect.R20 CONN.7
TEST_F(DatEpConnect, BadAddresses) {
  sockaddr_un local{};
  local.sun_family = AF_UNIX;
  sockaddr_in group{};
  group.sin_family = AF_INET;
  group.sin_addr.s_addr = htonl(0xe0000001); // 224.0.0.1
  sockaddr_in broadcast = group;
  broadcast.sin_addr.s_addr = htonl(0xffffffff);
  sockaddr_in6 group6{};
  group6.sin6_family = AF_INET6;
  group6.sin6_addr.s6_addr[0] = 0xff; // ff02::1
  group6.sin6_addr.s6_addr[1] = 0x02;
  group6.sin6_addr.s6_addr[15] = 0x01;
  for (void* bad : std::initializer_list<void*>{&local, &group, &broadcast, &group6}) {
    expect_refused(DAT_INVALID_ADDRESS, DAT_INVALID_ADDRESS_UNSUPPORTED,
                   [&](ConnectArguments& a) { a.address = static_cast<DAT_IA_ADDRESS_PTR>(bad); });
  }
  EXPECT_NO_EVENT(active->connect_evd());
}

// Rules: dat_ep_connect.R14 dat_ep_connect.R16 dat_ep_connect.R20
TEST_F(DatEpConnect, WhatWeDoNotOffer) {
  for (const DAT_QOS qos : {DAT_QOS_HIGH_THROUGHPUT, DAT_QOS_LOW_LATENCY, DAT_QOS_PREMIUM}) {
    expect_refused(DAT_MODEL_NOT_SUPPORTED, DAT_NO_SUBTYPE,
                   [&](ConnectArguments& a) { a.qos = qos; });
  }
  expect_refused(DAT_MODEL_NOT_SUPPORTED, DAT_NO_SUBTYPE,
                 [](ConnectArguments& a) { a.flags = DAT_CONNECT_MULTIPATH_FLAG; });
  EXPECT_NO_EVENT(active->connect_evd());
}

TEST_F(DatEpConnect, R9NoTimeLimit) {
  arguments.timeout = 0xffffffff; // DAT_TIMEOUT_INFINITE
  ASSERT_DAT_OK(arguments.call());
  expect_accepted();
  expect_connection_event(active->connect_evd(), kEstablished, arguments.ep);
}

TEST_F(DatEpConnect, R13NoDataWithAnyPointer) {
  arguments.data = pointer_value(1);
  ASSERT_DAT_OK(arguments.call());
  const Cr cr = listener->expect_request();
  EXPECT_EQ(query_cr(cr).private_data_size, 0);
}

TEST_F(DatEpConnect, R17WithoutConnectEvd) {
  const Ep ep =
      create_ep(ia, active->pz(), active->recv_evd(), active->request_evd(), DAT_HANDLE_NULL);
  arguments.ep = ep;
  expect_refused(DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EVD_CONN, [](ConnectArguments&) {});
  // What the IA cannot do is checked last (decision 2).
  expect_refused(DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EVD_CONN,
                 [](ConnectArguments& a) { a.qos = DAT_QOS_LOW_LATENCY; });
}

TEST_F(DatEpConnect, R18WithoutPz) {
  const Ep ep = create_ep(ia, DAT_HANDLE_NULL, active->recv_evd(), active->request_evd(),
                          active->connect_evd());
  arguments.ep = ep;
  expect_refused(DAT_INVALID_STATE, DAT_INVALID_STATE_EP_NOTREADY, [](ConnectArguments&) {});
  EXPECT_NO_EVENT(active->connect_evd());
}

TEST_F(DatEpConnect, R19WithoutDtoEvds) {
  const Ep ep =
      create_ep(ia, active->pz(), DAT_HANDLE_NULL, DAT_HANDLE_NULL, active->connect_evd());
  arguments.ep = ep;
  ASSERT_DAT_OK(arguments.call());
  expect_accepted();
  expect_connection_event(active->connect_evd(), kEstablished, ep);
}

// Rules: dat_ep_connect.R22 CONV.14 CONV.15 CONV.17
TEST_F(DatEpConnect, ThePrivateDataIsCopiedAtTheCall) {
  const auto most = static_cast<std::size_t>(provider_attributes(ia).max_private_data_size);
  for (const std::size_t size : {std::size_t{1}, std::size_t{64}, most}) {
    std::string data(size, 'p');
    data.front() = '<';
    data.back() = '>';
    const std::string sent = data;
    ASSERT_DAT_OK(connect(arguments.ep, *listener, data));
    data.assign(size, '?');
    const Cr cr = listener->expect_request();
    EXPECT_EQ(request_data(cr), sent);
    ASSERT_DAT_OK(dat_ep_disconnect(arguments.ep, DAT_CLOSE_ABRUPT_FLAG));
    expect_event(active->connect_evd(), DAT_CONNECTION_EVENT_DISCONNECTED);
    ASSERT_DAT_OK(dat_ep_reset(arguments.ep));
  }
}

// Rules: CONV.16
TEST_F(DatEpConnect, PrivateDataIsBytesNotText) {
  const std::string question("\0?\0\0", 4);
  const std::string answer("\0", 1);
  ASSERT_DAT_OK(connect(arguments.ep, *listener, question));
  Cr cr = listener->expect_request();
  EXPECT_EQ(request_data(cr), question);
  ASSERT_DAT_OK(accept(cr, passive->ep(), answer));
  EXPECT_EQ(reply_data(expect_connection_event(active->connect_evd(), kEstablished, arguments.ep)),
            answer);
}

// Rules: dat_ep_connect.R24 EVENT.5
TEST_F(DatEpConnect, EstablishedShowsTheAnswer) {
  ASSERT_DAT_OK(arguments.call());
  expect_accepted("from the accepter");
  const DAT_EVENT event = next_event(active->connect_evd());
  EXPECT_EQ(static_cast<int>(event.event_number), 0x4001);
  const DAT_CONNECTION_EVENT_DATA& data = event.event_data.connect_event_data;
  EXPECT_EQ(data.ep_handle, arguments.ep);
  EXPECT_EQ(data.private_data_size, 17);
  EXPECT_EQ(reply_data(data), "from the accepter");
}

TEST_F(DatEpConnect, R25AFailedAttemptFlushesTheRecvs) {
  Buffer buffer = active->buffer(16);
  for (DAT_UINT64 i = 1; i <= 3; ++i) {
    ASSERT_DAT_OK(post_recv(arguments.ep, {buffer.segment()}, i));
  }
  ASSERT_DAT_OK(arguments.call());
  listener->expect_request().free(); // rejected
  expect_connection_event(active->connect_evd(), kPeerRejected, arguments.ep);
  EXPECT_EQ(ep_state(arguments.ep), DAT_EP_STATE_DISCONNECTED);
  for (DAT_UINT64 i = 1; i <= 3; ++i) {
    expect_dto(active->recv_evd(), arguments.ep, i, DAT_DTO_ERR_FLUSHED);
  }
}

} // namespace
} // namespace datum::test
