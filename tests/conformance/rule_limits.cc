// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The limits that dat_ia_query() publishes. As many objects as the limit says can be made, and no
// more.
#include "fixture.h"

namespace datum::test {
namespace {

class RuleLimits : public Conformance {
 protected:
  void SetUp() override {
    Conformance::SetUp();
    most = ia_attributes(ia);
    pz = create_pz(ia);
  }

  // Makes `count` objects, checks that the next create is refused, frees one object, and makes one
  // again.
  template <class T, class Create>
  void expect_bound(DAT_COUNT count, DAT_RETURN_SUBTYPE subtype, Create create) {
    std::vector<T> made(static_cast<std::size_t>(count));
    for (T& one : made) ASSERT_DAT_OK(create(one.out()));
    T one_more;
    EXPECT_DAT_ERROR(create(one_more.out()), DAT_INSUFFICIENT_RESOURCES, subtype);
    made.back().free();
    EXPECT_DAT_OK(create(made.back().out()));
  }

  // The attributes of the smallest EP.
  DAT_EP_ATTR tiny() {
    DAT_EP_ATTR attributes = default_attributes(ia);
    attributes.max_recv_dtos = attributes.max_request_dtos = 0;
    attributes.max_recv_iov = attributes.max_request_iov = 0;
    attributes.max_rdma_read_iov = attributes.max_rdma_write_iov = 0;
    return attributes;
  }

  DAT_IA_ATTR most{};
  Pz pz;
};

// Rules: dat_pz_create.R6
TEST_F(RuleLimits, ProtectionZones) {
  expect_bound<Pz>(most.max_pzs - 1, DAT_RESOURCE_PROTECTION_DOMAIN, // one zone exists already
                   [&](DAT_HANDLE* out) { return dat_pz_create(ia, out); });
}

// Rules: dat_evd_create.R18
TEST_F(RuleLimits, Evds) {
  expect_bound<Evd>(most.max_evds - 1, DAT_RESOURCE_TEVD, // one gets asynchronous errors
                    [&](DAT_HANDLE* out) {
                      return dat_evd_create(ia, 1, DAT_HANDLE_NULL, DAT_EVD_SOFTWARE_FLAG, out);
                    });
}

// Rules: dat_lmr_create.R33
TEST_F(RuleLimits, Lmrs) {
  char byte = 0;
  DAT_REGION_DESCRIPTION region{};
  region.for_va = &byte;
  expect_bound<Lmr>(most.max_lmrs, DAT_RESOURCE_MEMORY_REGION, [&](DAT_HANDLE* out) {
    return dat_lmr_create(ia, DAT_MEM_TYPE_VIRTUAL, region, 1, pz, DAT_MEM_PRIV_ALL_FLAG, out,
                          nullptr, nullptr, nullptr, nullptr);
  });
}

// Rules: dat_rmr_create.R6
TEST_F(RuleLimits, Rmrs) {
  expect_bound<Rmr>(most.max_rmrs, DAT_RESOURCE_MEMORY_REGION,
                    [&](DAT_HANDLE* out) { return dat_rmr_create(pz, out); });
}

// Rules: dat_srq_create.R13
TEST_F(RuleLimits, Srqs) {
  DAT_SRQ_ATTR attributes{1, 1, DAT_SRQ_LW_DEFAULT};
  expect_bound<Srq>(most.max_srqs, DAT_RESOURCE_SRQ,
                    [&](DAT_HANDLE* out) { return dat_srq_create(ia, pz, &attributes, out); });
}

// Rules: dat_ep_create.R39
TEST_F(RuleLimits, Eps) {
  const DAT_EP_ATTR attributes = tiny();
  expect_bound<Ep>(most.max_eps, DAT_RESOURCE_TEP, [&](DAT_HANDLE* out) {
    return dat_ep_create(ia, pz, DAT_HANDLE_NULL, DAT_HANDLE_NULL, DAT_HANDLE_NULL, &attributes,
                         out);
  });
}

// Rules: dat_ep_create_with_srq.R13
TEST_F(RuleLimits, EpsOfOneSrq) {
  const DAT_EP_ATTR attributes = tiny();
  const Srq srq = create_srq(ia, pz, 1, 1);
  std::vector<Ep> eps(static_cast<std::size_t>(most.max_ep_per_srq));
  const auto create = [&](Ep& ep) {
    return dat_ep_create_with_srq(ia, pz, DAT_HANDLE_NULL, DAT_HANDLE_NULL, DAT_HANDLE_NULL, srq,
                                  &attributes, ep.out());
  };
  for (Ep& ep : eps) ASSERT_DAT_OK(create(ep));
  Ep one_more;
  EXPECT_DAT_TYPE(create(one_more), DAT_INSUFFICIENT_RESOURCES);
}

} // namespace
} // namespace datum::test
