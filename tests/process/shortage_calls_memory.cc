// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Calls on PZs, LMRs, RMRs and SRQs.
#include <sys/mman.h>

#include "objects.h"
#include "shortage_tables.h"

namespace datum::test {

namespace {

// Memory that is shared with children of this process. It is never unmapped.
void* shared_memory() {
  static void* const memory =
      ::mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return memory;
}

DAT_RETURN register_memory(Stage& s, DAT_MEM_TYPE type, DAT_REGION_DESCRIPTION region) {
  DAT_LMR_HANDLE lmr = DAT_HANDLE_NULL;
  const DAT_RETURN answer =
      dat_lmr_create(s.active.ia, type, region, 8192, s.active.pz, DAT_MEM_PRIV_ALL_FLAG, &lmr,
                     nullptr, nullptr, nullptr, nullptr);
  if (answer == DAT_SUCCESS) s.made(lmr, &dat_lmr_free);
  return answer;
}

DAT_RETURN bind(Stage& s, std::size_t size) {
  DAT_LMR_TRIPLET range = s.part(s.active, size);
  return dat_rmr_bind(s.active.rmr, &range,
                      size == 0 ? DAT_MEM_PRIV_NONE_FLAG : DAT_MEM_PRIV_ALL_FLAG, s.active.ep,
                      DAT_CONTEXT{}, kDefaultFlags, &s.active.window);
}

constexpr ShortCall kMemoryCalls[] = {
    {"pz_create", Answers::kShortage, nullptr,
     [](Stage& s) {
       return made(
           s, [&](DAT_HANDLE* pz) { return dat_pz_create(s.active.ia, pz); }, &dat_pz_free);
     },
     nullptr},
    {"pz_create_and_free", Answers::kShortage, nullptr,
     [](Stage& s) {
       return made_and_freed([&](DAT_HANDLE* pz) { return dat_pz_create(s.active.ia, pz); },
                             &dat_pz_free);
     },
     nullptr},
    {"pz_query", Answers::kSuccess, nullptr,
     [](Stage& s) {
       DAT_PZ_PARAM param{};
       return dat_pz_query(s.active.pz, DAT_PZ_FIELD_ALL, &param);
     },
     nullptr},
    {"lmr_create", Answers::kShortage, &Stage::connect,
     [](Stage& s) {
       DAT_REGION_DESCRIPTION region{};
       region.for_va = s.active.bytes;
       return register_memory(s, DAT_MEM_TYPE_VIRTUAL, region);
     },
     nullptr},
    {"lmr_create_strongly_ordered", Answers::kShortage, nullptr,
     [](Stage& s) {
       DAT_REGION_DESCRIPTION region{};
       region.for_va = s.active.bytes;
       return register_memory(s, kStronglyOrdered, region);
     },
     nullptr},
    {"lmr_create_of_an_lmr", Answers::kShortage, nullptr,
     [](Stage& s) {
       DAT_REGION_DESCRIPTION region{};
       region.for_lmr_handle = s.active.lmr;
       return register_memory(s, DAT_MEM_TYPE_LMR, region);
     },
     nullptr},
    {"lmr_create_of_shared_memory", Answers::kShortage, nullptr,
     [](Stage& s) {
       static char name[DAT_LMR_COOKIE_SIZE] = "of the shortage";
       DAT_REGION_DESCRIPTION region{};
       region.for_shared_memory.virtual_address = shared_memory();
       region.for_shared_memory.shared_memory_id = &name;
       return register_memory(s, DAT_MEM_TYPE_SHARED_VIRTUAL, region);
     },
     nullptr},
    {"lmr_query", Answers::kSuccess, nullptr,
     [](Stage& s) {
       DAT_LMR_PARAM param{};
       return dat_lmr_query(s.active.lmr, DAT_LMR_FIELD_ALL, &param);
     },
     nullptr},
    {"lmr_free", Answers::kSuccess, &Stage::connect,
     [](Stage& s) { return freed(s.active.lmr, &dat_lmr_free); }, nullptr},
    {"lmr_free_at_the_peer", Answers::kSuccess, &Stage::connect,
     [](Stage& s) { return freed(s.passive.lmr, &dat_lmr_free); }, nullptr},
    {"lmr_sync_rdma", Answers::kSuccess, nullptr,
     [](Stage& s) {
       const DAT_LMR_TRIPLET range = s.part(s.active, 64);
       const DAT_RETURN answer = dat_lmr_sync_rdma_read(s.active.ia, &range, 1);
       return answer == DAT_SUCCESS ? dat_lmr_sync_rdma_write(s.active.ia, &range, 1) : answer;
     },
     nullptr},
    {"rmr_create", Answers::kShortage, nullptr,
     [](Stage& s) {
       return made(
           s, [&](DAT_HANDLE* rmr) { return dat_rmr_create(s.active.pz, rmr); }, &dat_rmr_free);
     },
     nullptr},
    {"rmr_query", Answers::kSuccess, &Stage::bind,
     [](Stage& s) {
       DAT_RMR_PARAM param{};
       return dat_rmr_query(s.active.rmr, DAT_RMR_FIELD_ALL, &param);
     },
     nullptr},
    {"rmr_bind", Answers::kShortage, &Stage::connect, [](Stage& s) { return bind(s, 64); },
     &Stage::completes},
    {"rmr_bind_again", Answers::kShortage, &Stage::bind, [](Stage& s) { return bind(s, 64); },
     &Stage::completes},
    {"rmr_bind_to_nothing", Answers::kShortage, &Stage::bind, [](Stage& s) { return bind(s, 0); },
     &Stage::completes},
    {"rmr_free", Answers::kSuccess, nullptr,
     [](Stage& s) { return freed(s.active.rmr, &dat_rmr_free); }, nullptr},
    {"rmr_free_bound", Answers::kSuccess, &Stage::bind,
     [](Stage& s) { return freed(s.active.rmr, &dat_rmr_free); }, nullptr},
    {"srq_create", Answers::kShortage, nullptr,
     [](Stage& s) {
       DAT_SRQ_ATTR attributes{};
       attributes.max_recv_dtos = 8;
       attributes.max_recv_iov = 2;
       attributes.low_watermark = DAT_SRQ_LW_DEFAULT;
       return made(
           s,
           [&](DAT_HANDLE* srq) {
             return dat_srq_create(s.active.ia, s.active.pz, &attributes, srq);
           },
           &dat_srq_free);
     },
     nullptr},
    {"srq_query", Answers::kSuccess, nullptr,
     [](Stage& s) {
       DAT_SRQ_PARAM param{};
       return dat_srq_query(s.active.srq, DAT_SRQ_FIELD_ALL, &param);
     },
     nullptr},
    {"srq_set_lw", Answers::kSuccess, nullptr,
     [](Stage& s) { return dat_srq_set_lw(s.active.srq, 4); }, nullptr},
    {"srq_resize", Answers::kShortage, nullptr,
     [](Stage& s) { return dat_srq_resize(s.active.srq, 1000); }, nullptr},
    {"srq_post_recv", Answers::kShortage, nullptr,
     [](Stage& s) {
       DAT_LMR_TRIPLET to = s.part(s.active, 64);
       return dat_srq_post_recv(s.active.srq, 1, &to, DAT_CONTEXT{});
     },
     nullptr},
    {"srq_free", Answers::kSuccess, nullptr,
     [](Stage& s) { return freed(s.active.srq, &dat_srq_free); }, nullptr},
};

} // namespace

std::span<const ShortCall> short_calls_of_memory() {
  return kMemoryCalls;
}

} // namespace datum::test
