// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "node.h"

#include <chrono>

#include "initiator.h"
#include "must.h"
#include "responder.h"

namespace datum::stress {

Node::Node(const Load& load) : load_(load) {
  MUST_DAT(dat_ia_open(load_.ia.data(), 64, &async_evd_, &ia_));
  MUST_DAT(dat_pz_create(ia_, &pz_));
  MUST_DAT(dat_evd_create(ia_, static_cast<DAT_COUNT>(load_.lanes) + 16, DAT_HANDLE_NULL,
                          DAT_EVD_CR_FLAG, &request_evd_));
  MUST_DAT(
      dat_psp_create_any(ia_, &own_target_.qualifier, request_evd_, DAT_PSP_CONSUMER_FLAG, &psp_));
  DAT_IA_ATTR attributes{};
  MUST_DAT(dat_ia_query(ia_, nullptr, DAT_IA_FIELD_ALL, &attributes, 0, nullptr));
  own_target_.set_address(attributes.ia_address_ptr);
  for (int i = 0; i < load_.pairs; ++i) {
    responders_.push_back(std::make_unique<Responder>(*this, i));
    initiators_.push_back(std::make_unique<Initiator>(*this, i));
  }
}

// Frees each object by its own call, so that a forgotten object is noticed.
Node::~Node() {
  MUST_DAT(dat_psp_free(psp_));
  for (auto& initiator : initiators_) initiator->free();
  for (auto& responder : responders_) responder->free();
  MUST_DAT(dat_evd_free(request_evd_));
  MUST_DAT(dat_pz_free(pz_));
  DAT_EVENT event;
  MUST_SEE(DAT_GET_TYPE(dat_evd_dequeue(async_evd_, &event)) == DAT_QUEUE_EMPTY,
           event.event_number);
  MUST_DAT(dat_ia_close(ia_, DAT_CLOSE_GRACEFUL_FLAG));
}

void Node::set_target(std::optional<Target> target) {
  const std::lock_guard lock(mutex_);
  target_ = target;
}

std::optional<Target> Node::begin_connection() {
  const std::lock_guard lock(mutex_);
  if (stopping_ || !target_) return std::nullopt;
  ++busy_;
  return target_;
}

void Node::begin_answer() {
  const std::lock_guard lock(mutex_);
  ++busy_;
}

void Node::end_connection() {
  const std::lock_guard lock(mutex_);
  --busy_;
}

void Node::start_responders() {
  for (auto& responder : responders_)
    responder_threads_.emplace_back([&each = *responder] { each.run(); });
}

void Node::start_initiators() {
  initiators_at_work_ = load_.pairs;
  for (auto& initiator : initiators_)
    initiator_threads_.emplace_back([&each = *initiator] { each.run(); });
}

End* Node::take_free_end() {
  std::unique_lock lock(mutex_);
  const bool found = changed_.wait_for(lock, std::chrono::microseconds(load_.patience),
                                       [this] { return !free_ends_.empty(); });
  MUST(found);
  End* const end = free_ends_.back();
  free_ends_.pop_back();
  return end;
}

void Node::give_back(End& end) {
  const std::lock_guard lock(mutex_);
  free_ends_.push_back(&end);
  changed_.notify_all();
}

bool Node::answer_requests(DAT_TIMEOUT time) {
  DAT_EVENT event;
  DAT_COUNT more = 0;
  const DAT_RETURN status = dat_evd_wait(request_evd_, time, 1, &event, &more);
  if (DAT_GET_TYPE(status) == DAT_TIMEOUT_EXPIRED) return false;
  MUST_DAT(status);
  MUST(event.event_number == DAT_CONNECTION_REQUEST_EVENT);
  End& end = *take_free_end();
  end.post_recvs();
  begin_answer();
  MUST_DAT(dat_cr_accept(event.event_data.cr_arrival_event_data.cr_handle, end.ep(), 0, nullptr));
  return true;
}

// When a link is lost, its connections end and its last requests arrive at the same moment. So
// every request has arrived once no connection is left.
void Node::answer_until_idle() {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::microseconds(load_.patience);
  for (;;) {
    bool idle = false;
    {
      const std::lock_guard lock(mutex_);
      idle = busy_ == 0;
    }
    constexpr DAT_TIMEOUT kShort = 10'000;
    if (!answer_requests(idle ? 0 : kShort) && idle) return;
    MUST(std::chrono::steady_clock::now() < give_up);
  }
}

void Node::tell_initiators_to_stop() {
  stopping_ = true;
}

void Node::join_initiators() {
  for (std::thread& thread : initiator_threads_) thread.join();
}

void Node::stop_responders() {
  for (auto& responder : responders_) responder->stop();
  for (std::thread& thread : responder_threads_) thread.join();
}

} // namespace datum::stress
