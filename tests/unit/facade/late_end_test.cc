// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A transport that reports the end of a connection some time after the failure that caused it.
#include <gtest/gtest.h>

#include <array>

#include "fake_libdat.h"
#include "fake_runtime.h"

namespace datum::test {
namespace {

// An EP whose connection was accepted, and memory of its own.
class LateEnd : public ::testing::Test {
 protected:
  void SetUp() override {
    DAT_EVD_HANDLE requested = nullptr;
    DAT_PSP_HANDLE psp = nullptr;
    ASSERT_EQ(p->pz_create_func(ia, &pz), DAT_SUCCESS);
    ASSERT_EQ(p->evd_create_func(ia, 8, nullptr, DAT_EVD_DTO_FLAG, &evd), DAT_SUCCESS);
    ASSERT_EQ(p->evd_create_func(ia, 8, nullptr, DAT_EVD_CONNECTION_FLAG, &connection),
              DAT_SUCCESS);
    ASSERT_EQ(p->evd_create_func(ia, 8, nullptr, DAT_EVD_CR_FLAG, &requested), DAT_SUCCESS);
    ASSERT_EQ(p->ep_create_func(ia, pz, evd, evd, connection, nullptr, &ep), DAT_SUCCESS);
    ASSERT_EQ(p->psp_create_func(ia, 77, requested, DAT_PSP_CONSUMER_FLAG, &psp), DAT_SUCCESS);
    DAT_REGION_DESCRIPTION region{};
    region.for_va = memory.data();
    DAT_LMR_HANDLE lmr = nullptr;
    DAT_RMR_CONTEXT remote = 0;
    DAT_VLEN size = 0;
    DAT_VADDR address = 0;
    ASSERT_EQ(p->lmr_create_func(ia, DAT_MEM_TYPE_VIRTUAL, region, memory.size(), pz,
                                 DAT_MEM_PRIV_ALL_FLAG, &lmr, &segment.lmr_context, &remote, &size,
                                 &address),
              DAT_SUCCESS);
    segment.virtual_address = reinterpret_cast<std::uintptr_t>(memory.data());
    segment.segment_length = memory.size();
    arrive(77, "");
    DAT_EVENT event{};
    ASSERT_EQ(p->evd_dequeue_func(requested, &event), DAT_SUCCESS);
    ASSERT_EQ(p->cr_accept_func(event.event_data.cr_arrival_event_data.cr_handle, ep, 0, nullptr),
              DAT_SUCCESS);
    tell_accepted([](ChannelEvents& events) { events.on_established({}, 4); });
  }
  DAT_RETURN post_send(DAT_UINT64 cookie) {
    DAT_DTO_COOKIE user{};
    user.as_64 = cookie;
    return p->ep_post_send_func(ep, 1, &segment, user, DAT_COMPLETION_DEFAULT_FLAG);
  }
  DAT_RETURN post_read(DAT_UINT64 cookie) {
    DAT_DTO_COOKIE user{};
    user.as_64 = cookie;
    DAT_RMR_TRIPLET source{};
    source.segment_length = memory.size();
    return p->ep_post_rdma_read_func(ep, 1, &segment, user, &source, DAT_COMPLETION_DEFAULT_FLAG);
  }
  // The cookie of the next completion, and whether the request succeeded.
  std::pair<DAT_UINT64, bool> next() {
    DAT_EVENT event{};
    if (p->evd_dequeue_func(evd, &event) != DAT_SUCCESS) return {};
    const DAT_DTO_COMPLETION_EVENT_DATA& dto = event.event_data.dto_completion_event_data;
    return {dto.user_cookie.as_64, dto.status == DAT_DTO_SUCCESS};
  }

  Provider p{"ia0"};
  DAT_IA_HANDLE ia = p.open();
  DAT_PZ_HANDLE pz = nullptr;
  DAT_EVD_HANDLE evd = nullptr;
  DAT_EVD_HANDLE connection = nullptr;
  DAT_EP_HANDLE ep = nullptr;
  std::array<char, 64> memory{};
  DAT_LMR_TRIPLET segment{};
};

// Rules: DISC.1
TEST_F(LateEnd, NothingSucceedsBehindARequestThatFailed) {
  ASSERT_EQ(post_read(1), DAT_SUCCESS);
  ASSERT_EQ(post_send(2), DAT_SUCCESS);
  tell_accepted([](ChannelEvents& events) {
    events.on_placed(1);
    events.on_request_failed(RequestClass::Read, DtoStatus::LocalProtection, 0);
  });
  last_transport().stall();
  ASSERT_EQ(post_send(3), DAT_SUCCESS);
  DAT_EVENT event{};
  EXPECT_EQ(p->evd_dequeue_func(evd, &event), kQueueEmpty) << "the end tells";
  tell_accepted([](ChannelEvents& events) { events.on_closed(CloseReason::Broken); });
  using Ended = std::pair<DAT_UINT64, bool>;
  EXPECT_EQ(next(), Ended(1, false));
  EXPECT_EQ(next(), Ended(2, false));
  EXPECT_EQ(next(), Ended(3, false));
}

} // namespace
} // namespace datum::test
