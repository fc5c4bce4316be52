// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Calls on service points, connection requests and EPs, and the posts.
#include <cstring>

#include "objects.h"
#include "shortage_tables.h"

namespace datum::test {

namespace {

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

DAT_RETURN write(Stage& s, std::size_t size) {
  DAT_LMR_TRIPLET from = s.part(s.active, size);
  const DAT_RMR_TRIPLET to = s.remote_part(s.passive, size);
  return dat_ep_post_rdma_write(s.active.ep, 1, &from, DAT_CONTEXT{}, &to, kDefaultFlags);
}

DAT_RETURN read(Stage& s, std::size_t size) {
  DAT_LMR_TRIPLET to = s.part(s.active, size);
  const DAT_RMR_TRIPLET from = s.remote_part(s.passive, size);
  return dat_ep_post_rdma_read(s.active.ep, 1, &to, DAT_CONTEXT{}, &from, kDefaultFlags);
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

} // namespace

std::span<const ShortCall> short_calls_of_service_points() {
  return kServiceCalls;
}

std::span<const ShortCall> short_calls_of_endpoints() {
  return kEndpointCalls;
}

std::span<const ShortCall> short_calls_of_transfers() {
  return kTransferCalls;
}

} // namespace datum::test
