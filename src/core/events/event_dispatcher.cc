// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "core/events/event_dispatcher.h"

#include <bit>
#include <utility>

#include "base/assertion.h"
#include "base/refusal.h"
#include "core/events/event_services.h"
#include "core/events/shared_receive_account.h"
#include "core/object/adapter_context.h"
#include "core/object/causes.h"

namespace datum {

struct EventDispatcher::Waiter : WaitPoint {
  enum class End : std::uint8_t { None, Unwaitable, Closed };
  std::int32_t threshold = 1;
  End end = End::None;
};

// The waiter lives on the stack of the waiting thread. The EVD points to the waiter for as long as
// this object lives, whichever way the wait ends.
class EventDispatcher::Owning {
 public:
  Owning(EventDispatcher& evd, Waiter& waiter) : evd_(evd) {
    DATUM_ASSERT(evd_.waiter_ == nullptr);
    evd_.waiter_ = &waiter;
    evd_.adapter().count_blocked(1);
  }
  ~Owning() {
    evd_.adapter().count_blocked(-1);
    evd_.waiter_ = nullptr;
  }
  Owning(const Owning&) = delete;
  Owning& operator=(const Owning&) = delete;

 private:
  EventDispatcher& evd_;
};

namespace {

// The values of DAT_EVD_STATE.
constexpr std::uint32_t kEnabled = 0x01;
constexpr std::uint32_t kDisabled = 0x02;
constexpr std::uint32_t kWaitable = 0x04;
constexpr std::uint32_t kUnwaitable = 0x08;
constexpr std::uint32_t kConfigNotify = 0x10;
constexpr std::uint32_t kConfigSolicited = 0x20;
constexpr std::uint32_t kConfigThreshold = 0x30;

} // namespace

EventDispatcher::EventDispatcher(EventServices& events, std::int32_t qlen, NotificationObject* cno,
                                 EvdFlags flags)
    : Object(events.adapter, ObjectKind::EventDispatcher), flags_(flags), cno_(cno),
      events_(events) {
  set_capacity(qlen);
}

EventDispatcher::~EventDispatcher() {
  DATUM_ASSERT(waiter_ == nullptr);
  if (alive_) alive_->store(false, std::memory_order_relaxed);
  while (count() != 0) pop();
}

void EventDispatcher::give_back(const Event& event) {
  event.srq->reaped();
}

void EventDispatcher::set_capacity(std::int32_t qlen) {
  DATUM_ASSERT(qlen > 0 && qlen >= count());
  std::vector<Event> ring(std::bit_ceil(static_cast<std::size_t>(qlen)));
  const std::uint64_t mask = ring.size() - 1;
  for (std::uint64_t at = head_; at != tail_; ++at) ring[at & mask] = ring_[at & mask_];
  ring_ = std::move(ring);
  mask_ = mask;
  capacity_ = qlen;
}

std::uint32_t EventDispatcher::state_bits() const {
  std::uint32_t bits = (enabled_ ? kEnabled : kDisabled) | (waitable_ ? kWaitable : kUnwaitable);
  if (solicited_users_ != 0)
    bits |= kConfigSolicited;
  else if (unsignalled_users_ != 0 || streams_ == 0)
    bits |= kConfigNotify;
  else
    bits |= kConfigThreshold;
  return bits;
}

void EventDispatcher::set_cno(NotificationObject* cno) {
  cno_ = Ref(cno);
}

void EventDispatcher::set_unwaitable() {
  waitable_ = false;
  if (waiter_ == nullptr) return;
  waiter_->end = Waiter::End::Unwaitable;
  adapter().progress().signal(*waiter_);
}

void EventDispatcher::abort_waiter() {
  if (waiter_ == nullptr) return;
  waiter_->end = Waiter::End::Closed;
  adapter().progress().signal(*waiter_);
}

void EventDispatcher::notify() {
  if (waiter_ != nullptr) {
    // A blocked thread takes precedence over the CNO (dat_evd_wait(3DAT), Description).
    if (count() >= waiter_->threshold && !waiter_->signalled) adapter().progress().signal(*waiter_);
    return;
  }
  if (enabled_ && cno_) cno_->trigger(*this);
}

void EventDispatcher::lose_completion(Event event) {
  settle(event);
  report_overflow();
  // The completions that a breaking EP flushes are lost, too. All EPs that feed the EVD are being
  // broken already.
  if (std::exchange(breaking_, true)) return;
  events_.sources.break_sources_of(*this);
  breaking_ = false;
}

bool EventDispatcher::push_connection(const Event& event) {
  ++tally_.connection_events;
  if (push(event)) return true;
  report_overflow();
  return false;
}

void EventDispatcher::forget_data(Token object, const void* data) {
  for (std::uint64_t at = head_; at != tail_; ++at) {
    Event& event = ring_[at & mask_];
    if (!has_private_data(event.kind) || event.object != object || event.data != data) continue;
    event.data = nullptr;
    event.size = 0;
  }
}

std::shared_ptr<const std::atomic<bool>> EventDispatcher::alive() {
  if (!alive_) alive_ = std::make_shared<std::atomic<bool>>(true);
  return alive_;
}

void EventDispatcher::report_overflow() {
  if (std::exchange(overflowed_, true)) return;
  Event event;
  event.kind = EventKind::AsyncEvdOverflow;
  event.object = token();
  event.value = kReasonEvdOverflow;
  events_.async.report(event);
}

Status EventDispatcher::post_software(std::uint64_t pointer) {
  Event event;
  event.kind = EventKind::Software;
  event.cookie = pointer;
  // The caller learns that the queue is full. That is no overflow (decision 112).
  if (push(event)) return kOk;
  note_cause("events queued", count(), "fewer than evd_qlen", "C-12");
  return Type::QueueFull;
}

void EventDispatcher::drive() {
  const bool was_empty = count() == 0;
  adapter().progress().poll();
  ++tally_.drives;
  if (was_empty && count() != 0) ++tally_.driven_in;
}

Status EventDispatcher::wait(std::uint32_t timeout_us, std::int32_t threshold, Event& event,
                             std::int32_t& left) {
  if (threshold < 1 || threshold > capacity_) return causes::bad_threshold(threshold, capacity_);
  if (threshold > 1 && consumer_notification()) {
    note_cause("threshold", threshold, "1, since completion flags of EPs steer the EVD",
               "dat_evd_wait.R12");
    return {Type::InvalidState,
            solicited_users_ != 0 ? Detail::EvdConfigSolicited : Detail::EvdConfigNotify};
  }
  if (waiter_ != nullptr) return {Type::InvalidState, Detail::EvdWaiter};
  if (!waitable_) return {Type::InvalidState, Detail::EvdUnwaitable};

  ++tally_.waits;
  Waiter waiter;
  waiter.threshold = threshold;
  const WaitResult result = wait_as(waiter, timeout_us);
  if (waiter.end == Waiter::End::Closed) return {Type::Abort};
  if (waiter.end == Waiter::End::Unwaitable) return {Type::InvalidState, Detail::EvdUnwaitable};
  if (count() >= threshold) {
    take(event);
    left = count();
    return kOk;
  }
  left = count();
  if (result == WaitResult::Interrupted) return {Type::InterruptedCall, Detail::Interrupted};
  return {Type::TimeoutExpired};
}

// With a timeout of 0 the wait never blocks: it polls like a dequeue.
WaitResult EventDispatcher::wait_as(Waiter& waiter, std::uint32_t timeout_us) {
  if (count() >= waiter.threshold || timeout_us == 0) {
    if (should_drive(waiter.threshold)) drive();
    return WaitResult::TimedOut;
  }
  return block_as(waiter, timeout_us);
}

// A thread that is about to block owns the EVD before it polls. So it gets every event from here
// on, and the CNO is not triggered (R30).
WaitResult EventDispatcher::block_as(Waiter& waiter, std::uint32_t timeout_us) {
  Progress& progress = adapter().progress();
  const Owning owning(*this, waiter);
  progress.poll();
  if (count() >= waiter.threshold) return WaitResult::Signalled;
  ++tally_.blocked;
  const WaitResult result = progress.wait(waiter, deadline_after(progress, timeout_us));
  if (result == WaitResult::Signalled) ++tally_.notified;
  return result;
}

Status EventDispatcher::resize(std::int32_t qlen) {
  if (qlen == capacity_) return kOk;
  if (qlen < count()) {
    note_cause("evd_min_qlen", qlen, "no less than what is queued", "");
    return {Type::InvalidState, Detail::EvdInUse};
  }
  // The waiter's threshold is above the new length, so it could never be met.
  if (waiter_ != nullptr && waiter_->threshold > qlen)
    return {Type::InvalidState, Detail::EvdWaiter};
  set_capacity(qlen);
  return kOk;
}

} // namespace datum
