// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "budget/two_ends.h"

namespace budget {
namespace {

constexpr DAT_COUNT kDepth = 8;
constexpr DAT_VLEN kSize = 8;
constexpr DAT_TIMEOUT kPatience = 10'000'000;
// The first poll mostly finds the event. In one of some hundreds of cases an acknowledgement that
// travelled alone precedes it in the ring.
constexpr int kLooks = 4;
// Offsets in the page: messages are sent from kOut and received at kIn, and Writes and Reads access
// kRemote.
constexpr std::size_t kOut = 0;
constexpr std::size_t kIn = 64;
constexpr std::size_t kRemote = 128;

bool ok(DAT_RETURN status) {
  return status == DAT_SUCCESS;
}

} // namespace

// Closes abruptly, so that all other objects end with the IA.
End::~End() {
  if (ia_ != DAT_HANDLE_NULL) dat_ia_close(ia_, DAT_CLOSE_ABRUPT_FLAG);
}

bool End::open() {
  char name[] = "datum";
  DAT_EVD_HANDLE async = DAT_HANDLE_NULL;
  DAT_IA_ATTR attributes{};
  DAT_REGION_DESCRIPTION region{};
  region.for_va = page_->data();
  DAT_LMR_HANDLE lmr = DAT_HANDLE_NULL;
  const auto make = [this](DAT_EVD_HANDLE& evd, DAT_EVD_FLAGS flags) {
    return ok(dat_evd_create(ia_, kDepth, DAT_HANDLE_NULL, flags, &evd));
  };
  if (!ok(dat_ia_open(name, kDepth, &async, &ia_)) ||
      !ok(dat_ia_query(ia_, &async, DAT_IA_FIELD_ALL, &attributes, DAT_PROVIDER_FIELD_NONE,
                       nullptr)))
    return false;
  address_ = attributes.ia_address_ptr;
  return ok(dat_pz_create(ia_, &zone_)) && make(requests_, DAT_EVD_DTO_FLAG) &&
         make(receives_, DAT_EVD_DTO_FLAG) && make(connections_, DAT_EVD_CONNECTION_FLAG) &&
         make(arrivals_, DAT_EVD_CR_FLAG) &&
         ok(dat_lmr_create(ia_, DAT_MEM_TYPE_VIRTUAL, region, kPage, zone_, DAT_MEM_PRIV_ALL_FLAG,
                           &lmr, &own_, &for_peers_, nullptr, nullptr)) &&
         ok(dat_ep_create(ia_, zone_, receives_, requests_, connections_, nullptr, &ep_));
}

bool End::listen() {
  DAT_PSP_HANDLE point = DAT_HANDLE_NULL;
  return ok(dat_psp_create_any(ia_, &qualifier_, arrivals_, DAT_PSP_CONSUMER_FLAG, &point));
}

bool End::begin_connect(const End& to) {
  return ok(dat_ep_connect(ep_, to.address_, to.qualifier_, kPatience, 0, nullptr,
                           DAT_QOS_BEST_EFFORT, DAT_CONNECT_DEFAULT_FLAG));
}

bool End::accept() {
  return next(arrivals_) &&
         ok(dat_cr_accept(event_.event_data.cr_arrival_event_data.cr_handle, ep_, 0, nullptr));
}

bool End::connected() {
  return next(connections_) && event_.event_number == DAT_CONNECTION_EVENT_ESTABLISHED;
}

bool End::next(DAT_EVD_HANDLE evd) {
  DAT_COUNT left = 0;
  return ok(dat_evd_wait(evd, kPatience, 1, &event_, &left));
}

bool End::post_send() {
  DAT_LMR_TRIPLET part = here(kOut);
  return ok(dat_ep_post_send(ep_, 1, &part, {}, DAT_COMPLETION_DEFAULT_FLAG));
}

bool End::post_recv() {
  DAT_LMR_TRIPLET part = here(kIn);
  return ok(dat_ep_post_recv(ep_, 1, &part, {}, DAT_COMPLETION_DEFAULT_FLAG));
}

bool End::post_rdma_write(const End& to) {
  DAT_LMR_TRIPLET part = here(kOut);
  DAT_RMR_TRIPLET place = to.there(kRemote);
  return ok(dat_ep_post_rdma_write(ep_, 1, &part, {}, &place, DAT_COMPLETION_DEFAULT_FLAG));
}

bool End::post_rdma_read(const End& from) {
  DAT_LMR_TRIPLET part = here(kIn);
  DAT_RMR_TRIPLET place = from.there(kRemote);
  return ok(dat_ep_post_rdma_read(ep_, 1, &part, {}, &place, DAT_COMPLETION_DEFAULT_FLAG));
}

bool End::take(DAT_EVD_HANDLE evd) {
  for (int look = 0; look < kLooks; ++look)
    if (ok(dat_evd_dequeue(evd, &event_)))
      return event_.event_number == DAT_DTO_COMPLETION_EVENT &&
             event_.event_data.dto_completion_event_data.status == DAT_DTO_SUCCESS;
  return false;
}

bool End::find_nothing() {
  return DAT_GET_TYPE(dat_evd_dequeue(receives_, &event_)) == DAT_QUEUE_EMPTY;
}

DAT_LMR_TRIPLET End::here(std::size_t at) const {
  DAT_LMR_TRIPLET part{};
  part.lmr_context = own_;
  part.virtual_address = reinterpret_cast<DAT_VADDR>(page_->data()) + at;
  part.segment_length = kSize;
  return part;
}

DAT_RMR_TRIPLET End::there(std::size_t at) const {
  DAT_RMR_TRIPLET part{};
  part.rmr_context = for_peers_;
  part.target_address = reinterpret_cast<DAT_VADDR>(page_->data()) + at;
  part.segment_length = kSize;
  return part;
}

bool TwoEnds::open() {
  return initiator.open() && target.open() && target.listen() && initiator.begin_connect(target) &&
         target.accept() && initiator.connected() && target.connected();
}

} // namespace budget
