// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The calls that DAT 2.0 added.
#include <dat2/dat_ib_extensions.h>
#include <sys/socket.h>

#include <cstring>

#include "objects.h"
#include "shortage_tables.h"

namespace datum::test {

namespace {

// A CSP at the address of the IA, at a port that the provider chooses.
DAT_RETURN create_csp(Stage& s, DAT_HANDLE* csp) {
  DAT_IA_ATTR attributes{};
  dat_ia_query(s.passive.ia, nullptr, DAT_IA_FIELD_ALL, &attributes, 0, nullptr);
  sockaddr_storage address{};
  const bool v6 = attributes.ia_address_ptr->sa_family == AF_INET6;
  std::memcpy(&address, attributes.ia_address_ptr, v6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in));
  // The addresses of both families have the port at the same offset.
  reinterpret_cast<sockaddr_in*>(&address)->sin_port = 0;
  DAT_COMM comm{address.ss_family, SOCK_STREAM, 0};
  return dat_csp_create(s.passive.ia, &comm, reinterpret_cast<DAT_IA_ADDRESS_PTR>(&address),
                        s.passive.cr_evd, csp);
}

DAT_RETURN query_csp(DAT_HANDLE csp) {
  DAT_CSP_PARAM param{};
  return dat_csp_query(csp, DAT_CSP_FIELD_ALL, &param);
}

DAT_RETURN connect_to_the_port(Stage& s) {
  DAT_IA_ATTR attributes{};
  dat_ia_query(s.passive.ia, nullptr, DAT_IA_FIELD_ALL, &attributes, 0, nullptr);
  sockaddr_storage address{};
  const bool v6 = attributes.ia_address_ptr->sa_family == AF_INET6;
  std::memcpy(&address, attributes.ia_address_ptr, v6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in));
  reinterpret_cast<sockaddr_in*>(&address)->sin_port =
      htons(static_cast<std::uint16_t>(s.qualifier));
  s.requests_wait = true;
  return dat_ep_common_connect(s.active.ep, reinterpret_cast<DAT_IA_ADDRESS_PTR>(&address),
                               10'000'000, 0, nullptr);
}

// Two endpoints of datagrams. One resolves the other, sends it a datagram and frees the address
// handle.
class Datagrams {
 public:
  explicit Datagrams(Stage& stage) : s_(stage) {}

  DAT_RETURN pass() {
    DAT_RETURN answer = make(s_.active, active_);
    if (answer == DAT_SUCCESS) answer = make(s_.passive, passive_);
    if (answer == DAT_SUCCESS) answer = resolve();
    if (answer != DAT_SUCCESS || refused_) return answer;
    DAT_LMR_TRIPLET to = s_.part(s_.passive, 1024);
    answer = dat_ep_post_recv(passive_, 1, &to, DAT_CONTEXT{}, kDefaultFlags);
    DAT_LMR_TRIPLET from = s_.part(s_.active, 64);
    if (answer == DAT_SUCCESS)
      answer = dat_ib_post_send_ud(active_, 1, &from, &name_, DAT_CONTEXT{}, kDefaultFlags);
    if (answer == DAT_SUCCESS) answer = s_.next(s_.active.evd, kPause);
    return answer == DAT_SUCCESS ? dat_ib_ud_ah_free(active_, &name_) : answer;
  }

  // Frees the endpoints, however far pass() came, and takes the events that they left.
  DAT_RETURN end() {
    DAT_RETURN first = DAT_SUCCESS;
    for (DAT_EP_HANDLE* ep : {&active_, &passive_}) {
      const DAT_RETURN freed = *ep == DAT_HANDLE_NULL ? DAT_RETURN{DAT_SUCCESS} : dat_ep_free(*ep);
      if (first == DAT_SUCCESS) first = freed;
    }
    while (s_.next(s_.active.evd, 0) == DAT_SUCCESS || s_.next(s_.passive.evd, 0) == DAT_SUCCESS) {
    }
    while (first == DAT_SUCCESS && s_.next(s_.passive.cr_evd, 1000) == DAT_SUCCESS)
      first = dat_cr_reject(s_.event.event_data.cr_arrival_event_data.cr_handle);
    return first;
  }

 private:
  static constexpr DAT_TIMEOUT kPause = 20'000; // us

