// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "every_kind.h"

#include <gtest/gtest.h>

#include "fake_runtime.h"

namespace datum::test {

EveryKind::EveryKind(const Provider& p) {
  constexpr auto kEvery = static_cast<DAT_EVD_FLAGS>(0x1f1);
  ia = p.open(&async_evd);
  EXPECT_EQ(p->pz_create_func(ia, &pz), DAT_SUCCESS);
  EXPECT_EQ(p->cno_create_func(ia, DAT_OS_WAIT_PROXY_AGENT_NULL, &cno), DAT_SUCCESS);
  EXPECT_EQ(p->evd_create_func(ia, 16, cno, kEvery, &evd), DAT_SUCCESS);
  DAT_REGION_DESCRIPTION region{};
  region.for_va = memory;
  EXPECT_EQ(p->lmr_create_func(ia, DAT_MEM_TYPE_VIRTUAL, region, sizeof memory, pz,
                               DAT_MEM_PRIV_ALL_FLAG, &lmr, &lmr_context, nullptr, nullptr,
                               nullptr),
            DAT_SUCCESS);
  EXPECT_EQ(p->rmr_create_func(pz, &rmr), DAT_SUCCESS);
  DAT_SRQ_ATTR srq_attr{8, 2, DAT_SRQ_LW_DEFAULT};
  EXPECT_EQ(p->srq_create_func(ia, pz, &srq_attr, &srq), DAT_SUCCESS);
  EXPECT_EQ(p->ep_create_func(ia, pz, evd, evd, evd, nullptr, &ep), DAT_SUCCESS);
  EXPECT_EQ(p->ep_create_func(ia, pz, evd, evd, evd, nullptr, &reserved_ep), DAT_SUCCESS);
  EXPECT_EQ(p->psp_create_func(ia, 77, evd, DAT_PSP_CONSUMER_FLAG, &psp), DAT_SUCCESS);
  EXPECT_EQ(p->rsp_create_func(ia, 78, reserved_ep, evd, &rsp), DAT_SUCCESS);
  arrive(77, "data");
  DAT_EVENT event{};
  EXPECT_EQ(p->evd_dequeue_func(evd, &event), DAT_SUCCESS);
  EXPECT_EQ(event.event_number, 0x02001U);
  cr = event.event_data.cr_arrival_event_data.cr_handle;
}

} // namespace datum::test
