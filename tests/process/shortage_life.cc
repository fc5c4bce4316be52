// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "shortage_life.h"

#include <unistd.h>

#include "objects.h"
#include "shortage.h"
#include "shortage_stage.h"
#include "transport.h"

namespace datum::test {

namespace {

constexpr DAT_TIMEOUT kLongest = 3'000'000; // us
constexpr DAT_COUNT kLength = 16;
constexpr int kTries = 1000;

// An agent that arms itself again at every trigger.
void arm_again(DAT_PVOID cno, DAT_EVD_HANDLE evd) {
  if (evd == DAT_HANDLE_NULL) return; // the CNO is freed
  dat_cno_modify_agent(*static_cast<DAT_CNO_HANDLE*>(cno), {cno, &arm_again});
}

} // namespace

// Returns false if the life has to end, since the next steps need a success.
bool ShortLife::good(const char* call, DAT_RETURN answer) {
  if (answer == DAT_SUCCESS) return true;
  return is_shortage(answer) ? false : wrong(call, answer);
}

void ShortLife::live() {
  completed_ = open(active_) && open(passive_) && make(active_, active_.ia) &&
               make(passive_, passive_.ia) && listen() && connect() && transfer() && bind() &&
               nothing_left();
}

bool ShortLife::open(Half& half) {
  return good("dat_ia_open",
              dat_ia_open(const_cast<char*>(ia_name_), kLength, &half.async, &half.ia));
}

bool ShortLife::make(Half& half, DAT_IA_HANDLE ia) {
  DAT_REGION_DESCRIPTION region{};
  region.for_va = bytes(half);
  return good("dat_pz_create", dat_pz_create(ia, &half.pz)) &&
         good("dat_cno_create", dat_cno_create(ia, {&half.cno, &arm_again}, &half.cno)) &&
         good("dat_evd_create", dat_evd_create(ia, kLength, half.cno, kEveryStream, &half.evd)) &&
         good("dat_evd_resize", dat_evd_resize(half.evd, 4 * kLength)) &&
         good("dat_ep_create",
              dat_ep_create(ia, half.pz, half.evd, half.evd, half.evd, nullptr, &half.ep)) &&
         good("dat_lmr_create", dat_lmr_create(ia, DAT_MEM_TYPE_VIRTUAL, region, kBytes, half.pz,
                                               DAT_MEM_PRIV_ALL_FLAG, &half.lmr, &half.local,
                                               &half.remote, nullptr, nullptr)) &&
         good("dat_rmr_create", dat_rmr_create(half.pz, &half.rmr));
}

bool ShortLife::listen() {
  // Qualifiers beyond 16 bits. No other process uses them, and a later life finds them free again.
  const DAT_CONN_QUAL own = static_cast<DAT_CONN_QUAL>(::getpid()) << 20U;
  DAT_PSP_HANDLE psp = DAT_HANDLE_NULL;
  DAT_RSP_HANDLE rsp = DAT_HANDLE_NULL;
  return good("dat_psp_create",
              dat_psp_create(passive_.ia, own, passive_.evd, DAT_PSP_PROVIDER_FLAG, &psp)) &&
         good("dat_rsp_create",
              dat_rsp_create(passive_.ia, own + 1, DAT_HANDLE_NULL, passive_.evd, &rsp)) &&
         good("dat_psp_create_any", dat_psp_create_any(passive_.ia, &qualifier_, passive_.evd,
                                                       DAT_PSP_CONSUMER_FLAG, &psp_));
}

bool ShortLife::next(DAT_EVD_HANDLE evd, DAT_EVENT& event) {
  if (dequeue(evd, event, kLongest / 30)) return true;
  // A request that waits for memory goes on when there is memory again.
  end_shortage();
  DAT_COUNT more = 0;
  DAT_RETURN answer = dat_evd_wait(evd, kLongest, 1, &event, &more);
  // Progress that lacked something goes on at the next call.
  for (int again = 0; is_shortage(answer) && again < kTries; ++again)
    answer = dat_evd_wait(evd, kLongest, 1, &event, &more);
  return good("dat_evd_wait", answer);
}

bool ShortLife::expect(DAT_EVD_HANDLE evd, DAT_EVENT_NUMBER number) {
  DAT_EVENT event{};
  if (!next(evd, event)) return false;
  if (event.event_number == number) return true;
  // Over TCP a message that comes before its Recv is kept in memory. If there is no memory, the
  // provider gives the connection up.
  const bool given_up = transport() == "tcp" && event.event_number == DAT_CONNECTION_EVENT_BROKEN;
  if (given_up) refused_ = true;
  return given_up ? false : wrong("an event", event.event_number);
}

bool ShortLife::wrong(const char* call, DAT_RETURN answer) {
  if (wrong_call_ == nullptr) {
    wrong_call_ = call;
    wrong_answer_ = answer;
  }
  return false;
}

// A shortage may refuse a connection, but both sides must get an event.
bool ShortLife::is_refused(DAT_EVENT_NUMBER number) {
  refused_ = number == DAT_CONNECTION_EVENT_NON_PEER_REJECTED ||
             number == DAT_CONNECTION_EVENT_UNREACHABLE ||
             number == DAT_CONNECTION_EVENT_TIMED_OUT ||
             number == DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR ||
             number == DAT_CONNECTION_EVENT_BROKEN;
  return refused_;
}

bool ShortLife::connect() {
  DAT_IA_ATTR attributes{};
  if (!good("dat_ia_query",
            dat_ia_query(passive_.ia, nullptr, DAT_IA_FIELD_ALL, &attributes, 0, nullptr)))
    return false;
  char data[] = "private data";
  return good("dat_ep_connect",
              dat_ep_connect(active_.ep, attributes.ia_address_ptr, qualifier_, connect_timeout_,
                             sizeof data, data, DAT_QOS_BEST_EFFORT, DAT_CONNECT_DEFAULT_FLAG)) &&
         answer() && established(active_.evd) && established(passive_.evd);
}

bool ShortLife::established(DAT_EVD_HANDLE evd) {
  DAT_EVENT event{};
  if (!next(evd, event) || is_refused(event.event_number)) return false;
  return event.event_number == DAT_CONNECTION_EVENT_ESTABLISHED ||
         wrong("an event of a connection", event.event_number);
}

bool ShortLife::answer() {
  DAT_EVENT event{};
  while (!dequeue(passive_.evd, event)) {
    if (wrong_call_ != nullptr) return false;
    if (dequeue(active_.evd, event))
      return !is_refused(event.event_number) && wrong("an answer", event.event_number);
  }
  if (event.event_number != DAT_CONNECTION_REQUEST_EVENT)
    return wrong("a request", event.event_number);
  const DAT_CR_HANDLE cr = event.event_data.cr_arrival_event_data.cr_handle;
  DAT_RETURN status = dat_cr_accept(cr, passive_.ep, 0, nullptr);
  for (int again = 0; is_shortage(status) && again < kTries; ++again)
    status = dat_cr_accept(cr, passive_.ep, 0, nullptr);
  return good("dat_cr_accept", status);
}

// Waits up to `moment` for an event. If no event comes, it returns false, which is no failure.
bool ShortLife::dequeue(DAT_EVD_HANDLE evd, DAT_EVENT& event, DAT_TIMEOUT moment) {
  DAT_COUNT more = 0;
  const DAT_RETURN answer = dat_evd_wait(evd, moment, 1, &event, &more);
  return DAT_GET_TYPE(answer) != DAT_TIMEOUT_EXPIRED && good("dat_evd_wait", answer);
}

bool ShortLife::transfer() {
  for (const std::size_t size : {std::size_t{16}, std::size_t{1500}, kBytes}) {
    if (!transfer_one(true, size) || !transfer_one(false, size)) return false;
  }
  return true;
}

bool ShortLife::transfer_one(bool send, std::size_t size) {
  DAT_LMR_TRIPLET from =
      local_part(active_.local, reinterpret_cast<DAT_VADDR>(source_.data()), size);
  DAT_LMR_TRIPLET to =
      local_part(passive_.local, reinterpret_cast<DAT_VADDR>(target_.data()), size);
  const DAT_RMR_TRIPLET remote = remote_part(passive_.remote, to.virtual_address, size);
  DAT_CONTEXT cookie{};
  constexpr auto kFlags = DAT_COMPLETION_DEFAULT_FLAG;
  if (!send)
    return good("dat_ep_post_rdma_write",
                dat_ep_post_rdma_write(active_.ep, 1, &from, cookie, &remote, kFlags)) &&
           expect(active_.evd, DAT_DTO_COMPLETION_EVENT) &&
           good("dat_ep_post_rdma_read",
                dat_ep_post_rdma_read(active_.ep, 1, &from, cookie, &remote, kFlags)) &&
           expect(active_.evd, DAT_DTO_COMPLETION_EVENT);
  // The Recv is posted after the Send, so that the message may have to be kept.
  return good("dat_ep_post_send", dat_ep_post_send(active_.ep, 1, &from, cookie, kFlags)) &&
         good("dat_ep_post_recv", dat_ep_post_recv(passive_.ep, 1, &to, cookie, kFlags)) &&
         expect(passive_.evd, DAT_DTO_COMPLETION_EVENT) &&
         expect(active_.evd, DAT_DTO_COMPLETION_EVENT);
}

bool ShortLife::bind() {
  DAT_LMR_TRIPLET range =
      local_part(active_.local, reinterpret_cast<DAT_VADDR>(source_.data()), 16);
  DAT_RMR_CONTEXT context = 0;
  return good("dat_rmr_bind", dat_rmr_bind(active_.rmr, &range, DAT_MEM_PRIV_ALL_FLAG, active_.ep,
                                           DAT_CONTEXT{}, DAT_COMPLETION_DEFAULT_FLAG, &context)) &&
         expect(active_.evd, DAT_RMR_BIND_COMPLETION_EVENT);
}

bool ShortLife::nothing_left() {
  DAT_EVENT event{};
  for (const Half* half : {&active_, &passive_})
    if (dat_evd_dequeue(half->evd, &event) == DAT_SUCCESS)
      return wrong("an event too many", event.event_number);
  return true;
}

void ShortLife::end() {
  for (Half* half : {&active_, &passive_}) {
    if (half->ia == DAT_HANDLE_NULL) continue;
    good("dat_ia_close", dat_ia_close(half->ia, DAT_CLOSE_ABRUPT_FLAG));
  }
}

} // namespace datum::test