  static DAT_RETURN make(const Stage::Half& half, DAT_EP_HANDLE& ep) {
    DAT_EP_PARAM usual{};
    const DAT_RETURN queried = dat_ep_query(half.ep, DAT_EP_FIELD_EP_ATTR_ALL, &usual);
    if (queried != DAT_SUCCESS) return queried;
    usual.ep_attr.service_type = any_value<DAT_SERVICE_TYPE>(DAT_IB_SERVICE_TYPE_UD);
    return dat_ep_create(half.ia, half.pz, half.evd, half.evd, half.evd, &usual.ep_attr, &ep);
  }

  DAT_RETURN resolve() {
    s_.requests_wait = true;
    DAT_RETURN answer = s_.dial(s_.qualifier, active_);
    if (answer == DAT_SUCCESS) answer = s_.next(s_.passive.cr_evd, kPause);
    if (answer == DAT_SUCCESS) {
      const DAT_CR_HANDLE cr = s_.event.event_data.cr_arrival_event_data.cr_handle;
      answer = dat_cr_accept(cr, passive_, 0, nullptr);
      if (answer != DAT_SUCCESS) static_cast<void>(dat_cr_reject(cr));
    }
    if (answer == DAT_SUCCESS) answer = s_.next(s_.active.evd, kPause);
    if (answer != DAT_SUCCESS) return answer;
    DAT_IB_EXTENSION_EVENT_DATA told{};
    std::memcpy(&told, s_.event.event_extension_data, sizeof told);
    name_ = told.remote_ah;
    refused_ = told.type != DAT_IB_UD_REMOTE_AH; // then the event reports a refusal
    return answer;
  }

  Stage& s_;
  DAT_EP_HANDLE active_ = DAT_HANDLE_NULL;
  DAT_EP_HANDLE passive_ = DAT_HANDLE_NULL;
  DAT_IB_ADDR_HANDLE name_{};
  bool refused_ = false;
};

