// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Connections of DAT 2.0: private data of a reject, common service points.
#include <sys/socket.h>

#include <cstring>

#include "each_kind.h"
#include "fixture.h"
#include "socket_address.h"

namespace {

using namespace datum::test;

using Csp = Owned<dat_csp_free, DAT_HANDLE_TYPE_CSP>;

class Dat2Connection : public Conformance {
 protected:
  void SetUp() override {
    Conformance::SetUp();
    side = std::make_unique<Side>(ia);
  }

  std::unique_ptr<Side> side;
};

// Rules: DAT2.1
TEST_F(Dat2Connection, RejectDataReachThePeer) {
  Listener listener(ia);
  ASSERT_DAT_OK(connect(side->ep(), listener));
  Cr cr = listener.expect_request();
  char why[] = "the house is full";
  ASSERT_DAT_OK(dat_cr_reject(cr.release(), sizeof why, why));
  const DAT_CONNECTION_EVENT_DATA event =
      expect_connection_event(side->connect_evd(), DAT_CONNECTION_EVENT_PEER_REJECTED, side->ep());
  EXPECT_EQ(reply_data(event), std::string(why, sizeof why));
  EXPECT_EQ(ep_state(side->ep()), DAT_EP_STATE_DISCONNECTED);
}

// Rules: DAT2.1
TEST_F(Dat2Connection, RejectWithoutData) {
  Listener listener(ia);
  ASSERT_DAT_OK(connect(side->ep(), listener));
  Cr cr = listener.expect_request();
  ASSERT_DAT_OK(dat_cr_reject(cr.release(), 0, nullptr));
  const DAT_CONNECTION_EVENT_DATA event =
      expect_connection_event(side->connect_evd(), DAT_CONNECTION_EVENT_PEER_REJECTED, side->ep());
  EXPECT_EQ(event.private_data_size, 0);
}

// Rules: DAT2.2
TEST_F(Dat2Connection, RejectChecksItsData) {
  Listener listener(ia);
  ASSERT_DAT_OK(connect(side->ep(), listener));
  Cr cr = listener.expect_request();
  char data[4] = {};
  const DAT_COUNT most = provider_attributes(ia).max_private_data_size;
  EXPECT_DAT_ERROR(dat_cr_reject(cr, -1, data), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
  EXPECT_DAT_ERROR(dat_cr_reject(cr, most + 1, data), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
  EXPECT_DAT_ERROR(dat_cr_reject(cr, 4, nullptr), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
}

class Dat2Csp : public Dat2Connection {
 protected:
  void SetUp() override {
    Dat2Connection::SetUp();
    evd = create_evd(ia, DAT_EVD_CR_FLAG);
    address = SocketAddress(address_of(ia));
    address.set_port(0);
    comm.domain = address.family();
  }
  DAT_RETURN create(Csp& csp) {
    return dat_csp_create(ia, &comm, address.pointer(), evd, csp.out());
  }
  // The address as the CSP reports it, with its port.
  SocketAddress reported(DAT_CSP_HANDLE csp) {
    DAT_CSP_PARAM param{};
    EXPECT_DAT_OK(dat_csp_query(csp, DAT_CSP_FIELD_ALL, &param));
    return SocketAddress(param.address_ptr);
  }

  Evd evd;
  SocketAddress address;
  DAT_COMM comm{AF_INET, SOCK_STREAM, 0};
};

// Rules: DAT2.3
TEST_F(Dat2Csp, ConnectingByAddress) {
  Csp csp;
  ASSERT_DAT_OK(create(csp));
  SocketAddress target = reported(csp);
  Side passive(ia);
  char hello[] = "hello";
  ASSERT_DAT_OK(dat_ep_common_connect(side->ep(), target.pointer(), DAT_TIMEOUT_INFINITE,
                                      sizeof hello, hello));
  Cr cr = expect_request(evd);
  EXPECT_EQ(request_data(cr), std::string(hello, sizeof hello));
  ASSERT_DAT_OK(accept(cr, passive.ep()));
  expect_connection_event(side->connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, side->ep());
  expect_connection_event(passive.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, passive.ep());
}

// Rules: DAT2.4
TEST_F(Dat2Csp, WhatItDoesNotSpeak) {
  Csp csp;
  comm.type = SOCK_DGRAM;
  EXPECT_DAT_TYPE(create(csp), DAT_COMM_NOT_SUPPORTED);
  comm.type = SOCK_STREAM;
  ASSERT_DAT_OK(create(csp));
  address = reported(csp);
  Csp second;
  EXPECT_DAT_TYPE(create(second), DAT_PORT_IN_USE);
}

// Rules: DAT2.5
TEST_F(Dat2Csp, Query) {
  Csp csp;
  ASSERT_DAT_OK(create(csp));
  DAT_CSP_PARAM param{};
  ASSERT_DAT_OK(dat_csp_query(csp, DAT_CSP_FIELD_ALL, &param));
  EXPECT_EQ(param.ia_handle, ia);
  EXPECT_EQ(param.evd_handle, evd);
  EXPECT_EQ(param.comm->type, SOCK_STREAM);
  const SocketAddress found = reported(csp);
  EXPECT_EQ(found.host(), address.host());
  EXPECT_NE(found.port(), 0);
  DAT_HANDLE_TYPE type = DAT_HANDLE_TYPE_CR;
  EXPECT_DAT_OK(dat_get_handle_type(csp, &type));
  EXPECT_EQ(type, DAT_HANDLE_TYPE_CSP);
}

// Rules: DAT2.6
TEST_F(Dat2Csp, BadHandles) {
  DAT_CSP_PARAM param{};
  const Psp psp = create_psp(ia, free_qualifier(), evd);
  for (const DAT_HANDLE bad : {DAT_HANDLE(DAT_HANDLE_NULL), psp.get(), evd.get()}) {
    EXPECT_DAT_ERROR(dat_csp_query(bad, DAT_CSP_FIELD_ALL, &param), DAT_INVALID_HANDLE,
                     DAT_INVALID_HANDLE_CSP);
    EXPECT_DAT_ERROR(dat_csp_free(bad), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_CSP);
  }
}

} // namespace
