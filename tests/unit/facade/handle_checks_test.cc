// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Every function of the table with bad handles, or handles of another kind.
#include <functional>
#include <gtest/gtest.h>

#include "every_kind.h"
#include "fake_runtime.h"

namespace datum::test {
namespace {

using Table = const DAT_PROVIDER&;

struct Call {
  const char* name;
  DAT_HANDLE_TYPE kind;
  DAT_RETURN answer; // the answer to a bad handle
  std::function<DAT_RETURN(Table, DAT_HANDLE)> call;
};

constexpr DAT_HANDLE_TYPE kIa = DAT_HANDLE_TYPE_IA;
constexpr DAT_HANDLE_TYPE kEvd = DAT_HANDLE_TYPE_EVD;
constexpr DAT_HANDLE_TYPE kEp = DAT_HANDLE_TYPE_EP;
constexpr DAT_RETURN kBadIa = 0x8005000b;
constexpr DAT_RETURN kBadEp = 0x8005000c;
constexpr DAT_RETURN kBadLmr = 0x8005000d;
constexpr DAT_RETURN kBadRmr = 0x8005000e;
constexpr DAT_RETURN kBadPz = 0x8005000f;
constexpr DAT_RETURN kBadPsp = 0x80050010;
constexpr DAT_RETURN kBadRsp = 0x80050011;
constexpr DAT_RETURN kBadCr = 0x80050012;
constexpr DAT_RETURN kBadCno = 0x80050013;
constexpr DAT_RETURN kBadEvd = 0x80050015;
constexpr DAT_RETURN kBadSrq = 0x80050019;

const DAT_CONTEXT kNoCookie{};
const DAT_OS_WAIT_PROXY_AGENT kNoAgent{};
const DAT_REGION_DESCRIPTION kNoRegion{};
constexpr auto kDefault = DAT_COMPLETION_DEFAULT_FLAG;

// Most other arguments are bad as well, so the answer shows that the handle is checked first.
const std::vector<Call>& calls() {
  static const std::vector<Call> all = {
      {"ia_query", kIa, kBadIa,
       [](Table t, DAT_HANDLE h) { return t.ia_query_func(h, nullptr, 1, nullptr, 1, nullptr); }},
      {"ia_close", kIa, kBadIa,
       [](Table t, DAT_HANDLE h) { return t.ia_close_func(h, DAT_CLOSE_ABRUPT_FLAG); }},
      {"cno_create", kIa, kBadIa,
       [](Table t, DAT_HANDLE h) { return t.cno_create_func(h, kNoAgent, nullptr); }},
      {"cno_modify_agent", DAT_HANDLE_TYPE_CNO, kBadCno,
       [](Table t, DAT_HANDLE h) { return t.cno_modify_agent_func(h, kNoAgent); }},
      {"cno_query", DAT_HANDLE_TYPE_CNO, kBadCno,
       [](Table t, DAT_HANDLE h) { return t.cno_query_func(h, DAT_CNO_FIELD_ALL, nullptr); }},
      {"cno_free", DAT_HANDLE_TYPE_CNO, kBadCno,
       [](Table t, DAT_HANDLE h) { return t.cno_free_func(h); }},
      {"cno_wait", DAT_HANDLE_TYPE_CNO, kBadCno,
       [](Table t, DAT_HANDLE h) { return t.cno_wait_func(h, 0, nullptr); }},
      {"cr_query", DAT_HANDLE_TYPE_CR, kBadCr,
       [](Table t, DAT_HANDLE h) { return t.cr_query_func(h, DAT_CR_FIELD_ALL, nullptr); }},
      {"cr_accept", DAT_HANDLE_TYPE_CR, kBadCr,
       [](Table t, DAT_HANDLE h) { return t.cr_accept_func(h, nullptr, -1, nullptr); }},
      {"cr_reject", DAT_HANDLE_TYPE_CR, kBadCr,
       [](Table t, DAT_HANDLE h) { return t.cr_reject_func(h); }},
      {"cr_handoff", DAT_HANDLE_TYPE_CR, kBadCr,
       [](Table t, DAT_HANDLE h) { return t.cr_handoff_func(h, 0); }},
      {"evd_create", kIa, kBadIa,
       [](Table t, DAT_HANDLE h) {
         return t.evd_create_func(h, 0, nullptr, DAT_EVD_DEFAULT_FLAG, nullptr);
       }},
      {"evd_query", kEvd, kBadEvd,
       [](Table t, DAT_HANDLE h) { return t.evd_query_func(h, DAT_EVD_FIELD_ALL, nullptr); }},
      {"evd_modify_cno", kEvd, kBadEvd,
       [](Table t, DAT_HANDLE h) { return t.evd_modify_cno_func(h, nullptr); }},
      {"evd_enable", kEvd, kBadEvd, [](Table t, DAT_HANDLE h) { return t.evd_enable_func(h); }},
      {"evd_disable", kEvd, kBadEvd, [](Table t, DAT_HANDLE h) { return t.evd_disable_func(h); }},
      {"evd_wait", kEvd, kBadEvd,
       [](Table t, DAT_HANDLE h) { return t.evd_wait_func(h, 0, 0, nullptr, nullptr); }},
      {"evd_resize", kEvd, kBadEvd, [](Table t, DAT_HANDLE h) { return t.evd_resize_func(h, 0); }},
      {"evd_post_se", kEvd, kBadEvd,
       [](Table t, DAT_HANDLE h) { return t.evd_post_se_func(h, nullptr); }},
      {"evd_dequeue", kEvd, kBadEvd,
       [](Table t, DAT_HANDLE h) { return t.evd_dequeue_func(h, nullptr); }},
      {"evd_free", kEvd, kBadEvd, [](Table t, DAT_HANDLE h) { return t.evd_free_func(h); }},
      {"evd_set_unwaitable", kEvd, kBadEvd,
       [](Table t, DAT_HANDLE h) { return t.evd_set_unwaitable_func(h); }},
      {"evd_clear_unwaitable", kEvd, kBadEvd,
       [](Table t, DAT_HANDLE h) { return t.evd_clear_unwaitable_func(h); }},
      {"ep_create", kIa, kBadIa,
       [](Table t, DAT_HANDLE h) {
         return t.ep_create_func(h, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
       }},
      {"ep_create_with_srq", kIa, kBadIa,
       [](Table t, DAT_HANDLE h) {
         return t.ep_create_with_srq_func(h, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                                          nullptr);
       }},
      {"ep_query", kEp, kBadEp,
       [](Table t, DAT_HANDLE h) { return t.ep_query_func(h, DAT_EP_FIELD_ALL, nullptr); }},
      {"ep_modify", kEp, kBadEp,
       [](Table t, DAT_HANDLE h) { return t.ep_modify_func(h, 0, nullptr); }},
      {"ep_connect", kEp, kBadEp,
       [](Table t, DAT_HANDLE h) {
         return t.ep_connect_func(h, nullptr, 0, 0, -1, nullptr, DAT_QOS_BEST_EFFORT,
                                  DAT_CONNECT_DEFAULT_FLAG);
       }},
      {"ep_dup_connect", kEp, kBadEp,
       [](Table t, DAT_HANDLE h) {
         return t.ep_dup_connect_func(h, nullptr, 0, -1, nullptr, DAT_QOS_BEST_EFFORT);
       }},
      {"ep_disconnect", kEp, kBadEp,
       [](Table t, DAT_HANDLE h) { return t.ep_disconnect_func(h, DAT_CLOSE_ABRUPT_FLAG); }},
      {"ep_post_send", kEp, kBadEp,
       [](Table t, DAT_HANDLE h) {
         return t.ep_post_send_func(h, -1, nullptr, kNoCookie, kDefault);
       }},
      {"ep_post_recv", kEp, kBadEp,
       [](Table t, DAT_HANDLE h) {
         return t.ep_post_recv_func(h, -1, nullptr, kNoCookie, kDefault);
       }},
      {"ep_post_rdma_read", kEp, kBadEp,
       [](Table t, DAT_HANDLE h) {
         return t.ep_post_rdma_read_func(h, -1, nullptr, kNoCookie, nullptr, kDefault);
       }},
      {"ep_post_rdma_write", kEp, kBadEp,
       [](Table t, DAT_HANDLE h) {
         return t.ep_post_rdma_write_func(h, -1, nullptr, kNoCookie, nullptr, kDefault);
       }},
      {"ep_get_status", kEp, kBadEp,
       [](Table t, DAT_HANDLE h) { return t.ep_get_status_func(h, nullptr, nullptr, nullptr); }},
      {"ep_recv_query", kEp, kBadEp,
       [](Table t, DAT_HANDLE h) { return t.ep_recv_query_func(h, nullptr, nullptr); }},
      {"ep_set_watermark", kEp, kBadEp,
       [](Table t, DAT_HANDLE h) { return t.ep_set_watermark_func(h, -7, -7); }},
      {"ep_reset", kEp, kBadEp, [](Table t, DAT_HANDLE h) { return t.ep_reset_func(h); }},
      {"ep_free", kEp, kBadEp, [](Table t, DAT_HANDLE h) { return t.ep_free_func(h); }},
      {"lmr_create", kIa, kBadIa,
       [](Table t, DAT_HANDLE h) {
         return t.lmr_create_func(h, DAT_MEM_TYPE_VIRTUAL, kNoRegion, 0, nullptr,
                                  DAT_MEM_PRIV_NONE_FLAG, nullptr, nullptr, nullptr, nullptr,
                                  nullptr);
       }},
      {"lmr_query", DAT_HANDLE_TYPE_LMR, kBadLmr,
       [](Table t, DAT_HANDLE h) { return t.lmr_query_func(h, DAT_LMR_FIELD_ALL, nullptr); }},
      {"lmr_free", DAT_HANDLE_TYPE_LMR, kBadLmr,
       [](Table t, DAT_HANDLE h) { return t.lmr_free_func(h); }},
      {"lmr_sync_rdma_read", kIa, kBadIa,
       [](Table t, DAT_HANDLE h) { return t.lmr_sync_rdma_read_func(h, nullptr, 1); }},
      {"lmr_sync_rdma_write", kIa, kBadIa,
       [](Table t, DAT_HANDLE h) { return t.lmr_sync_rdma_write_func(h, nullptr, 1); }},
      {"rmr_create", DAT_HANDLE_TYPE_PZ, kBadPz,
       [](Table t, DAT_HANDLE h) { return t.rmr_create_func(h, nullptr); }},
      {"rmr_query", DAT_HANDLE_TYPE_RMR, kBadRmr,
       [](Table t, DAT_HANDLE h) { return t.rmr_query_func(h, DAT_RMR_FIELD_ALL, nullptr); }},
      {"rmr_bind", DAT_HANDLE_TYPE_RMR, kBadRmr,
       [](Table t, DAT_HANDLE h) {
         return t.rmr_bind_func(h, nullptr, DAT_MEM_PRIV_NONE_FLAG, nullptr, kNoCookie, kDefault,
                                nullptr);
       }},
      {"rmr_free", DAT_HANDLE_TYPE_RMR, kBadRmr,
       [](Table t, DAT_HANDLE h) { return t.rmr_free_func(h); }},
      {"psp_create", kIa, kBadIa,
       [](Table t, DAT_HANDLE h) {
         return t.psp_create_func(h, 0, nullptr, DAT_PSP_CONSUMER_FLAG, nullptr);
       }},
      {"psp_create_any", kIa, kBadIa,
       [](Table t, DAT_HANDLE h) {
         return t.psp_create_any_func(h, nullptr, nullptr, DAT_PSP_CONSUMER_FLAG, nullptr);
       }},
      {"psp_query", DAT_HANDLE_TYPE_PSP, kBadPsp,
       [](Table t, DAT_HANDLE h) { return t.psp_query_func(h, DAT_PSP_FIELD_ALL, nullptr); }},
      {"psp_free", DAT_HANDLE_TYPE_PSP, kBadPsp,
       [](Table t, DAT_HANDLE h) { return t.psp_free_func(h); }},
      {"rsp_create", kIa, kBadIa,
       [](Table t, DAT_HANDLE h) { return t.rsp_create_func(h, 0, nullptr, nullptr, nullptr); }},
      {"rsp_query", DAT_HANDLE_TYPE_RSP, kBadRsp,
       [](Table t, DAT_HANDLE h) { return t.rsp_query_func(h, DAT_RSP_FIELD_ALL, nullptr); }},
      {"rsp_free", DAT_HANDLE_TYPE_RSP, kBadRsp,
       [](Table t, DAT_HANDLE h) { return t.rsp_free_func(h); }},
      {"pz_create", kIa, kBadIa,
       [](Table t, DAT_HANDLE h) { return t.pz_create_func(h, nullptr); }},
      {"pz_query", DAT_HANDLE_TYPE_PZ, kBadPz,
       [](Table t, DAT_HANDLE h) { return t.pz_query_func(h, DAT_PZ_FIELD_ALL, nullptr); }},
      {"pz_free", DAT_HANDLE_TYPE_PZ, kBadPz,
       [](Table t, DAT_HANDLE h) { return t.pz_free_func(h); }},
      {"srq_create", kIa, kBadIa,
       [](Table t, DAT_HANDLE h) { return t.srq_create_func(h, nullptr, nullptr, nullptr); }},
      {"srq_free", DAT_HANDLE_TYPE_SRQ, kBadSrq,
       [](Table t, DAT_HANDLE h) { return t.srq_free_func(h); }},
      {"srq_post_recv", DAT_HANDLE_TYPE_SRQ, kBadSrq,
       [](Table t, DAT_HANDLE h) { return t.srq_post_recv_func(h, -1, nullptr, kNoCookie); }},
      {"srq_query", DAT_HANDLE_TYPE_SRQ, kBadSrq,
       [](Table t, DAT_HANDLE h) { return t.srq_query_func(h, DAT_SRQ_FIELD_ALL, nullptr); }},
      {"srq_resize", DAT_HANDLE_TYPE_SRQ, kBadSrq,
       [](Table t, DAT_HANDLE h) { return t.srq_resize_func(h, 0); }},
      {"srq_set_lw", DAT_HANDLE_TYPE_SRQ, kBadSrq,
       [](Table t, DAT_HANDLE h) { return t.srq_set_lw_func(h, -1); }},
  };
  return all;
}

// The three functions that take any kind of object.
void expect_nobody(Table t, DAT_HANDLE h) {
  DAT_CONTEXT context{};
  DAT_HANDLE_TYPE type{};
  EXPECT_EQ(t.set_consumer_context_func(h, context), 0x8005001aU);
  EXPECT_EQ(t.get_consumer_context_func(h, &context), 0x8005001aU);
  EXPECT_EQ(t.get_handle_type_func(h, &type), 0x8005001aU);
}

TEST(HandleChecks, TheListNamesEveryFunctionOfTheTable) {
  // 68 functions: ia_open, three that take any kind, and these.
  EXPECT_EQ(calls().size(), 64U);
}

TEST(HandleChecks, NullAndGarbageAreInvalid) {
  const Provider provider("handles");
  const EveryKind objects(provider);
  std::uint64_t elsewhere[8] = {};
  const DAT_HANDLE garbage[] = {nullptr,
                                reinterpret_cast<void*>(1),
                                reinterpret_cast<void*>(8),
                                elsewhere,
                                reinterpret_cast<void*>(~std::uintptr_t{63}),
                                static_cast<char*>(objects.pz) + 8,
                                static_cast<char*>(objects.pz) + (1 << 28)};
  for (const DAT_HANDLE handle : garbage) {
    for (const Call& each : calls())
      EXPECT_EQ(each.call(provider.table(), handle), each.answer) << each.name << " " << handle;
    expect_nobody(provider.table(), handle);
  }
}

TEST(HandleChecks, AnotherKindIsInvalid) {
  const Provider provider("handles");
  const EveryKind objects(provider);
  for (const auto& [kind, handle] : objects.handles())
    for (const Call& each : calls()) {
      if (each.kind == kind) continue;
      EXPECT_EQ(each.call(provider.table(), handle), each.answer) << each.name << " " << kind;
    }
}

TEST(HandleChecks, AFreedObjectIsInvalid) {
  const Provider provider("handles");
  const EveryKind objects(provider);
  EXPECT_EQ(provider->rsp_free_func(objects.rsp), DAT_SUCCESS);
  EXPECT_EQ(provider->psp_free_func(objects.psp), DAT_SUCCESS);
  EXPECT_EQ(provider->cr_reject_func(objects.cr), DAT_SUCCESS);
  EXPECT_EQ(provider->ep_free_func(objects.ep), DAT_SUCCESS);
  EXPECT_EQ(provider->ep_free_func(objects.reserved_ep), DAT_SUCCESS);
  EXPECT_EQ(provider->srq_free_func(objects.srq), DAT_SUCCESS);
  EXPECT_EQ(provider->rmr_free_func(objects.rmr), DAT_SUCCESS);
  EXPECT_EQ(provider->lmr_free_func(objects.lmr), DAT_SUCCESS);
  EXPECT_EQ(provider->pz_free_func(objects.pz), DAT_SUCCESS);
  EXPECT_EQ(provider->evd_free_func(objects.evd), DAT_SUCCESS);
  EXPECT_EQ(provider->cno_free_func(objects.cno), DAT_SUCCESS);
  EXPECT_EQ(provider->ia_close_func(objects.ia, DAT_CLOSE_GRACEFUL_FLAG), DAT_SUCCESS);
  for (const auto& [kind, handle] : objects.handles()) {
    for (const Call& each : calls())
      EXPECT_EQ(each.call(provider.table(), handle), each.answer) << each.name << " " << kind;
    expect_nobody(provider.table(), handle);
  }
}

TEST(HandleChecks, AfterAnAbruptCloseEveryHandleIsInvalid) {
  const Provider provider("handles");
  const EveryKind objects(provider);
  EXPECT_EQ(provider->ia_close_func(objects.ia, DAT_CLOSE_ABRUPT_FLAG), DAT_SUCCESS);
  for (const auto& [kind, handle] : objects.handles())
    for (const Call& each : calls())
      EXPECT_EQ(each.call(provider.table(), handle), each.answer) << each.name << " " << kind;
  for (const DAT_HANDLE handle : {objects.async_evd, objects.reserved_ep})
    expect_nobody(provider.table(), handle);
}

TEST(HandleChecks, AfterFiniHandlesAnswerThroughTheirOwnFirstWord) {
  std::map<DAT_HANDLE_TYPE, DAT_HANDLE> handles;
  const DAT_PROVIDER* table = nullptr;
  {
    const Provider provider("handles");
    const EveryKind objects(provider);
    handles = objects.handles();
    table = &provider.table();
    for (const auto& [kind, handle] : handles)
      EXPECT_EQ(DAT_HANDLE_TO_PROVIDER(handle), table) << kind;
  }
  for (const auto& [kind, handle] : handles) {
    const DAT_PROVIDER* found = DAT_HANDLE_TO_PROVIDER(handle);
    EXPECT_NE(found, table) << kind;
    for (const Call& each : calls())
      EXPECT_EQ(each.call(*found, handle), each.answer) << each.name << " " << kind;
    expect_nobody(*found, handle);
  }
}

TEST(HandleChecks, EachHandleTellsItsKind) {
  const Provider provider("handles");
  const EveryKind objects(provider);
  for (const auto& [kind, handle] : objects.handles()) {
    DAT_HANDLE_TYPE type{};
    EXPECT_EQ(provider->get_handle_type_func(handle, &type), DAT_SUCCESS);
    EXPECT_EQ(type, kind);
    EXPECT_EQ(provider->get_handle_type_func(handle, nullptr), 0x80060025U);
  }
}

// An object of another open IA is answered as an invalid handle (decision 3). The one exception,
// the connect EVD of an EP (decision 335), is not tested here. The two IAs have the same name.
TEST(HandleChecks, ObjectsOfAnotherInstanceAreInvalid) {
  const Provider provider("handles");
  const EveryKind a(provider);
  const DAT_IA_HANDLE ia = provider.open();
  DAT_PZ_HANDLE pz = nullptr;
  DAT_EVD_HANDLE evd = nullptr;
  DAT_EP_HANDLE ep = nullptr;
  DAT_HANDLE out = nullptr;
  const auto every = static_cast<DAT_EVD_FLAGS>(0x1f1);
  EXPECT_EQ(provider->pz_create_func(ia, &pz), DAT_SUCCESS);
  EXPECT_EQ(provider->evd_create_func(ia, 8, nullptr, every, &evd), DAT_SUCCESS);
  EXPECT_EQ(provider->ep_create_func(ia, pz, evd, evd, evd, nullptr, &ep), DAT_SUCCESS);

  EXPECT_EQ(provider->evd_create_func(ia, 8, a.cno, every, &out), kBadCno);
  EXPECT_EQ(provider->evd_modify_cno_func(evd, a.cno), kBadCno);
  EXPECT_EQ(provider->ep_create_func(ia, a.pz, evd, evd, evd, nullptr, &out), kBadPz);
  EXPECT_EQ(provider->ep_create_func(ia, pz, a.evd, evd, evd, nullptr, &out), 0x80050016U);
  EXPECT_EQ(provider->ep_create_func(ia, pz, evd, a.evd, evd, nullptr, &out), 0x80050015U);
  DAT_EP_ATTR attributes{};
  EXPECT_EQ(provider->ep_create_with_srq_func(ia, pz, evd, evd, evd, a.srq, &attributes, &out),
            kBadSrq);
  EXPECT_EQ(provider->ep_dup_connect_func(ep, a.ep, 1, 0, nullptr, DAT_QOS_BEST_EFFORT), kBadEp);
  EXPECT_EQ(provider->psp_create_func(ia, 90, a.evd, DAT_PSP_CONSUMER_FLAG, &out), 0x80050014U);
  EXPECT_EQ(provider->rsp_create_func(ia, 91, a.ep, evd, &out), kBadEp);
  EXPECT_EQ(provider->cr_accept_func(a.cr, ep, 0, nullptr), kBadEp);
  EXPECT_EQ(provider->srq_create_func(ia, a.pz, nullptr, &out), kBadPz);
  DAT_REGION_DESCRIPTION region{};
  region.for_lmr_handle = a.lmr;
  EXPECT_EQ(provider->lmr_create_func(ia, DAT_MEM_TYPE_LMR, region, 0, pz, DAT_MEM_PRIV_ALL_FLAG,
                                      &out, nullptr, nullptr, nullptr, nullptr),
            kBadLmr);
  EXPECT_EQ(provider->rmr_bind_func(a.rmr, nullptr, DAT_MEM_PRIV_NONE_FLAG, ep, kNoCookie, kDefault,
                                    nullptr),
            kBadEp);
}

} // namespace
} // namespace datum::test
