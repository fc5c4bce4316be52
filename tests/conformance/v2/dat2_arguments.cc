// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The calls that only DAT 2.0 has, with bad arguments.
#include "dat.h"

#include <dat2/dat_ib_extensions.h>
#include <sys/socket.h>

#include <cstring>

#include "fixture.h"
#include "socket_address.h"

namespace {

using namespace datum::test;

using Csp = Owned<dat_csp_free, DAT_HANDLE_TYPE_CSP>;

using Dat2Arguments = Conformance;

// Rules: DAT2.31
TEST_F(Dat2Arguments, CnoWithDescriptor) {
  DAT_FD descriptor = -1;
  DAT_CNO_HANDLE cno = DAT_HANDLE_NULL;
  const Pz pz = create_pz(ia);
  EXPECT_DAT_ERROR(dat_cno_fd_create(DAT_HANDLE_NULL, &descriptor, &cno), DAT_INVALID_HANDLE,
                   DAT_INVALID_HANDLE_IA);
  EXPECT_DAT_ERROR(dat_cno_fd_create(pz, &descriptor, &cno), DAT_INVALID_HANDLE,
                   DAT_INVALID_HANDLE_IA);
  EXPECT_DAT_ERROR(dat_cno_fd_create(ia, nullptr, &cno), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
  EXPECT_DAT_ERROR(dat_cno_fd_create(ia, &descriptor, nullptr), DAT_INVALID_PARAMETER,
                   DAT_INVALID_ARG3);
}

// Rules: DAT2.40
TEST_F(Dat2Arguments, WindowForOneEp) {
  const Pz pz = create_pz(ia);
  DAT_RMR_HANDLE rmr = DAT_HANDLE_NULL;
  EXPECT_DAT_ERROR(dat_rmr_create_for_ep(ia, &rmr), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_PZ);
  EXPECT_DAT_ERROR(dat_rmr_create_for_ep(pz, nullptr), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
}

// Rules: DAT2.41
TEST_F(Dat2Arguments, AddressesThatCountNeitherWay) {
  const Pz pz = create_pz(ia);
  char bytes[8] = {};
  DAT_REGION_DESCRIPTION region{};
  region.for_va = bytes;
  DAT_LMR_HANDLE lmr = DAT_HANDLE_NULL;
  EXPECT_DAT_ERROR(dat_lmr_create(ia, DAT_MEM_TYPE_VIRTUAL, region, sizeof bytes, pz,
                                  DAT_MEM_PRIV_ALL_FLAG, any_value<DAT_VA_TYPE>(2), &lmr, nullptr,
                                  nullptr, nullptr, nullptr),
                   DAT_INVALID_PARAMETER, DAT_INVALID_ARG7);
}

// Rules: CONV.3
TEST_F(Dat2Arguments, HandlesComeBeforeTheWayOfCounting) {
  const Pz pz = create_pz(ia);
  Side side(ia);
  const Rmr rmr = create_rmr(pz);
  const auto neither = any_value<DAT_VA_TYPE>(2);
  char bytes[8] = {};
  DAT_REGION_DESCRIPTION region{};
  region.for_va = bytes;
  DAT_LMR_HANDLE lmr = DAT_HANDLE_NULL;
  const auto create = [&](DAT_IA_HANDLE of, DAT_PZ_HANDLE zone, int privileges,
                          DAT_LMR_HANDLE* out) {
    return dat_lmr_create(of, DAT_MEM_TYPE_VIRTUAL, region, sizeof bytes, zone,
                          any_value<DAT_MEM_PRIV_FLAGS>(privileges), neither, out, nullptr, nullptr,
                          nullptr, nullptr);
  };
  EXPECT_DAT_ERROR(create(pz, pz, 0, &lmr), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_IA);
  EXPECT_DAT_ERROR(create(ia, ia, 0, &lmr), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_PZ);
  EXPECT_DAT_ERROR(create(ia, pz, 0, nullptr), DAT_INVALID_PARAMETER, DAT_INVALID_ARG8);
  EXPECT_DAT_ERROR(create(ia, pz, 0x4000, &lmr), DAT_INVALID_PARAMETER, DAT_INVALID_ARG6);
  EXPECT_DAT_ERROR(create(ia, pz, 0, &lmr), DAT_INVALID_PARAMETER, DAT_INVALID_ARG7);

  const DAT_LMR_TRIPLET nothing{};
  const auto bind = [&](DAT_RMR_HANDLE window, DAT_LMR_HANDLE of, const DAT_LMR_TRIPLET* range,
                        int privileges, DAT_EP_HANDLE ep) {
    return dat_rmr_bind(window, of, range, any_value<DAT_MEM_PRIV_FLAGS>(privileges), neither, ep,
                        DAT_CONTEXT{}, DAT_COMPLETION_DEFAULT_FLAG, nullptr);
  };
  EXPECT_DAT_ERROR(bind(pz, pz, nullptr, 0x4000, pz), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_RMR);
  EXPECT_DAT_ERROR(bind(rmr, pz, nullptr, 0x4000, pz), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_LMR);
  EXPECT_DAT_ERROR(bind(rmr, DAT_HANDLE_NULL, nullptr, 0x4000, pz), DAT_INVALID_HANDLE,
                   DAT_INVALID_HANDLE_EP);
  EXPECT_DAT_ERROR(bind(rmr, DAT_HANDLE_NULL, nullptr, 0x4000, side.ep()), DAT_INVALID_PARAMETER,
                   DAT_INVALID_ARG3);
  EXPECT_DAT_ERROR(bind(rmr, DAT_HANDLE_NULL, &nothing, 0x4000, side.ep()), DAT_INVALID_PARAMETER,
                   DAT_INVALID_ARG4);
  EXPECT_DAT_ERROR(bind(rmr, DAT_HANDLE_NULL, &nothing, 0, side.ep()), DAT_INVALID_PARAMETER,
                   DAT_INVALID_ARG5)
      << "though the EP is not connected";
}

class Dat2CspArguments : public Conformance {
 protected:
  void SetUp() override {
    Conformance::SetUp();
    side = std::make_unique<Side>(ia);
    evd = create_evd(ia, DAT_EVD_CR_FLAG);
    address = SocketAddress(address_of(ia));
    address.set_port(0);
    comm.domain = address.family();
  }
  DAT_IA_ADDRESS_PTR pointer() { return address.pointer(); }
  DAT_RETURN create() { return dat_csp_create(ia, &comm, pointer(), evd, csp.out()); }
  // port() returns the port that the provider chose and also puts it into `address`.
  DAT_CONN_QUAL port() {
    DAT_CSP_PARAM param{};
    EXPECT_DAT_OK(dat_csp_query(csp, DAT_CSP_FIELD_ALL, &param));
    address = SocketAddress(param.address_ptr);
    return address.port();
  }

  std::unique_ptr<Side> side;
  Evd evd;
  Csp csp;
  SocketAddress address;
  DAT_COMM comm{AF_INET, SOCK_STREAM, 0};
};

// Rules: DAT2.32
TEST_F(Dat2CspArguments, Create) {
  const Evd other = create_evd(ia, DAT_EVD_DTO_FLAG);
  EXPECT_DAT_ERROR(dat_csp_create(ia, &comm, pointer(), other, csp.out()), DAT_INVALID_HANDLE,
                   DAT_INVALID_HANDLE_EVD_CR);
  EXPECT_DAT_ERROR(dat_csp_create(ia, nullptr, pointer(), evd, csp.out()), DAT_INVALID_PARAMETER,
                   DAT_INVALID_ARG2);
  EXPECT_DAT_ERROR(dat_csp_create(ia, &comm, nullptr, evd, csp.out()), DAT_INVALID_PARAMETER,
                   DAT_INVALID_ARG3);
  EXPECT_DAT_ERROR(dat_csp_create(ia, &comm, pointer(), evd, nullptr), DAT_INVALID_PARAMETER,
                   DAT_INVALID_ARG5);
  address.set_family(AF_UNIX);
  EXPECT_DAT_ERROR(create(), DAT_INVALID_ADDRESS, DAT_INVALID_ADDRESS_UNSUPPORTED);
}

// Rules: DAT2.32
TEST_F(Dat2CspArguments, AtEveryAddress) {
  const std::string own = SocketAddress(ia_attributes(ia).ia_address_ptr).host();
  address.set_every_host();
  ASSERT_DAT_OK(create());
  EXPECT_NE(port(), 0U);
  EXPECT_EQ(address.host(), own);
}

// Rules: DAT2.33
TEST_F(Dat2CspArguments, Query) {
  ASSERT_DAT_OK(create());
  DAT_CSP_PARAM param{};
  EXPECT_DAT_ERROR(dat_csp_query(csp, any_value<DAT_CSP_PARAM_MASK>(0x10), &param),
                   DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
  EXPECT_DAT_ERROR(dat_csp_query(csp, DAT_CSP_FIELD_ALL, nullptr), DAT_INVALID_PARAMETER,
                   DAT_INVALID_ARG3);
}

// Rules: DAT2.34
TEST_F(Dat2CspArguments, APortIsAQualifier) {
  ASSERT_DAT_OK(create());
  const DAT_CONN_QUAL qualifier = port();
  DAT_PSP_HANDLE psp = DAT_HANDLE_NULL;
  EXPECT_DAT_TYPE(dat_psp_create(ia, qualifier, evd, DAT_PSP_CONSUMER_FLAG, &psp),
                  DAT_CONN_QUAL_IN_USE);
  ASSERT_DAT_OK(dat_ep_connect(side->ep(), pointer(), qualifier, DAT_TIMEOUT_INFINITE, 0, nullptr,
                               DAT_QOS_BEST_EFFORT, DAT_CONNECT_DEFAULT_FLAG));
  const DAT_EVENT event = expect_event(evd, DAT_CONNECTION_REQUEST_EVENT);
  const DAT_CR_ARRIVAL_EVENT_DATA& request = event.event_data.cr_arrival_event_data;
  EXPECT_EQ(request.sp_handle.csp_handle, csp.get());
  EXPECT_EQ(request.conn_qual, qualifier);
  ASSERT_DAT_OK(dat_cr_reject(request.cr_handle, 0, nullptr));
  expect_connection_event(side->connect_evd(), DAT_CONNECTION_EVENT_PEER_REJECTED, side->ep());
}

// Rules: DAT2.35
TEST_F(Dat2CspArguments, Connect) {
  char data[1] = {};
  const auto connect = [&](DAT_IA_ADDRESS_PTR to, DAT_TIMEOUT timeout, DAT_COUNT size, char* from) {
    return dat_ep_common_connect(side->ep(), to, timeout, size, from);
  };
  EXPECT_DAT_ERROR(dat_ep_common_connect(evd, pointer(), 1, 0, nullptr), DAT_INVALID_HANDLE,
                   DAT_INVALID_HANDLE_EP);
  EXPECT_DAT_ERROR(connect(nullptr, 1, 0, nullptr), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
  EXPECT_DAT_ERROR(connect(pointer(), 0, 0, nullptr), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
  EXPECT_DAT_ERROR(connect(pointer(), 1, -1, data), DAT_INVALID_PARAMETER, DAT_INVALID_ARG4);
  EXPECT_DAT_ERROR(connect(pointer(), 1, 1, nullptr), DAT_INVALID_PARAMETER, DAT_INVALID_ARG5);
  EXPECT_DAT_ERROR(connect(pointer(), 1, 0, nullptr), DAT_INVALID_ADDRESS,
                   DAT_INVALID_ADDRESS_MALFORMED)
      << "a port is needed";
}

class Dat2PostArguments : public Connected {
 protected:
  DAT_RETURN add(DAT_LMR_TRIPLET* sink, DAT_RMR_TRIPLET* target,
                 DAT_COMPLETION_FLAGS flags = DAT_COMPLETION_DEFAULT_FLAG) {
    return dat_ib_post_fetch_and_add(active().ep(), 1, sink, cookie(1), target, flags);
  }
  DAT_RETURN swap(DAT_LMR_TRIPLET* sink, DAT_RMR_TRIPLET* target,
                  DAT_COMPLETION_FLAGS flags = DAT_COMPLETION_DEFAULT_FLAG) {
    return dat_ib_post_cmp_and_swap(active().ep(), 1, 2, sink, cookie(1), target, flags);
  }
  DAT_RETURN write(DAT_COUNT count, DAT_LMR_TRIPLET* source, DAT_RMR_TRIPLET* target,
                   DAT_COMPLETION_FLAGS flags = DAT_COMPLETION_DEFAULT_FLAG) {
    return dat_ib_post_rdma_write_immed(active().ep(), count, source, cookie(1), target, 1, flags);
  }

  Buffer mine = active().buffer(64);
  Buffer theirs = passive().buffer(64);
  DAT_LMR_TRIPLET here = mine.segment(0, 8);
  DAT_RMR_TRIPLET there = theirs.remote(0, 8);
};

// Rules: DAT2.36
TEST_F(Dat2PostArguments, Atomic) {
  EXPECT_DAT_ERROR(dat_ib_post_fetch_and_add(active().pz(), 1, &here, cookie(1), &there,
                                             DAT_COMPLETION_DEFAULT_FLAG),
                   DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EP);
  EXPECT_DAT_ERROR(add(nullptr, &there), DAT_INVALID_PARAMETER, DAT_INVALID_ARG4);
  EXPECT_DAT_ERROR(add(&here, nullptr), DAT_INVALID_PARAMETER, DAT_INVALID_ARG6);
  EXPECT_DAT_ERROR(add(&here, &there, DAT_COMPLETION_SOLICITED_WAIT_FLAG), DAT_INVALID_PARAMETER,
                   DAT_INVALID_ARG7);
  EXPECT_DAT_ERROR(swap(nullptr, &there), DAT_INVALID_PARAMETER, DAT_INVALID_ARG5);
  EXPECT_DAT_ERROR(swap(&here, nullptr), DAT_INVALID_PARAMETER, DAT_INVALID_ARG7);
  EXPECT_DAT_ERROR(swap(&here, &there, DAT_COMPLETION_SOLICITED_WAIT_FLAG), DAT_INVALID_PARAMETER,
                   DAT_INVALID_ARG8);
  DAT_LMR_TRIPLET outside = mine.segment(60, 8);
  EXPECT_DAT_ERROR(add(&outside, &there), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
  DAT_LMR_TRIPLET short_sink = mine.segment(0, 4);
  EXPECT_DAT_TYPE(add(&short_sink, &there), DAT_LENGTH_ERROR);
  DAT_RMR_TRIPLET short_target = theirs.remote(0, 4);
  EXPECT_DAT_TYPE(add(&here, &short_target), DAT_LENGTH_ERROR);
}

// Rules: DAT2.37
TEST_F(Dat2PostArguments, WriteWithImmediateData) {
  EXPECT_DAT_ERROR(write(-1, &here, &there), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
  EXPECT_DAT_ERROR(write(1, nullptr, &there), DAT_INVALID_PARAMETER, DAT_INVALID_ARG4);
  EXPECT_DAT_ERROR(write(1, &here, nullptr), DAT_INVALID_PARAMETER, DAT_INVALID_ARG6);
  EXPECT_DAT_ERROR(write(1, &here, &there, DAT_COMPLETION_EVD_THRESHOLD_FLAG),
                   DAT_INVALID_PARAMETER, DAT_INVALID_ARG8);
  DAT_RMR_TRIPLET short_target = theirs.remote(0, 4);
  EXPECT_DAT_TYPE(write(1, &here, &short_target), DAT_LENGTH_ERROR);
}

// Rules: DAT2.38
TEST_F(Dat2PostArguments, SendThatInvalidatesNothing) {
  EXPECT_DAT_ERROR(dat_ep_post_send_with_invalidate(active().ep(), 1, &here, cookie(1),
                                                    DAT_COMPLETION_DEFAULT_FLAG, DAT_TRUE, 0),
                   DAT_INVALID_PARAMETER, DAT_INVALID_ARG7);
}

// Rules: DAT2.39
TEST_F(Dat2PostArguments, ReadIntoAWindow) {
  const auto read = [&](const DAT_RMR_TRIPLET* sink, const DAT_RMR_TRIPLET* source) {
    return dat_ep_post_rdma_read_to_rmr(active().ep(), sink, cookie(1), source,
                                        DAT_COMPLETION_DEFAULT_FLAG);
  };
  EXPECT_DAT_ERROR(read(nullptr, &there), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
  EXPECT_DAT_ERROR(read(&there, nullptr), DAT_INVALID_PARAMETER, DAT_INVALID_ARG4);
  const DAT_RMR_TRIPLET no_window = mine.remote(0, 8);
  EXPECT_DAT_ERROR(read(&no_window, &there), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
}

} // namespace