constexpr ShortCall kCalls[] = {
    {"cno_fd_create", Answers::kShortage, nullptr,
     [](Stage& s) {
       DAT_FD descriptor = -1;
       return made(
           s, [&](DAT_HANDLE* cno) { return dat_cno_fd_create(s.active.ia, &descriptor, cno); },
           &dat_cno_free);
     },
     nullptr},
    {"cno_trigger", Answers::kSuccess, nullptr,
     [](Stage& s) {
       DAT_EVD_HANDLE fired = DAT_HANDLE_NULL;
       const DAT_RETURN answer = dat_cno_trigger(s.active.cno, &fired);
       return DAT_GET_TYPE(answer) == DAT_QUEUE_EMPTY ? DAT_RETURN{DAT_SUCCESS} : answer;
     },
     nullptr},
    {"csp_create", Answers::kShortage, nullptr,
     [](Stage& s) {
       return made(
           s, [&](DAT_HANDLE* csp) { return create_csp(s, csp); }, &dat_csp_free);
     },
     nullptr},
    {"csp_create_query_and_free", Answers::kShortage, nullptr,
     [](Stage& s) {
       DAT_HANDLE csp = DAT_HANDLE_NULL;
       if (const DAT_RETURN answer = create_csp(s, &csp); answer != DAT_SUCCESS) return answer;
       const DAT_RETURN queried = query_csp(csp);
       const DAT_RETURN freed = dat_csp_free(csp);
       return queried != DAT_SUCCESS ? queried : freed;
     },
     nullptr},
    {"ep_common_connect", Answers::kShortage, nullptr, &connect_to_the_port,
     &Stage::connection_is_answered},
    {"cr_reject_with_data", Answers::kSuccess, &Stage::request,
     [](Stage& s) {
       char why[] = "the house is full";
       const DAT_RETURN answer = dat_cr_reject(s.cr, sizeof why, why);
       if (answer == DAT_SUCCESS) s.cr = DAT_HANDLE_NULL;
       return answer;
     },
     &Stage::requester_hears},
    {"rmr_create_for_ep", Answers::kShortage, nullptr,
     [](Stage& s) {
       return made(
           s, [&](DAT_HANDLE* rmr) { return dat_rmr_create_for_ep(s.active.pz, rmr); },
           &dat_rmr_free);
     },
     nullptr},
    {"ep_post_send_with_invalidate", Answers::kShortage, &Stage::connect,
     [](Stage& s) {
       const DAT_RETURN posted = s.post_recv(64);
       if (posted != DAT_SUCCESS) return posted;
       DAT_LMR_TRIPLET from = s.part(s.active, 64);
       return dat_ep_post_send_with_invalidate(s.active.ep, 1, &from, DAT_CONTEXT{}, kDefaultFlags,
                                               DAT_FALSE, 0);
     },
     &Stage::arrives},
    {"ep_post_rdma_read_to_rmr", Answers::kShortage, &Stage::bind,
     [](Stage& s) {
       const DAT_RMR_TRIPLET to =
           remote_part(s.active.window, reinterpret_cast<DAT_VADDR>(s.active.bytes), 64);
       const DAT_RMR_TRIPLET from = s.remote_part(s.passive, 64);
       return dat_ep_post_rdma_read_to_rmr(s.active.ep, &to, DAT_CONTEXT{}, &from, kDefaultFlags);
     },
     &Stage::completes},
    {"ib_post_fetch_and_add", Answers::kShortage, &Stage::connect,
     [](Stage& s) {
       DAT_LMR_TRIPLET sink = s.part(s.active, 8);
       DAT_RMR_TRIPLET word = s.remote_part(s.passive, 8);
       return dat_ib_post_fetch_and_add(s.active.ep, 1, &sink, DAT_CONTEXT{}, &word, kDefaultFlags);
     },
     &Stage::completes},
    {"ib_post_cmp_and_swap", Answers::kShortage, &Stage::connect,
     [](Stage& s) {
       DAT_LMR_TRIPLET sink = s.part(s.active, 8);
       DAT_RMR_TRIPLET word = s.remote_part(s.passive, 8);
       return dat_ib_post_cmp_and_swap(s.active.ep, 1, 2, &sink, DAT_CONTEXT{}, &word,
                                       kDefaultFlags);
     },
     &Stage::completes},
    {"ib_post_rdma_write_immed", Answers::kShortage, &Stage::connect,
     [](Stage& s) {
       const DAT_RETURN posted = s.post_recv(64);
       if (posted != DAT_SUCCESS) return posted;
       DAT_LMR_TRIPLET from = s.part(s.active, 64);
       DAT_RMR_TRIPLET to = s.remote_part(s.passive, 64);
       return dat_ib_post_rdma_write_immed(s.active.ep, 1, &from, DAT_CONTEXT{}, &to, 7,
                                           kDefaultFlags);
     },
     &Stage::arrives},
    {"ib_counters", Answers::kShortage, &Stage::connect,
     [](Stage& s) {
       static DAT_UINT64 values[64];
       DAT_RETURN answer = dat_ib_query_counters(s.active.ep, DCNT_EP_ALL_COUNTERS, values, 1);
       if (answer == DAT_SUCCESS) answer = dat_ib_stop_counter(s.active.ia, DCNT_IA_CM);
       return answer == DAT_SUCCESS ? dat_ib_start_counter(s.active.ia, DCNT_IA_CM) : answer;
     },
     nullptr},
    {"ib_open_and_close_query", Answers::kShortage, nullptr,
     [](Stage&) {
       DAT_HANDLE ia = DAT_HANDLE_NULL;
       DAT_IA_ATTR ia_attributes{};
       DAT_PROVIDER_ATTR provider_attributes{};
       const DAT_RETURN opened =
           dat_ib_open_query(const_cast<char*>(ia_name().c_str()), &ia, DAT_IA_FIELD_ALL,
                             &ia_attributes, DAT_PROVIDER_FIELD_ALL, &provider_attributes);
       return opened == DAT_SUCCESS ? dat_ib_close_query(ia) : opened;
     },
     nullptr},
    {"ib_datagrams", Answers::kNothingYet, nullptr,
     [](Stage& s) {
       Datagrams datagrams(s);
       const DAT_RETURN answer = datagrams.pass();
       const DAT_RETURN freed = datagrams.end();
       return answer == DAT_SUCCESS ? freed : answer;
     },
     nullptr},
};

} // namespace

std::span<const ShortCall> short_calls_of_dat2() {
  return kCalls;
}

} // namespace datum::test
