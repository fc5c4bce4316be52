// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Arguments other than handles: which bad argument a call's answer names, and what queries return.
#include <cstring>
#include <gtest/gtest.h>
#include <netinet/in.h>

#include "every_kind.h"
#include "fake_runtime.h"

namespace datum::test {
namespace {

constexpr DAT_RETURN arg(unsigned position) {
  return 0x80060023U + position;
}

constexpr auto kNoFlag = DAT_CONNECT_DEFAULT_FLAG;

class Arguments : public ::testing::Test {
 protected:
  Provider p{"arguments"};
  EveryKind o{p};
  DAT_HANDLE out = nullptr;
};

TEST_F(Arguments, OutPointersAreRequired) {
  EXPECT_EQ(p->pz_create_func(o.ia, nullptr), arg(2));
  EXPECT_EQ(p->cno_create_func(o.ia, DAT_OS_WAIT_PROXY_AGENT_NULL, nullptr), arg(3));
  EXPECT_EQ(p->cno_wait_func(o.cno, 0, nullptr), arg(3));
  EXPECT_EQ(p->evd_create_func(o.ia, 1, nullptr, DAT_EVD_DTO_FLAG, nullptr), arg(5));
  EXPECT_EQ(p->evd_dequeue_func(o.evd, nullptr), arg(2));
  EXPECT_EQ(p->ep_create_func(o.ia, o.pz, o.evd, o.evd, o.evd, nullptr, nullptr), arg(7));
  EXPECT_EQ(p->psp_create_func(o.ia, 99, o.evd, DAT_PSP_CONSUMER_FLAG, nullptr), arg(5));
  EXPECT_EQ(p->psp_create_any_func(o.ia, nullptr, o.evd, DAT_PSP_CONSUMER_FLAG, &out), arg(2));
  EXPECT_EQ(p->rsp_create_func(o.ia, 99, o.ep, o.evd, nullptr), arg(5));
  EXPECT_EQ(p->rmr_create_func(o.pz, nullptr), arg(2));
  DAT_SRQ_ATTR srq{4, 1, 0};
  EXPECT_EQ(p->srq_create_func(o.ia, o.pz, &srq, nullptr), arg(4));
  EXPECT_EQ(p->get_consumer_context_func(o.ep, nullptr), arg(2));
}

TEST_F(Arguments, QueriesCheckMaskAndStructure) {
  DAT_EP_PARAM ep;
  DAT_EVD_PARAM evd;
  EXPECT_EQ(p->ep_query_func(o.ep, 0x80000000, &ep), arg(2)) << "a bit behind all fields";
  EXPECT_EQ(p->ep_query_func(o.ep, 0xffff, &ep), DAT_SUCCESS) << "HABIT.4";
  EXPECT_EQ(p->ep_query_func(o.ep, 1, nullptr), arg(3));
  EXPECT_EQ(p->evd_query_func(o.evd, any_value<DAT_EVD_PARAM_MASK>(0x20), &evd), arg(2));
  EXPECT_EQ(p->evd_query_func(o.evd, DAT_EVD_FIELD_ALL, nullptr), arg(3));
  EXPECT_EQ(p->evd_query_func(o.evd, any_value<DAT_EVD_PARAM_MASK>(0), &evd), DAT_SUCCESS);
}

TEST_F(Arguments, QueriesGiveTheConsumersIaHandle) {
  void* const known_as = static_cast<char*>(o.ia) + 1;
  DAT_EP_PARAM ep;
  DAT_EVD_PARAM evd;
  DAT_PZ_PARAM pz;
  DAT_CNO_PARAM cno;
  DAT_LMR_PARAM lmr;
  DAT_RMR_PARAM rmr;
  DAT_SRQ_PARAM srq;
  DAT_PSP_PARAM psp;
  DAT_RSP_PARAM rsp;
  EXPECT_EQ(p->ep_query_func(o.ep, DAT_EP_FIELD_ALL, &ep), DAT_SUCCESS);
  EXPECT_EQ(p->evd_query_func(o.evd, DAT_EVD_FIELD_ALL, &evd), DAT_SUCCESS);
  EXPECT_EQ(p->pz_query_func(o.pz, DAT_PZ_FIELD_ALL, &pz), DAT_SUCCESS);
  EXPECT_EQ(p->cno_query_func(o.cno, DAT_CNO_FIELD_ALL, &cno), DAT_SUCCESS);
  EXPECT_EQ(p->lmr_query_func(o.lmr, DAT_LMR_FIELD_ALL, &lmr), DAT_SUCCESS);
  EXPECT_EQ(p->rmr_query_func(o.rmr, DAT_RMR_FIELD_ALL, &rmr), DAT_SUCCESS);
  EXPECT_EQ(p->srq_query_func(o.srq, DAT_SRQ_FIELD_ALL, &srq), DAT_SUCCESS);
  EXPECT_EQ(p->psp_query_func(o.psp, DAT_PSP_FIELD_ALL, &psp), DAT_SUCCESS);
  EXPECT_EQ(p->rsp_query_func(o.rsp, DAT_RSP_FIELD_ALL, &rsp), DAT_SUCCESS);
  for (const DAT_IA_HANDLE ia :
       {ep.ia_handle, evd.ia_handle, pz.ia_handle, cno.ia_handle, lmr.ia_handle, rmr.ia_handle,
        srq.ia_handle, psp.ia_handle, rsp.ia_handle})
    EXPECT_EQ(ia, known_as);
  EXPECT_EQ(ep.pz_handle, o.pz);
  EXPECT_EQ(ep.connect_evd_handle, o.evd);
  EXPECT_EQ(ep.srq_handle, nullptr);
  EXPECT_EQ(ep.ep_attr.max_recv_dtos, 16);
  EXPECT_EQ(ep.ep_attr.srq_soft_hw, -1);
  EXPECT_EQ(ep.local_ia_address_ptr->sa_family, 2);
  EXPECT_EQ(evd.evd_qlen, 16);
  EXPECT_EQ(evd.cno_handle, o.cno);
  EXPECT_EQ(evd.evd_flags, 0x1f1U);
  EXPECT_EQ(lmr.mem_type, 3U) << "VIRTUAL without relaxed order is strongly ordered (decision 34)";
  EXPECT_EQ(lmr.region_desc.for_va, o.memory);
  EXPECT_EQ(lmr.length, 256U);
  EXPECT_EQ(lmr.lmr_context, o.lmr_context);
  EXPECT_EQ(lmr.mem_priv, 0x33U);
  EXPECT_EQ(rmr.rmr_context, 0U);
  EXPECT_EQ(srq.max_recv_dtos, 8);
  EXPECT_EQ(psp.conn_qual, 77U);
  EXPECT_EQ(rsp.ep_handle, o.reserved_ep);
}

TEST_F(Arguments, ARequestTellsWhoAsks) {
  DAT_CR_PARAM cr{};
  ASSERT_EQ(p->cr_query_func(o.cr, DAT_CR_FIELD_ALL, &cr), DAT_SUCCESS);
  EXPECT_EQ(cr.remote_ia_address_ptr->sa_family, 2);
  EXPECT_EQ(cr.remote_port_qual, 4711U);
  EXPECT_EQ(std::string(static_cast<char*>(cr.private_data),
                        static_cast<std::size_t>(cr.private_data_size)),
            "data");
  EXPECT_EQ(cr.local_ep_handle, nullptr);
  EXPECT_EQ(p->cr_accept_func(o.cr, nullptr, 0, nullptr), 0x8005000cU);
  EXPECT_EQ(p->cr_accept_func(o.cr, o.ep, -1, nullptr), arg(3));
  EXPECT_EQ(p->cr_accept_func(o.cr, o.ep, 257, &cr), arg(3));
  EXPECT_EQ(p->cr_accept_func(o.cr, o.ep, 1, nullptr), arg(4));
  EXPECT_EQ(p->cr_handoff_func(o.cr, 4), arg(2)) << "nobody listens";
  EXPECT_EQ(p->cr_query_func(o.cr, DAT_CR_FIELD_ALL, &cr), DAT_SUCCESS) << "it is still there";
}

TEST_F(Arguments, ConnectChecksInTheOrderOfItsArguments) {
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_addr.s_addr = htonl(0x7f000001);
  auto* address = reinterpret_cast<sockaddr*>(&to);
  const auto connect = [&](DAT_IA_ADDRESS_PTR a, DAT_TIMEOUT t, DAT_COUNT size, void* data,
                           unsigned qos, unsigned flags) {
    return p->ep_connect_func(o.ep, a, 5, t, size, data, any_value<DAT_QOS>(qos),
                              any_value<DAT_CONNECT_FLAGS>(flags));
  };
  EXPECT_EQ(connect(nullptr, 0, -1, nullptr, 99, 99), arg(2));
  EXPECT_EQ(connect(address, 0, -1, nullptr, 99, 99), arg(4));
  EXPECT_EQ(connect(address, 1, -1, nullptr, 99, 99), arg(5));
  EXPECT_EQ(connect(address, 1, 257, &to, 99, 99), arg(5));
  EXPECT_EQ(connect(address, 1, 1, nullptr, 99, 99), arg(6));
  EXPECT_EQ(connect(address, 1, 0, nullptr, 99, 99), arg(7));
  EXPECT_EQ(connect(address, 1, 0, nullptr, 1, 2), arg(8));
  EXPECT_EQ(connect(address, 1, 0, nullptr, 1, 0), 0x80090000U);
  EXPECT_EQ(connect(address, 1, 0, nullptr, 0, 1), 0x80090000U);
  EXPECT_EQ(connect(address, 1, 0, nullptr, 0, 0), 0x80030003U) << "the fake never connects";
  EXPECT_EQ(datum::to_sockaddr(last_transport().dialled())->sa_family, 2);
  to.sin_family = AF_UNIX;
  EXPECT_EQ(connect(address, 1, 0, nullptr, 0, 0), 0x8012005fU);
}

// Decision 2: a call checks the state of the EP before it checks what the IA supports.
TEST_F(Arguments, StateBeforeCapability) {
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_addr.s_addr = htonl(0x7f000001);
  EXPECT_EQ(p->ep_connect_func(o.reserved_ep, reinterpret_cast<sockaddr*>(&to), 5, 1, 0, nullptr,
                               DAT_QOS_PREMIUM, kNoFlag),
            0x80070034U);
}

TEST_F(Arguments, PostsNameTheArgument) {
  DAT_LMR_TRIPLET local{o.lmr_context, 0, reinterpret_cast<DAT_VADDR>(o.memory), 8};
  const DAT_CONTEXT cookie{};
  const auto none = DAT_COMPLETION_DEFAULT_FLAG;
  EXPECT_EQ(p->ep_post_send_func(o.ep, -1, &local, cookie, none), arg(2));
  EXPECT_EQ(p->ep_post_send_func(o.ep, 1, nullptr, cookie, none), arg(3));
  EXPECT_EQ(p->ep_post_recv_func(o.ep, -1, &local, cookie, none), arg(2));
  EXPECT_EQ(p->ep_post_rdma_read_func(o.ep, 1, &local, cookie, nullptr, none), arg(5));
  EXPECT_EQ(p->srq_post_recv_func(o.srq, 1, nullptr, cookie), arg(3));
  EXPECT_EQ(p->ep_post_send_func(o.ep, 1, &local, cookie, none), 0x8007002eU) << "unconnected";
  EXPECT_EQ(p->ep_post_recv_func(o.ep, 1, &local, cookie, none), DAT_SUCCESS);
  DAT_BOOLEAN idle = DAT_TRUE;
  EXPECT_EQ(p->ep_get_status_func(o.ep, nullptr, &idle, nullptr), DAT_SUCCESS);
  EXPECT_EQ(idle, DAT_FALSE);
}

TEST_F(Arguments, EpAttributesOfPrograms) {
  DAT_EP_ATTR a{};
  a.max_message_size = 100;
  a.max_request_dtos = 3;
  a.max_request_iov = 5;
  ASSERT_EQ(p->ep_create_func(o.ia, o.pz, o.evd, o.evd, o.evd, &a, &out), DAT_SUCCESS);
  DAT_EP_PARAM ep;
  ASSERT_EQ(p->ep_query_func(out, DAT_EP_FIELD_ALL, &ep), DAT_SUCCESS);
  EXPECT_EQ(ep.ep_attr.max_message_size, 100U);
  EXPECT_EQ(ep.ep_attr.max_rdma_read_iov, 5) << "left at zero: as many as for requests";
  EXPECT_EQ(ep.ep_attr.srq_soft_hw, -1);
  const auto create = [&] { return p->ep_create_func(o.ia, o.pz, o.evd, o.evd, o.evd, &a, &out); };
  a.qos = DAT_QOS_ECONOMY;
  EXPECT_EQ(create(), 0x80090000U);
  a.service_type = any_value<DAT_SERVICE_TYPE>(1);
  EXPECT_EQ(create(), arg(6)) << "the argument before the capability";
  a = {};
  a.ep_provider_specific_count = 1;
  EXPECT_EQ(create(), arg(6));
  a = {};
  a.max_recv_dtos = -1;
  EXPECT_EQ(create(), arg(6));
  EXPECT_EQ(p->ep_create_with_srq_func(o.ia, o.pz, o.evd, o.evd, o.evd, o.srq, &a, &out), arg(7));
  EXPECT_EQ(p->ep_create_with_srq_func(o.ia, o.pz, o.evd, o.evd, o.evd, o.srq, nullptr, &out),
            arg(7));
}

TEST_F(Arguments, ModifyTakesWhatTheMaskNames) {
  DAT_EP_PARAM change;
  std::memset(&change, 0x5a, sizeof change);
  EXPECT_EQ(p->ep_modify_func(o.ep, 0, nullptr), arg(3));
  EXPECT_EQ(p->ep_modify_func(o.ep, 0, &change), DAT_SUCCESS);
  for (const DAT_EP_PARAM_MASK never :
       {DAT_EP_FIELD_IA_HANDLE, DAT_EP_FIELD_EP_STATE, DAT_EP_FIELD_LOCAL_IA_ADDRESS_PTR,
        DAT_EP_FIELD_LOCAL_PORT_QUAL, DAT_EP_FIELD_REMOTE_IA_ADDRESS_PTR,
        DAT_EP_FIELD_REMOTE_PORT_QUAL, DAT_EP_FIELD_SRQ_HANDLE})
    EXPECT_EQ(p->ep_modify_func(o.ep, never, &change), arg(2)) << never;
  EXPECT_EQ(p->ep_modify_func(o.ep, DAT_EP_FIELD_PZ_HANDLE, &change), arg(3));
  change.recv_evd_handle = nullptr;
  change.ep_attr.max_recv_dtos = 3;
  EXPECT_EQ(p->ep_modify_func(
                o.ep, DAT_EP_FIELD_RECV_EVD_HANDLE | DAT_EP_FIELD_EP_ATTR_MAX_RECV_DTOS, &change),
            DAT_SUCCESS);
  DAT_EP_PARAM now;
  ASSERT_EQ(p->ep_query_func(o.ep, DAT_EP_FIELD_ALL, &now), DAT_SUCCESS);
  EXPECT_EQ(now.recv_evd_handle, nullptr);
  EXPECT_EQ(now.request_evd_handle, o.evd);
  EXPECT_EQ(now.ep_attr.max_recv_dtos, 3);
  EXPECT_EQ(now.ep_attr.max_request_dtos, 16);
  change.ep_attr.qos = DAT_QOS_PREMIUM;
  EXPECT_EQ(p->ep_modify_func(o.ep, DAT_EP_FIELD_EP_ATTR_QOS, &change), arg(3));
}

TEST_F(Arguments, SmallChecks) {
  EXPECT_EQ(p->evd_create_func(o.ia, 0, nullptr, DAT_EVD_DTO_FLAG, &out), arg(2));
  EXPECT_EQ(p->evd_create_func(o.ia, 1, nullptr, any_value<DAT_EVD_FLAGS>(0), &out), arg(4));
  EXPECT_EQ(p->evd_create_func(o.ia, 1, nullptr, any_value<DAT_EVD_FLAGS>(2), &out), arg(4));
  EXPECT_EQ(p->evd_resize_func(o.evd, 0), arg(2));
  EXPECT_EQ(p->evd_resize_func(o.evd, (1 << 20) + 1), 0x80030005U);
  EXPECT_EQ(p->evd_post_se_func(o.evd, nullptr), arg(2));
  DAT_EVENT event{};
  event.event_number = DAT_DTO_COMPLETION_EVENT;
  EXPECT_EQ(p->evd_post_se_func(o.evd, &event), arg(2));
  event.event_number = DAT_SOFTWARE_EVENT;
  EXPECT_EQ(p->evd_post_se_func(o.async_evd, &event), arg(1));
  EXPECT_EQ(p->ep_disconnect_func(o.ep, any_value<DAT_CLOSE_FLAGS>(2)), arg(2));
  EXPECT_EQ(p->ep_set_watermark_func(o.ep, -2, 1), arg(2));
  EXPECT_EQ(p->ep_set_watermark_func(o.ep, -1, -2), arg(3));
  EXPECT_EQ(p->psp_create_func(o.ia, 0, o.evd, DAT_PSP_CONSUMER_FLAG, &out), arg(2));
  EXPECT_EQ(p->psp_create_func(o.ia, 9, o.evd, any_value<DAT_PSP_FLAGS>(2), &out), arg(4));
  EXPECT_EQ(p->psp_create_func(o.ia, 9, nullptr, DAT_PSP_CONSUMER_FLAG, &out), 0x80050014U);
  EXPECT_EQ(p->psp_create_func(o.ia, 9, o.async_evd, DAT_PSP_CONSUMER_FLAG, &out), 0x80050014U);
  EXPECT_EQ(p->rsp_create_func(o.ia, 0, o.ep, o.evd, &out), arg(2));
  DAT_SRQ_ATTR srq{4, 1, 1};
  EXPECT_EQ(p->srq_create_func(o.ia, o.pz, &srq, &out), arg(3));
  EXPECT_EQ(p->srq_create_func(o.ia, o.pz, nullptr, &out), arg(3));
  EXPECT_EQ(p->lmr_sync_rdma_read_func(o.ia, nullptr, 0), DAT_SUCCESS);
  EXPECT_EQ(p->lmr_sync_rdma_read_func(o.ia, nullptr, 1), arg(2));
  DAT_LMR_TRIPLET part{o.lmr_context, 0, reinterpret_cast<DAT_VADDR>(o.memory), 256};
  EXPECT_EQ(p->lmr_sync_rdma_write_func(o.ia, &part, 1), DAT_SUCCESS);
  part.segment_length = 257;
  EXPECT_EQ(p->lmr_sync_rdma_write_func(o.ia, &part, 1), arg(2));
  EXPECT_EQ(p->rmr_bind_func(o.rmr, nullptr, DAT_MEM_PRIV_REMOTE_READ_FLAG, o.ep, {},
                             DAT_COMPLETION_DEFAULT_FLAG, nullptr),
            arg(2));
  EXPECT_EQ(p->rmr_bind_func(o.rmr, &part, DAT_MEM_PRIV_LOCAL_READ_FLAG, o.ep, {},
                             DAT_COMPLETION_DEFAULT_FLAG, nullptr),
            arg(3));
}

TEST_F(Arguments, Regions) {
  DAT_REGION_DESCRIPTION region{};
  region.for_va = o.memory;
  const auto create = [&](unsigned type, unsigned rights) {
    return p->lmr_create_func(o.ia, any_value<DAT_MEM_TYPE>(type), region, 16, o.pz,
                              any_value<DAT_MEM_PRIV_FLAGS>(rights), &out, nullptr, nullptr,
                              nullptr, nullptr);
  };
  EXPECT_EQ(create(4, 0x33), arg(2));
  EXPECT_EQ(create(0, 0x04), arg(6));
  EXPECT_EQ(create(0, 0x133), DAT_SUCCESS) << "no relaxed ordering is what everybody gets";
  region.for_shared_memory = {o.memory, nullptr};
  EXPECT_EQ(create(2, 0x33), arg(3));
  char cookie[40] = "shared";
  region.for_shared_memory.shared_memory_id = &cookie;
  ASSERT_EQ(create(2, 0x33), DAT_SUCCESS);
  cookie[0] = 'X';
  DAT_LMR_PARAM lmr;
  ASSERT_EQ(p->lmr_query_func(out, DAT_LMR_FIELD_ALL, &lmr), DAT_SUCCESS);
  EXPECT_EQ(lmr.mem_type, 2U);
  EXPECT_STREQ(*lmr.region_desc.for_shared_memory.shared_memory_id, "shared");
  region.for_lmr_handle = o.lmr;
  ASSERT_EQ(create(1, 0x01), DAT_SUCCESS);
  ASSERT_EQ(p->lmr_query_func(out, DAT_LMR_FIELD_ALL, &lmr), DAT_SUCCESS);
  EXPECT_EQ(lmr.region_desc.for_lmr_handle, o.lmr);
  EXPECT_EQ(lmr.length, 256U) << "that of the original";
  EXPECT_EQ(lmr.rmr_context, 0U) << "no remote right";
}

TEST_F(Arguments, ContextsKeepAll64Bits) {
  for (const auto& [kind, handle] : o.handles()) {
    DAT_CONTEXT context{};
    EXPECT_EQ(p->get_consumer_context_func(handle, &context), DAT_SUCCESS);
    EXPECT_EQ(context.as_64, 0U) << kind;
    context.as_64 = 0xfedcba9876543210;
    EXPECT_EQ(p->set_consumer_context_func(handle, context), DAT_SUCCESS);
    context.as_64 = 0;
    EXPECT_EQ(p->get_consumer_context_func(handle, &context), DAT_SUCCESS);
    EXPECT_EQ(context.as_64, 0xfedcba9876543210U) << kind;
  }
}

} // namespace
} // namespace datum::test
