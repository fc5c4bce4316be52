// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "shortage_calls.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>

#include "objects.h"

namespace datum::test {

namespace {

constexpr DAT_TIMEOUT kMoment = 2000; // us
constexpr auto kFlags = DAT_COMPLETION_DEFAULT_FLAG;

constexpr const char* kProvider = "made-by-hand";

DAT_RETURN opens_nothing(const DAT_NAME_PTR, DAT_COUNT, DAT_EVD_HANDLE*, DAT_IA_HANDLE*) {
  return DAT_CLASS_ERROR | DAT_INTERNAL_ERROR;
}

// Memory that is shared with children of this process. It is never unmapped.
void* shared_memory() {
  static void* const memory =
      ::mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return memory;
}

DAT_RETURN closes_nothing(DAT_IA_HANDLE, DAT_CLOSE_FLAGS) {
  return DAT_CLASS_ERROR | DAT_INTERNAL_ERROR;
}

DAT_RETURN register_memory(Stage& s, DAT_MEM_TYPE type, DAT_REGION_DESCRIPTION region) {
  DAT_LMR_HANDLE lmr = DAT_HANDLE_NULL;
  const DAT_RETURN answer =
      dat_lmr_create(s.active.ia, type, region, 8192, s.active.pz, DAT_MEM_PRIV_ALL_FLAG, &lmr,
                     nullptr, nullptr, nullptr, nullptr);
  if (answer == DAT_SUCCESS) s.made(lmr, &dat_lmr_free);
  return answer;
}

DAT_EP_ATTR endpoint_attributes() {
  DAT_EP_ATTR attributes{};
  attributes.service_type = DAT_SERVICE_TYPE_RC;
  attributes.max_message_size = 4096;
  attributes.max_rdma_size = 4096;
  attributes.qos = DAT_QOS_BEST_EFFORT;
  attributes.recv_completion_flags = DAT_COMPLETION_EVD_THRESHOLD_FLAG;
  attributes.request_completion_flags = DAT_COMPLETION_EVD_THRESHOLD_FLAG;
  attributes.max_recv_dtos = 8;
  attributes.max_request_dtos = 8;
  attributes.max_recv_iov = 1;
  attributes.max_request_iov = 1;
  attributes.srq_soft_hw = DAT_HW_DEFAULT;
  return attributes;
}

DAT_RETURN bind(Stage& s, std::size_t size) {
  DAT_LMR_TRIPLET range = s.part(s.active, size);
  return dat_rmr_bind(s.active.rmr, &range,
                      size == 0 ? DAT_MEM_PRIV_NONE_FLAG : DAT_MEM_PRIV_ALL_FLAG, s.active.ep,
                      DAT_CONTEXT{}, kFlags, &s.active.window);
}

// Frees the handle. If that succeeds, Stage::end() will not free it again.
DAT_RETURN freed(DAT_HANDLE& handle, Stage::Free free) {
  const DAT_RETURN answer = free(handle);
  if (answer == DAT_SUCCESS) handle = DAT_HANDLE_NULL;
  return answer;
}

// Creates an object and frees it while the shortage lasts.
template <class Create>
DAT_RETURN made_and_freed(Create create, Stage::Free free) {
  DAT_HANDLE handle = DAT_HANDLE_NULL;
  const DAT_RETURN answer = create(&handle);
  return answer == DAT_SUCCESS ? free(handle) : answer;
}

template <class Create>
DAT_RETURN made(Stage& s, Create create, Stage::Free free) {
  DAT_HANDLE handle = DAT_HANDLE_NULL;
  const DAT_RETURN answer = create(&handle);
  if (answer == DAT_SUCCESS) s.made(handle, free);
  return answer;
}

DAT_RETURN write(Stage& s, std::size_t size) {
  DAT_LMR_TRIPLET from = s.part(s.active, size);
  const DAT_RMR_TRIPLET to = s.remote_part(s.passive, size);
  return dat_ep_post_rdma_write(s.active.ep, 1, &from, DAT_CONTEXT{}, &to, kFlags);
}

DAT_RETURN read(Stage& s, std::size_t size) {
  DAT_LMR_TRIPLET to = s.part(s.active, size);
  const DAT_RMR_TRIPLET from = s.remote_part(s.passive, size);
  return dat_ep_post_rdma_read(s.active.ep, 1, &to, DAT_CONTEXT{}, &from, kFlags);
}

DAT_RETURN close(Stage& s, DAT_CLOSE_FLAGS flags) {
  const DAT_RETURN answer = dat_ia_close(s.active.ia, flags);
  if (answer == DAT_SUCCESS) s.active = {};
  return answer;
}

DAT_RETURN software_event(Stage& s) {
  DAT_EVENT event{};
  event.event_number = DAT_SOFTWARE_EVENT;
  return dat_evd_post_se(s.active.evd, &event);
}

DAT_RETURN rsp(Stage& s, DAT_HANDLE* handle) {
  return dat_rsp_create(s.passive.ia, s.other_qualifier + 1, s.passive.other_ep, s.passive.cr_evd,
                        handle);
}

bool agree(const DAT_EP_PARAM& one, const DAT_EP_PARAM& other) {
  return one.connect_evd_handle == other.connect_evd_handle &&
         one.ep_attr.max_request_dtos == other.ep_attr.max_request_dtos &&
         one.ep_attr.max_recv_dtos == other.ep_attr.max_recv_dtos;
}

DAT_RETURN modify_much(Stage& s) {
  constexpr DAT_RETURN kWrong = DAT_CLASS_ERROR | DAT_INTERNAL_ERROR;
  constexpr DAT_EP_PARAM_MASK kMuch = DAT_EP_FIELD_CONNECT_EVD_HANDLE |
                                      DAT_EP_FIELD_EP_ATTR_MAX_REQUEST_DTOS |
                                      DAT_EP_FIELD_EP_ATTR_MAX_RECV_DTOS;
  DAT_EP_PARAM before{}, asked{}, after{};
  asked.connect_evd_handle = s.passive.evd;
  asked.ep_attr.max_request_dtos = 500;
  asked.ep_attr.max_recv_dtos = 500;
  if (dat_ep_query(s.active.ep, kMuch, &before) != DAT_SUCCESS) return kWrong;
  const DAT_RETURN answer = dat_ep_modify(s.active.ep, kMuch, &asked);
  if (dat_ep_query(s.active.ep, kMuch, &after) != DAT_SUCCESS) return kWrong;
  if (answer == DAT_SUCCESS) return agree(after, asked) ? answer : kWrong;
  return agree(after, before) && s.event_is_as_it_was() ? answer : kWrong;
}

void armed(DAT_PVOID, DAT_EVD_HANDLE) {}

constexpr ShortCall kIaCalls[] = {
    {"ia_open", Answers::kShortage, nullptr,
     [](Stage& s) {
       DAT_EVD_HANDLE async = DAT_HANDLE_NULL;
       return made(
           s,
           [&](DAT_HANDLE* ia) {
             return dat_ia_open(const_cast<char*>(ia_name().c_str()), 8, &async, ia);
           },
           &close_abruptly);
     },
     nullptr},
    {"ia_query", Answers::kSuccess, nullptr,
     [](Stage& s) {
       DAT_IA_ATTR ia{};
       DAT_PROVIDER_ATTR provider{};
       return dat_ia_query(s.active.ia, nullptr, DAT_IA_FIELD_ALL, &ia, DAT_PROVIDER_FIELD_ALL,
                           &provider);
     },
     nullptr},
    {"ia_close_abrupt", Answers::kSuccess, &Stage::bind,
     [](Stage& s) { return close(s, DAT_CLOSE_ABRUPT_FLAG); }, nullptr},
    {"ia_close_abrupt_with_a_request", Answers::kSuccess, &Stage::request,
     [](Stage& s) { return close(s, DAT_CLOSE_ABRUPT_FLAG); }, nullptr},
    {"ia_close_graceful_in_use", Answers::kSuccess, &Stage::connect,
     [](Stage& s) {
       const DAT_RETURN answer = dat_ia_close(s.active.ia, DAT_CLOSE_GRACEFUL_FLAG);
       return DAT_GET_TYPE(answer) == DAT_INVALID_STATE ? DAT_RETURN{DAT_SUCCESS} : answer;
     },
     nullptr},
    {"registry_list_providers", Answers::kShortage, nullptr,
     [](Stage&) {
       static std::array<DAT_PROVIDER_INFO, 32> found;
       std::array<DAT_PROVIDER_INFO*, 32> places{};
       for (std::size_t i = 0; i < found.size(); ++i) places[i] = &found[i];
       DAT_COUNT count = 0;
       return dat_registry_list_providers(32, &count, places.data());
     },
     nullptr},
    {"registry_add_and_remove_provider", Answers::kShortage, nullptr,
     [](Stage&) {
       static DAT_PROVIDER table{};
       table.device_name = kProvider;
       table.ia_open_func = &opens_nothing;
       table.ia_close_func = &closes_nothing;
       DAT_PROVIDER_INFO info{};
       std::strncpy(info.ia_name, kProvider, sizeof info.ia_name - 1);
       info.dapl_version_major = kApiMajor;
       info.dapl_version_minor = kApiMinor;
       const DAT_RETURN added = dat_registry_add_provider(&table, &info);
       return added == DAT_SUCCESS ? dat_registry_remove_provider(&table, &info) : added;
     },
     nullptr},
    {"consumer_context", Answers::kSuccess, nullptr,
     [](Stage& s) {
       DAT_CONTEXT context{};
       const DAT_RETURN answer = dat_set_consumer_context(s.active.ep, context);
       return answer == DAT_SUCCESS ? dat_get_consumer_context(s.active.ep, &context) : answer;
     },
     nullptr},
    {"get_handle_type", Answers::kSuccess, nullptr,
     [](Stage& s) {
       DAT_HANDLE_TYPE type{};
       return dat_get_handle_type(s.active.ep, &type);
     },
     nullptr},
    {"strerror", Answers::kSuccess, nullptr,
     [](Stage&) {
       const char* major = nullptr;
       const char* minor = nullptr;
       return dat_strerror(DAT_CLASS_ERROR | DAT_INVALID_STATE, &major, &minor);
     },
     nullptr},
};

constexpr ShortCall kEventCalls[] = {
    {"cno_create", Answers::kShortage, nullptr,
     [](Stage& s) {
       return made(
           s,
           [&](DAT_HANDLE* cno) {
             return dat_cno_create(s.active.ia, {nullptr, &armed}, cno);
           },
           &dat_cno_free);
     },
     nullptr},
    {"cno_create_and_free", Answers::kShortage, nullptr,
     [](Stage& s) {
       return made_and_freed(
           [&](DAT_HANDLE* cno) {
             return dat_cno_create(s.active.ia, DAT_OS_WAIT_PROXY_AGENT_NULL, cno);
           },
           &dat_cno_free);
     },
     nullptr},
    {"cno_modify_agent", Answers::kShortage, nullptr,
     [](Stage& s) {
       return dat_cno_modify_agent(s.active.cno, {nullptr, &armed});
     },
     nullptr},
    {"cno_modify_agent_to_none", Answers::kSuccess, nullptr,
     [](Stage& s) { return dat_cno_modify_agent(s.active.cno, DAT_OS_WAIT_PROXY_AGENT_NULL); },
     nullptr},
    {"cno_query", Answers::kSuccess, nullptr,
     [](Stage& s) {
       DAT_CNO_PARAM param{};
       return dat_cno_query(s.active.cno, DAT_CNO_FIELD_ALL, &param);
     },
     nullptr},
    {"cno_wait", Answers::kNothingYet, nullptr,
     [](Stage& s) {
       const DAT_RETURN posted = software_event(s);
       DAT_EVD_HANDLE fired = DAT_HANDLE_NULL;
       return posted == DAT_SUCCESS ? dat_cno_wait(s.active.cno, kMoment, &fired) : posted;
     },
     nullptr},
    {"evd_create", Answers::kShortage, nullptr,
     [](Stage& s) {
       return made(
           s,
           [&](DAT_HANDLE* evd) {
             return dat_evd_create(s.active.ia, 8, s.active.cno, kEveryStream, evd);
           },
           &dat_evd_free);
     },
     nullptr},
    {"evd_query", Answers::kSuccess, nullptr,
     [](Stage& s) {
       DAT_EVD_PARAM param{};
       return dat_evd_query(s.active.evd, DAT_EVD_FIELD_ALL, &param);
     },
     nullptr},
    {"evd_modify_cno", Answers::kShortage, nullptr,
     [](Stage& s) { return dat_evd_modify_cno(s.active.cr_evd, s.active.cno); }, nullptr},
    {"evd_modify_cno_to_none", Answers::kSuccess, nullptr,
     [](Stage& s) { return dat_evd_modify_cno(s.active.evd, DAT_HANDLE_NULL); }, nullptr},
    {"evd_disable_and_enable", Answers::kSuccess, nullptr,
     [](Stage& s) {
       const DAT_RETURN answer = dat_evd_disable(s.active.evd);
       return answer == DAT_SUCCESS ? dat_evd_enable(s.active.evd) : answer;
     },
     nullptr},
    {"evd_set_and_clear_unwaitable", Answers::kSuccess, nullptr,
     [](Stage& s) {
       const DAT_RETURN answer = dat_evd_set_unwaitable(s.active.evd);
       return answer == DAT_SUCCESS ? dat_evd_clear_unwaitable(s.active.evd) : answer;
     },
     nullptr},
    {"evd_post_se_and_wait", Answers::kNothingYet, nullptr,
     [](Stage& s) {
       const DAT_RETURN posted = software_event(s);
       return posted == DAT_SUCCESS ? s.next(s.active.evd, kMoment) : posted;
     },
     nullptr},
    {"evd_wait_in_vain", Answers::kNothingYet, &Stage::connect,
     [](Stage& s) {
       const DAT_RETURN answer = s.next(s.active.evd, kMoment);
       return DAT_GET_TYPE(answer) == DAT_TIMEOUT_EXPIRED ? DAT_RETURN{DAT_SUCCESS} : answer;
     },
     nullptr},
    {"evd_wait_for_a_message", Answers::kNothingYet, &Stage::message,
     [](Stage& s) { return s.next(s.passive.evd, kMoment); }, nullptr},
    {"evd_wait_for_a_request", Answers::kNothingYet, &Stage::asks,
     [](Stage& s) {
       const DAT_RETURN answer = s.next(s.passive.cr_evd, kMoment);
       // A shortage may have refused the request. Then the requester must get an event.
       return DAT_GET_TYPE(answer) == DAT_TIMEOUT_EXPIRED ? s.next(s.active.evd, kMoment) : answer;
     },
     nullptr},
    {"evd_dequeue", Answers::kNothingYet, &Stage::message,
     [](Stage& s) { return dat_evd_dequeue(s.passive.evd, &s.event); }, nullptr},
    {"evd_resize", Answers::kShortage, nullptr,
     [](Stage& s) { return dat_evd_resize(s.active.evd, 1000); }, nullptr},
    {"evd_free", Answers::kSuccess, nullptr,
     [](Stage& s) { return freed(s.active.spare, &dat_evd_free); }, nullptr},
};

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

constexpr ShortCall kServiceCalls[] = {
    {"psp_create", Answers::kShortage, nullptr,
     [](Stage& s) {
       return made(
           s,
           [&](DAT_HANDLE* psp) {
             return dat_psp_create(s.passive.ia, s.other_qualifier + 1, s.passive.cr_evd,
                                   DAT_PSP_PROVIDER_FLAG, psp);
           },
           &dat_psp_free);
     },
     nullptr},
    {"psp_create_any", Answers::kShortage, nullptr,
     [](Stage& s) {
       DAT_CONN_QUAL chosen = 0;
       return made(
           s,
           [&](DAT_HANDLE* psp) {
             return dat_psp_create_any(s.passive.ia, &chosen, s.passive.cr_evd,
                                       DAT_PSP_CONSUMER_FLAG, psp);
           },
           &dat_psp_free);
     },
     nullptr},
    {"psp_query", Answers::kSuccess, nullptr,
     [](Stage& s) {
       DAT_PSP_PARAM param{};
       return dat_psp_query(s.psp, DAT_PSP_FIELD_ALL, &param);
     },
     nullptr},
    {"psp_free", Answers::kSuccess, &Stage::request,
     [](Stage& s) { return freed(s.psp, &dat_psp_free); }, nullptr},
    {"rsp_create", Answers::kShortage, nullptr,
     [](Stage& s) {
       return made(
           s, [&](DAT_HANDLE* handle) { return rsp(s, handle); }, &dat_rsp_free);
     },
     nullptr},
    {"rsp_create_query_and_free", Answers::kShortage, nullptr,
     [](Stage& s) {
       return made_and_freed(
           [&](DAT_HANDLE* handle) {
             const DAT_RETURN answer = rsp(s, handle);
             DAT_RSP_PARAM param{};
             return answer == DAT_SUCCESS ? dat_rsp_query(*handle, DAT_RSP_FIELD_ALL, &param)
                                          : answer;
           },
           &dat_rsp_free);
     },
     nullptr},
    {"cr_query", Answers::kSuccess, &Stage::request,
     [](Stage& s) {
       DAT_CR_PARAM param{};
       return dat_cr_query(s.cr, DAT_CR_FIELD_ALL, &param);
     },
     nullptr},
    {"cr_accept", Answers::kShortage, &Stage::request,
     [](Stage& s) {
       char data[] = "an answer";
       const DAT_RETURN answer = dat_cr_accept(s.cr, s.passive.ep, sizeof data, data);
       if (answer == DAT_SUCCESS) s.cr = DAT_HANDLE_NULL;
       return answer;
     },
     &Stage::both_hear_once},
    {"cr_reject", Answers::kSuccess, &Stage::request,
     [](Stage& s) {
       const DAT_RETURN answer = dat_cr_reject(s.cr);
       if (answer == DAT_SUCCESS) s.cr = DAT_HANDLE_NULL;
       return answer;
     },
     &Stage::requester_hears},
    {"cr_handoff", Answers::kShortage, &Stage::request,
     [](Stage& s) {
       s.requests_wait = true;
       const DAT_RETURN answer = dat_cr_handoff(s.cr, s.qualifier);
       if (answer == DAT_SUCCESS) s.cr = DAT_HANDLE_NULL;
       return answer;
     },
     &Stage::connection_is_answered},
    {"cr_handoff_to_an_ep_of_the_provider", Answers::kShortage, &Stage::request,
     [](Stage& s) {
       s.requests_wait = true;
       const DAT_RETURN answer = dat_cr_handoff(s.cr, s.other_qualifier);
       if (answer == DAT_SUCCESS) s.cr = DAT_HANDLE_NULL;
       return answer;
     },
     &Stage::handed_on},
};

constexpr ShortCall kEndpointCalls[] = {
    {"ep_create", Answers::kShortage, nullptr,
     [](Stage& s) {
       return made(
           s,
           [&](DAT_HANDLE* ep) {
             return dat_ep_create(s.active.ia, s.active.pz, s.active.evd, s.active.evd,
                                  s.active.evd, nullptr, ep);
           },
           &dat_ep_free);
     },
     nullptr},
    {"ep_create_with_srq", Answers::kShortage, nullptr,
     [](Stage& s) {
       DAT_EP_ATTR attributes = endpoint_attributes();
       return made(
           s,
           [&](DAT_HANDLE* ep) {
             return dat_ep_create_with_srq(s.active.ia, s.active.pz, s.active.evd, s.active.evd,
                                           s.active.evd, s.active.srq, &attributes, ep);
           },
           &dat_ep_free);
     },
     nullptr},
    {"ep_query", Answers::kSuccess, &Stage::connect,
     [](Stage& s) {
       DAT_EP_PARAM param{};
       return dat_ep_query(s.active.ep, DAT_EP_FIELD_ALL, &param);
     },
     nullptr},
    {"ep_modify", Answers::kShortage, nullptr,
     [](Stage& s) {
       DAT_EP_PARAM param{};
       param.ep_attr.max_request_dtos = 500;
       param.ep_attr.max_recv_dtos = 500;
       return dat_ep_modify(
           s.active.ep, DAT_EP_FIELD_EP_ATTR_MAX_REQUEST_DTOS | DAT_EP_FIELD_EP_ATTR_MAX_RECV_DTOS,
           &param);
     },
     nullptr},
    // After a shortage none of the three attributes has changed, and no event has lost its data.
    {"ep_modify_of_much", Answers::kShortage, &Stage::leave_event, &modify_much, nullptr},
    {"ep_get_status", Answers::kSuccess, &Stage::connect,
     [](Stage& s) {
       DAT_EP_STATE state{};
       return dat_ep_get_status(s.active.ep, &state, nullptr, nullptr);
     },
     nullptr},
    {"ep_recv_query", Answers::kSuccess, &Stage::connect,
     [](Stage& s) {
       DAT_COUNT count = 0;
       DAT_COUNT span = 0;
       return dat_ep_recv_query(s.active.ep, &count, &span);
     },
     nullptr},
    {"ep_set_watermark", Answers::kSuccess, &Stage::connect,
     [](Stage& s) { return dat_ep_set_watermark(s.active.ep, 1, 2); }, nullptr},
    {"ep_connect", Answers::kShortage, nullptr, [](Stage& s) { return s.dial(s.qualifier); },
     &Stage::connection_is_answered},
    {"ep_connect_where_nobody_listens", Answers::kShortage, nullptr,
     [](Stage& s) { return s.dial(s.other_qualifier + 9); }, &Stage::request_is_told},
    {"ep_dup_connect", Answers::kShortage, &Stage::connect,
     [](Stage& s) {
       s.requests_wait = true;
       return dat_ep_dup_connect(s.active.other_ep, s.active.ep, 10'000'000, 0, nullptr,
                                 DAT_QOS_BEST_EFFORT);
     },
     nullptr},
    {"ep_disconnect_abrupt", Answers::kSuccess, &Stage::connect,
     [](Stage& s) { return dat_ep_disconnect(s.active.ep, DAT_CLOSE_ABRUPT_FLAG); },
     &Stage::both_hear},
    {"ep_disconnect_graceful", Answers::kSuccess, &Stage::connect,
     [](Stage& s) { return dat_ep_disconnect(s.active.ep, DAT_CLOSE_GRACEFUL_FLAG); },
     &Stage::both_hear},
    {"ep_disconnect_while_connecting", Answers::kSuccess, &Stage::request,
     [](Stage& s) { return dat_ep_disconnect(s.active.ep, DAT_CLOSE_ABRUPT_FLAG); },
     &Stage::request_is_told},
    {"ep_reset", Answers::kSuccess, &Stage::disconnect,
     [](Stage& s) { return dat_ep_reset(s.active.ep); }, nullptr},
    {"ep_free", Answers::kSuccess, nullptr,
     [](Stage& s) { return freed(s.active.ep, &dat_ep_free); }, nullptr},
    {"ep_free_connected", Answers::kSuccess, &Stage::bind,
     [](Stage& s) { return freed(s.active.ep, &dat_ep_free); }, nullptr},
    {"ep_free_connecting", Answers::kSuccess, &Stage::request,
     [](Stage& s) { return freed(s.active.ep, &dat_ep_free); }, nullptr},
};

constexpr ShortCall kTransferCalls[] = {
    {"ep_post_recv", Answers::kShortage, &Stage::connect, [](Stage& s) { return s.post_recv(64); },
     nullptr},
    {"ep_post_send", Answers::kShortage, &Stage::connect,
     [](Stage& s) {
       const DAT_RETURN answer = s.post_recv(64);
       return answer == DAT_SUCCESS ? s.post_send(64) : answer;
     },
     &Stage::arrives},
    {"ep_post_send_long", Answers::kShortage, &Stage::connect,
     [](Stage& s) {
       const DAT_RETURN answer = s.post_recv(Stage::kBytes);
       return answer == DAT_SUCCESS ? s.post_send(Stage::kBytes) : answer;
     },
     &Stage::arrives},
    {"ep_post_send_without_a_recv", Answers::kShortage, &Stage::connect,
     [](Stage& s) { return s.post_send(3000); }, &Stage::late_recv_takes_it},
    {"ep_post_rdma_write", Answers::kShortage, &Stage::connect,
     [](Stage& s) { return write(s, 64); }, &Stage::completes},
    {"ep_post_rdma_write_word", Answers::kShortage, &Stage::connect_and_rest,
     [](Stage& s) {
       static std::uint8_t filling = 0;
       std::memset(s.active.bytes, ++filling, 8);
       return write(s, 8);
     },
     &Stage::word_is_written},
    {"ep_post_rdma_write_long", Answers::kShortage, &Stage::connect,
     [](Stage& s) { return write(s, Stage::kBytes); }, &Stage::completes},
    {"ep_post_rdma_read", Answers::kShortage, &Stage::connect, [](Stage& s) { return read(s, 64); },
     &Stage::completes},
    {"ep_post_rdma_read_long", Answers::kShortage, &Stage::connect,
     [](Stage& s) { return read(s, Stage::kBytes); }, &Stage::completes},
};

// The calls of all tables, one table after the other.
const auto& all() {
  constexpr std::size_t kCount = std::size(kIaCalls) + std::size(kEventCalls) +
                                 std::size(kMemoryCalls) + std::size(kServiceCalls) +
                                 std::size(kEndpointCalls) + std::size(kTransferCalls);
  static const auto calls = [] {
    std::array<ShortCall, kCount> made{};
    auto* at = made.begin();
    for (const std::span<const ShortCall> group :
         {std::span<const ShortCall>(kIaCalls), std::span<const ShortCall>(kEventCalls),
          std::span<const ShortCall>(kMemoryCalls), std::span<const ShortCall>(kServiceCalls),
          std::span<const ShortCall>(kEndpointCalls), std::span<const ShortCall>(kTransferCalls)})
      at = std::copy(group.begin(), group.end(), at);
    return made;
  }();
  return calls;
}

} // namespace

std::span<const ShortCall> short_calls() {
  return all();
}

} // namespace datum::test
