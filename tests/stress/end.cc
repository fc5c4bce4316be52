// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "end.h"

#include <algorithm>
#include <cstring>

#include "chance.h"
#include "must.h"

namespace datum::stress {
namespace {

constexpr std::uint64_t kRecvCookie = std::uint64_t{1} << 63U;

DAT_EP_ATTR attributes() {
  DAT_EP_ATTR attributes{};
  attributes.service_type = DAT_SERVICE_TYPE_RC;
  attributes.max_message_size = 1 << 20;
  attributes.max_rdma_size = 1 << 20;
  attributes.recv_completion_flags = DAT_COMPLETION_DEFAULT_FLAG;
  attributes.request_completion_flags = DAT_COMPLETION_DEFAULT_FLAG;
  attributes.max_recv_dtos = 16;
  attributes.max_request_dtos = 64;
  attributes.max_recv_iov = 4;
  attributes.max_request_iov = 4;
  attributes.max_rdma_read_in = 4;
  attributes.max_rdma_read_out = 4;
  attributes.max_rdma_read_iov = 4;
  attributes.max_rdma_write_iov = 4;
  attributes.srq_soft_hw = DAT_HW_DEFAULT;
  return attributes;
}

DAT_DTO_COOKIE cookie_of(std::uint64_t value) {
  DAT_DTO_COOKIE cookie;
  cookie.as_64 = value;
  return cookie;
}

} // namespace

Registered::Registered(DAT_IA_HANDLE ia, DAT_PZ_HANDLE pz, std::size_t size) : bytes(size) {
  DAT_REGION_DESCRIPTION region{};
  region.for_va = bytes.data();
  MUST_DAT(dat_lmr_create(ia, DAT_MEM_TYPE_VIRTUAL, region, size, pz, DAT_MEM_PRIV_ALL_FLAG, &lmr,
                          &local, &remote, nullptr, nullptr));
}

void Registered::free() {
  MUST_DAT(dat_lmr_free(lmr));
}

DAT_LMR_TRIPLET Registered::part(std::uint64_t offset, std::uint64_t length) const {
  return test::local_part(local, reinterpret_cast<DAT_VADDR>(bytes.data()) + offset, length);
}

End::End(DAT_IA_HANDLE ia, DAT_PZ_HANDLE pz, DAT_EVD_HANDLE evd, std::uint32_t lane,
         const Payloads& payloads)
    : lane_(lane), recv_size_(sizeof(Message) + payloads.received),
      send_size_(sizeof(Message) + payloads.sent), memory_(ia, pz, memory_of_lane(lane)),
      recvs_(ia, pz, kSlots * recv_size_), sends_(ia, pz, kSlots * send_size_) {
  const DAT_EP_ATTR wanted = attributes();
  MUST_DAT(dat_ep_create(ia, pz, evd, evd, evd, &wanted, &ep_));
}

void End::free() {
  MUST_DAT(dat_ep_free(ep_));
  memory_.free();
  recvs_.free();
  sends_.free();
}

void End::post_recvs() {
  for (int slot = 0; slot < kSlots; ++slot) post_recv(slot);
}

void End::post_recv(int slot) {
  DAT_LMR_TRIPLET part = recvs_.part(static_cast<std::uint64_t>(slot) * recv_size_, recv_size_);
  posted_recvs_.push_back(slot);
  MUST_DAT(dat_ep_post_recv(ep_, 1, &part,
                            cookie_of(kRecvCookie | static_cast<std::uint64_t>(slot)),
                            DAT_COMPLETION_DEFAULT_FLAG));
}

DAT_DTO_COOKIE End::next_request(bool suppressed) {
  requests_.push_back({++last_request_, suppressed});
  return cookie_of(last_request_);
}

void End::send(const Message& message, std::uint64_t payload_seed, std::uint64_t payload) {
  const int slot = next_send_slot_++ % kSlots;
  const std::uint64_t at = static_cast<std::uint64_t>(slot) * send_size_;
  std::memcpy(&sends_.bytes[at], &message, sizeof message);
  fill(std::span(sends_.bytes).subspan(at + sizeof message, payload), payload_seed);
  DAT_LMR_TRIPLET parts[] = {sends_.part(at, sizeof message),
                             sends_.part(at + sizeof message, payload)};
  MUST_DAT(dat_ep_post_send(ep_, payload == 0 ? 1 : 2, parts, next_request(false),
                            DAT_COMPLETION_DEFAULT_FLAG));
}

void End::write(std::uint64_t offset, std::uint64_t length, const DAT_RMR_TRIPLET& target,
                bool suppressed) {
  DAT_LMR_TRIPLET part = memory_.part(offset, length);
  DAT_RMR_TRIPLET to = target;
  MUST_DAT(dat_ep_post_rdma_write(ep_, 1, &part, next_request(suppressed), &to,
                                  suppressed ? DAT_COMPLETION_SUPPRESS_FLAG
                                             : DAT_COMPLETION_DEFAULT_FLAG));
}

void End::read(std::uint64_t offset, std::uint64_t length, const DAT_RMR_TRIPLET& source) {
  DAT_LMR_TRIPLET part = memory_.part(offset, length);
  DAT_RMR_TRIPLET from = source;
  MUST_DAT(dat_ep_post_rdma_read(ep_, 1, &part, next_request(false), &from,
                                 DAT_COMPLETION_DEFAULT_FLAG));
}

void End::bind(DAT_RMR_HANDLE rmr, std::uint64_t offset, std::uint64_t length,
               DAT_RMR_CONTEXT& context) {
  DAT_LMR_TRIPLET part = memory_.part(offset, length);
  MUST_DAT(dat_rmr_bind(rmr, &part, DAT_MEM_PRIV_REMOTE_WRITE_FLAG, ep_, next_request(false),
                        DAT_COMPLETION_DEFAULT_FLAG, &context));
}

// Completions come in posting order. Only successes of suppressed requests may be missing.
void End::take_request(std::uint64_t number, DAT_DTO_COMPLETION_STATUS status, bool may_flush) {
  MUST_SEE(status == DAT_DTO_SUCCESS || may_flush, status);
  while (!requests_.empty() && requests_.front().suppressed && requests_.front().number < number)
    requests_.pop_front();
  MUST_SEE(!requests_.empty() && requests_.front().number == number, number);
  requests_.pop_front();
  if (status != DAT_DTO_SUCCESS) failing_ = true;
}

bool End::on_completion(const DAT_DTO_COMPLETION_EVENT_DATA& data, bool may_flush,
                        Received& received) {
  if ((data.user_cookie.as_64 & kRecvCookie) == 0) {
    take_request(data.user_cookie.as_64, data.status, may_flush);
    return false;
  }
  const int slot = static_cast<int>(data.user_cookie.as_64 & ~kRecvCookie);
  MUST_SEE(data.status == DAT_DTO_SUCCESS || may_flush, data.status);
  MUST(!posted_recvs_.empty() && posted_recvs_.front() == slot);
  posted_recvs_.pop_front();
  if (data.status != DAT_DTO_SUCCESS) return false;
  MUST_SEE(data.transfered_length >= sizeof(Message) && data.transfered_length <= recv_size_,
           data.transfered_length);
  const std::byte* at = &recvs_.bytes[static_cast<std::size_t>(slot) * recv_size_];
  std::memcpy(&received.message, at, sizeof received.message);
  received.payload = {at + sizeof(Message), data.transfered_length - sizeof(Message)};
  received.slot = slot;
  return true;
}

void End::on_bind(const DAT_RMR_BIND_COMPLETION_EVENT_DATA& data, bool may_flush) {
  take_request(data.user_cookie.as_64, data.status, may_flush);
}

bool End::quiet() const {
  return posted_recvs_.empty() && std::all_of(requests_.begin(), requests_.end(),
                                              [](const Request& r) { return r.suppressed; });
}

void End::reset() {
  requests_.clear();
  failing_ = false;
  MUST_DAT(dat_ep_reset(ep_));
}

} // namespace datum::stress
