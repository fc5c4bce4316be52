// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The handles that the calls of DAT 2.0 alone take. Each is tried null, freed, of another kind, and
// as a pointer that is no handle.
#include "dat.h"

#include <sys/socket.h>

#include "each_kind.h"
#include "fixture.h"

namespace {

using namespace datum::test;

using Csp = Owned<dat_csp_free, DAT_HANDLE_TYPE_CSP>;

class Dat2Handles : public Conformance {
 protected:
  void SetUp() override {
    Conformance::SetUp();
    evd = create_evd(ia, kEveryStream);
    comm.domain = address_of(ia)->sa_family;
  }
  DAT_RETURN create_csp(DAT_IA_HANDLE on, DAT_EVD_HANDLE with, Csp& csp) {
    return dat_csp_create(on, &comm, address_of(ia), with, csp.out());
  }

  Evd evd;
  DAT_COMM comm{AF_UNSPEC, SOCK_STREAM, 0};
};

// Rules: CONV.4 CONV.5 CONV.9
TEST_F(Dat2Handles, OfIasAndZones) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_IA, [](DAT_HANDLE handle) {
    DAT_FD descriptor = -1;
    Cno cno;
    return dat_cno_fd_create(handle, &descriptor, cno.out());
  });
  expect_handle_checks(ia, DAT_HANDLE_TYPE_IA, [&](DAT_HANDLE handle) {
    Csp csp;
    return create_csp(handle, evd, csp);
  });
  expect_handle_checks(ia, DAT_HANDLE_TYPE_PZ, [](DAT_HANDLE handle) {
    Rmr rmr;
    return dat_rmr_create_for_ep(handle, rmr.out());
  });
}

// Rules: CONV.4 CONV.5 CONV.9
TEST_F(Dat2Handles, OfEvdsAndCnos) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_CNO, [](DAT_HANDLE handle) {
    DAT_EVD_HANDLE fired = DAT_HANDLE_NULL;
    return dat_cno_trigger(handle, &fired);
  });
  expect_handle_checks(ia, DAT_HANDLE_TYPE_EVD, [&](DAT_HANDLE handle) {
    Csp csp;
    return create_csp(ia, handle, csp);
  });
}

// Rules: CONV.4 CONV.5 CONV.9
TEST_F(Dat2Handles, OfEps) {
  const DAT_IA_ADDRESS_PTR address = address_of(ia);
  const DAT_RMR_TRIPLET nowhere{};
  expect_handle_checks(ia, DAT_HANDLE_TYPE_EP, [&](DAT_HANDLE handle) {
    return dat_ep_common_connect(handle, address, DAT_TIMEOUT_INFINITE, 0, nullptr);
  });
  expect_handle_checks(ia, DAT_HANDLE_TYPE_EP, [](DAT_HANDLE handle) {
    return dat_ep_post_send_with_invalidate(handle, 0, nullptr, cookie(1),
                                            DAT_COMPLETION_DEFAULT_FLAG, DAT_TRUE, 1);
  });
  expect_handle_checks(ia, DAT_HANDLE_TYPE_EP, [&](DAT_HANDLE handle) {
    return dat_ep_post_rdma_read_to_rmr(handle, &nowhere, cookie(1), &nowhere,
                                        DAT_COMPLETION_DEFAULT_FLAG);
  });
}

// Rules: DAT2.12
TEST_F(Dat2Handles, OfTheRegionOfABind) {
  const EachKind objects(ia);
  const DAT_LMR_TRIPLET range = objects.buffer->segment();
  const auto expect_refused = [&](DAT_HANDLE handle, const char* what) {
    EXPECT_DAT_ERROR(dat_rmr_bind(objects.rmr, handle, &range, DAT_MEM_PRIV_ALL_FLAG,
                                  DAT_VA_TYPE_VA, objects.ep, cookie(1),
                                  DAT_COMPLETION_DEFAULT_FLAG, nullptr),
                     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_LMR)
        << what;
  };
  alignas(64) unsigned char zeros[64] = {};
  expect_refused(zeros, "something else");
  expect_refused(destroyed_handle(ia, DAT_HANDLE_TYPE_LMR), "freed");
  for (const auto& [kind, handle] : objects.handles()) {
    if (kind != DAT_HANDLE_TYPE_LMR) expect_refused(handle, "of another kind");
  }
}

// Rules: CONV.4 CONV.5 CONV.6 CONV.9 DAT2.6
TEST_F(Dat2Handles, OfCsps) {
  const auto expect_refused = [](DAT_HANDLE handle, const char* what) {
    DAT_CSP_PARAM param{};
    EXPECT_DAT_ERROR(dat_csp_query(handle, DAT_CSP_FIELD_ALL, &param), DAT_INVALID_HANDLE,
                     DAT_INVALID_HANDLE_CSP)
        << what;
    EXPECT_DAT_ERROR(dat_csp_free(handle), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_CSP) << what;
  };
  alignas(64) unsigned char zeros[64] = {};
  expect_refused(DAT_HANDLE_NULL, "null");
  expect_refused(zeros, "something else");
  const EachKind objects(ia);
  for (const auto& [kind, handle] : objects.handles()) expect_refused(handle, "of another kind");
  Csp csp;
  ASSERT_DAT_OK(create_csp(ia, evd, csp));
  const DAT_CSP_HANDLE freed = csp.get();
  csp.free();
  expect_refused(freed, "freed");
}

} // namespace
