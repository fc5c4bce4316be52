// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "shortage_stage.h"

#include <unistd.h>

#include <cstring>

#include "objects.h"

namespace datum::test {

namespace {

alignas(4096) std::byte source[Stage::kBytes];
alignas(4096) std::byte target[Stage::kBytes];
constexpr char kPrivateData[] = "said when it was accepted";

DAT_SRQ_ATTR srq_attributes() {
  DAT_SRQ_ATTR attributes{};
  attributes.max_recv_dtos = 8;
  attributes.max_recv_iov = 2;
  attributes.low_watermark = DAT_SRQ_LW_DEFAULT;
  return attributes;
}

DAT_RETURN reject(DAT_HANDLE cr) {
  return dat_cr_reject(cr);
}

} // namespace

bool is_shortage(DAT_RETURN answer) {
  return (answer & DAT_CLASS_ERROR) != 0 && DAT_GET_TYPE(answer) == DAT_INSUFFICIENT_RESOURCES &&
         DAT_GET_SUBTYPE(answer) >= DAT_RESOURCE_MEMORY &&
         DAT_GET_SUBTYPE(answer) <= DAT_RESOURCE_SRQ;
}

DAT_RETURN close_abruptly(DAT_HANDLE ia) {
  return dat_ia_close(static_cast<DAT_IA_HANDLE>(ia), DAT_CLOSE_ABRUPT_FLAG);
}

bool Stage::good(const char* call, DAT_RETURN answer) {
  if (answer == DAT_SUCCESS) return true;
  if (wrong_call_ == nullptr) {
    wrong_call_ = call;
    wrong_answer_ = answer;
  }
  return false;
}

bool Stage::build(const char* ia_name) {
  // A qualifier beyond 16 bits, which no other process uses.
  other_qualifier = static_cast<DAT_CONN_QUAL>(::getpid()) << 20U;
  return build(active, ia_name, source) && build(passive, ia_name, target) &&
         good("dat_psp_create_any", dat_psp_create_any(passive.ia, &qualifier, passive.cr_evd,
                                                       DAT_PSP_CONSUMER_FLAG, &psp)) &&
         good("dat_psp_create", dat_psp_create(passive.ia, other_qualifier, passive.cr_evd,
                                               DAT_PSP_PROVIDER_FLAG, &other_psp));
}

bool Stage::build(Half& half, const char* ia_name, std::byte* bytes) {
  half.bytes = bytes;
  if (!good("dat_ia_open", dat_ia_open(const_cast<char*>(ia_name), kLength, &half.async, &half.ia)))
    return false;
  DAT_REGION_DESCRIPTION region{};
  region.for_va = bytes;
  DAT_SRQ_ATTR attributes = srq_attributes();
  const DAT_IA_HANDLE ia = half.ia;
  const auto every = [&](DAT_EP_HANDLE* ep) {
    return good("dat_ep_create",
                dat_ep_create(ia, half.pz, half.evd, half.evd, half.evd, nullptr, ep));
  };
  return good("dat_pz_create", dat_pz_create(ia, &half.pz)) &&
         good("dat_cno_create", dat_cno_create(ia, DAT_OS_WAIT_PROXY_AGENT_NULL, &half.cno)) &&
         good("dat_evd_create", dat_evd_create(ia, kLength, half.cno, kEveryStream, &half.evd)) &&
         good("dat_evd_create", dat_evd_create(ia, kLength, half.cno, kEveryStream, &half.spare)) &&
         good("dat_evd_create",
              dat_evd_create(ia, kLength, DAT_HANDLE_NULL, DAT_EVD_CR_FLAG, &half.cr_evd)) &&
         good("dat_srq_create", dat_srq_create(ia, half.pz, &attributes, &half.srq)) &&
         every(&half.ep) && every(&half.other_ep) &&
         good("dat_lmr_create", dat_lmr_create(ia, DAT_MEM_TYPE_VIRTUAL, region, kBytes, half.pz,
                                               DAT_MEM_PRIV_ALL_FLAG, &half.lmr, &half.local,
                                               &half.remote, nullptr, nullptr)) &&
         good("dat_rmr_create", dat_rmr_create(half.pz, &half.rmr));
}

DAT_RETURN Stage::next(DAT_EVD_HANDLE evd, DAT_TIMEOUT moment) {
  DAT_COUNT more = 0;
  return dat_evd_wait(evd, moment, 1, &event, &more);
}

DAT_RETURN Stage::dial(DAT_CONN_QUAL to, DAT_EP_HANDLE from) {
  DAT_IA_ATTR attributes{};
  char data[] = "private data";
  dat_ia_query(passive.ia, nullptr, DAT_IA_FIELD_ALL, &attributes, 0, nullptr);
  requests_wait = true;
  return dat_ep_connect(from == DAT_HANDLE_NULL ? active.ep : from, attributes.ia_address_ptr, to,
                        10'000'000, sizeof data, data, DAT_QOS_BEST_EFFORT,
                        DAT_CONNECT_DEFAULT_FLAG);
}

DAT_RETURN Stage::post_send(std::size_t size) {
  DAT_LMR_TRIPLET from = part(active, size);
  return dat_ep_post_send(active.ep, 1, &from, DAT_CONTEXT{}, DAT_COMPLETION_DEFAULT_FLAG);
}

DAT_RETURN Stage::post_recv(std::size_t size) {
  DAT_LMR_TRIPLET to = part(passive, size);
  return dat_ep_post_recv(passive.ep, 1, &to, DAT_CONTEXT{}, DAT_COMPLETION_DEFAULT_FLAG);
}

bool Stage::asks() {
  return good("dat_ep_connect", dial(qualifier));
}

bool Stage::request() {
  if (!asks() || !good("dat_evd_wait", next(passive.cr_evd))) return false;
  cr = event.event_data.cr_arrival_event_data.cr_handle;
  requests_wait = false;
  return true;
}

bool Stage::connect() {
  if (!request() || !good("dat_cr_accept", dat_cr_accept(cr, passive.ep, 0, nullptr))) return false;
  cr = DAT_HANDLE_NULL;
  for (const Half* half : {&active, &passive}) {
    if (!good("dat_evd_wait", next(half->evd))) return false;
    if (event.event_number != DAT_CONNECTION_EVENT_ESTABLISHED)
      return good("an event that is not ESTABLISHED", event.event_number);
  }
  return true;
}

bool Stage::connect_and_rest() {
  constexpr useconds_t kLongerThanABackoff = 2000;
  return connect() && ::usleep(kLongerThanABackoff) == 0;
}

bool Stage::message() {
  return connect() && good("dat_ep_post_recv", post_recv(64)) &&
         good("dat_ep_post_send", post_send(64));
}

bool Stage::has_event(DAT_EVD_HANDLE evd, DAT_TIMEOUT moment) {
  return next(evd, moment) == DAT_SUCCESS;
}

bool Stage::both_hear() {
  return good("what the passive side hears", next(passive.evd)) && request_is_told();
}

bool Stage::both_hear_once() {
  return good("what the passive side hears", next(passive.evd)) && requester_hears();
}

bool Stage::requester_hears() {
  return finds_request() ? good("a request that comes once more", DAT_INVALID_STATE)
                         : wrong_call_ == nullptr;
}

// A requester that got no answer for lack of memory may ask again instead. Then end() rejects the
// request.
bool Stage::request_is_told() {
  return finds_request() || wrong_call_ == nullptr;
}

// Returns false if the requester got an event instead. If neither side got an event, it also counts
// a wrong call.
bool Stage::finds_request() {
  constexpr int kTries = 1000;
  for (int i = 0; i < kTries; ++i) {
    if (has_event(passive.cr_evd, 1000)) {
      cr = event.event_data.cr_arrival_event_data.cr_handle;
      requests_wait = false;
      return true;
    }
    if (has_event(active.evd, 1000)) return false;
  }
  return good("a request, or what became of it", DAT_TIMEOUT_EXPIRED);
}

bool Stage::connection_is_answered() {
  if (!finds_request()) return wrong_call_ == nullptr;
  const DAT_CR_HANDLE answered = cr;
  cr = DAT_HANDLE_NULL;
  return good("dat_cr_accept", dat_cr_accept(answered, passive.ep, 0, nullptr)) && both_hear();
}

bool Stage::handed_on() {
  return finds_request() || wrong_call_ == nullptr; // end() rejects it
}

bool Stage::completes() {
  return good("the completion of a request", next(active.evd));
}

// If the RDMA Write succeeded, its octets must be in the target.
bool Stage::word_is_written() {
  if (!completes()) return false;
  const bool told = event.event_data.dto_completion_event_data.status != DAT_DTO_SUCCESS;
  return told || std::memcmp(active.bytes, passive.bytes, 8) == 0 ||
         good("an RDMA Write that succeeded", DAT_CLASS_ERROR);
}

bool Stage::arrives() {
  return completes() && good("the completion of a Recv", next(passive.evd));
}

bool Stage::late_recv_takes_it() {
  return good("dat_ep_post_recv", post_recv(kBytes)) && arrives();
}

bool Stage::bind() {
  DAT_LMR_TRIPLET whole = part(active, kBytes);
  return connect() &&
         good("dat_rmr_bind",
              dat_rmr_bind(active.rmr, &whole, DAT_MEM_PRIV_ALL_FLAG, active.ep, DAT_CONTEXT{},
                           DAT_COMPLETION_DEFAULT_FLAG, &active.window)) &&
         good("dat_evd_wait", next(active.evd));
}

bool Stage::disconnect() {
  return connect() &&
         good("dat_ep_disconnect", dat_ep_disconnect(active.ep, DAT_CLOSE_ABRUPT_FLAG)) &&
         both_hear();
}

// A wait for three events takes the software event and leaves the other two on the EVD.
bool Stage::leave_event() {
  DAT_EVENT software{};
  software.event_number = DAT_SOFTWARE_EVENT;
  DAT_COUNT left = 0;
  if (!request() || !good("dat_evd_post_se", dat_evd_post_se(active.evd, &software)) ||
      !good("dat_cr_accept",
            dat_cr_accept(cr, passive.ep, sizeof kPrivateData, const_cast<char*>(kPrivateData))))
    return false;
  cr = DAT_HANDLE_NULL;
  return good("dat_evd_wait", next(passive.evd)) &&
         good("dat_ep_disconnect", dat_ep_disconnect(passive.ep, DAT_CLOSE_ABRUPT_FLAG)) &&
         good("dat_evd_wait", next(passive.evd)) &&
         good("dat_evd_wait", dat_evd_wait(active.evd, 5'000'000, 3, &event, &left)) &&
         good("dat_ep_reset", dat_ep_reset(active.ep));
}

bool Stage::event_is_as_it_was() {
  const DAT_CONNECTION_EVENT_DATA& told = event.event_data.connect_event_data;
  return dat_evd_dequeue(active.evd, &event) == DAT_SUCCESS &&
         event.event_number == DAT_CONNECTION_EVENT_ESTABLISHED &&
         told.private_data_size == sizeof kPrivateData &&
         std::memcmp(told.private_data, kPrivateData, sizeof kPrivateData) == 0;
}

void Stage::end_one(const char* call, DAT_HANDLE& handle, Free free) {
  if (handle == DAT_HANDLE_NULL) return;
  good(call, free(handle));
  handle = DAT_HANDLE_NULL;
}

void Stage::end() {
  end_one("dat_cr_reject", cr, &reject);
  end_one("freeing what was made", made_, free_made_);
  end_one("dat_psp_free", psp, &dat_psp_free);
  end_one("dat_psp_free", other_psp, &dat_psp_free);
  end(active);
  end(passive);
}

void Stage::end(Half& half) {
  end_one("dat_rmr_free", half.rmr, &dat_rmr_free);
  end_one("dat_ep_free", half.ep, &dat_ep_free);
  end_one("dat_ep_free", half.other_ep, &dat_ep_free);
  end_one("dat_lmr_free", half.lmr, &dat_lmr_free);
  end_one("dat_srq_free", half.srq, &dat_srq_free);
  end_one("dat_evd_free", half.evd, &dat_evd_free);
  end_one("dat_evd_free", half.spare, &dat_evd_free);
  end_one("dat_evd_free", half.cr_evd, &dat_evd_free);
  end_one("dat_cno_free", half.cno, &dat_cno_free);
  end_one("dat_pz_free", half.pz, &dat_pz_free);
  if (half.ia == DAT_HANDLE_NULL) return;
  // Only a request without an answer may keep the IA from being closed gracefully.
  const DAT_RETURN closed = dat_ia_close(half.ia, DAT_CLOSE_GRACEFUL_FLAG);
  if (closed != DAT_SUCCESS)
    good("dat_ia_close", requests_wait ? dat_ia_close(half.ia, DAT_CLOSE_ABRUPT_FLAG) : closed);
  half.ia = DAT_HANDLE_NULL;
}

DAT_LMR_TRIPLET Stage::part(const Half& half, std::size_t size) const {
  return local_part(half.local, reinterpret_cast<DAT_VADDR>(half.bytes), size);
}

DAT_RMR_TRIPLET Stage::remote_part(const Half& half, std::size_t size) const {
  return datum::test::remote_part(half.remote, reinterpret_cast<DAT_VADDR>(half.bytes), size);
}

} // namespace datum::test
