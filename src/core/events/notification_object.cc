// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "core/events/notification_object.h"

#include "base/assertion.h"
#include "core/events/event_dispatcher.h"
#include "core/events/event_services.h"
#include "core/object/adapter_context.h"

namespace datum {

struct NotificationObject::Waiter : WaitPoint, ListHook<NotificationObject::WaiterTag> {
  Token evd = nullptr;
};

void AgentCalls::defer(std::unique_ptr<AgentCall> call) {
  std::unique_ptr<AgentCall>& end = last_ != nullptr ? last_->next : first_;
  end = std::move(call);
  last_ = end.get();
  adapter_.set_deferred();
}

NotificationObject::NotificationObject(EventServices& events, ProxyAgent agent)
    : Object(events.adapter, ObjectKind::NotificationObject), agents_(events.agents),
      armed_(arm(agent)) {}

NotificationObject::~NotificationObject() {
  DATUM_ASSERT(!in_use());
}

std::unique_ptr<AgentCall> NotificationObject::arm(ProxyAgent agent) {
  if (!agent.armed()) return nullptr;
  auto armed = std::make_unique<AgentCall>();
  armed->agent = agent;
  return armed;
}

// One-shot: the agent is disarmed before it is called, so that it may arm itself again (decision
// 109).
void NotificationObject::call_agent(Token evd) {
  if (!armed_) return;
  armed_->evd = evd;
  agents_.defer(std::move(armed_));
}

void NotificationObject::trigger(EventDispatcher& evd) {
  call_agent(evd.token());
  pass_on(evd.token());
}

void NotificationObject::latch(bool triggered) {
  triggered_ = triggered;
  if (!signal_) return;
  if (triggered)
    signal_->raise();
  else
    signal_->lower();
}

void NotificationObject::wake_first(Token evd) {
  Waiter* waiter = waiting_.pop_front();
  DATUM_ASSERT(waiter != nullptr);
  waiter->evd = evd;
  adapter().progress().signal(*waiter);
}

// The waiter lives on the stack of the waiting thread, which may be cancelled in its sleep. Then
// the waiter leaves the queue. If a trigger has already woken it, the trigger goes to the next
// waiter.
class NotificationObject::Waiting {
 public:
  Waiting(NotificationObject& cno, Waiter& waiter) : cno_(cno), waiter_(waiter) {
    cno_.waiting_.push_back(waiter_);
    ++cno_.waiters_;
    cno_.adapter().count_blocked(1);
  }
  ~Waiting() {
    --cno_.waiters_;
    cno_.adapter().count_blocked(-1);
    waiter_.ListHook<WaiterTag>::unlink();
    if (!over_ && waiter_.signalled) cno_.pass_on(waiter_.evd);
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  void over() { over_ = true; }

 private:
  NotificationObject& cno_;
  Waiter& waiter_;
  bool over_ = false;
};

WaitResult NotificationObject::wait_as(Waiter& waiter, Instant deadline) {
  Waiting waiting(*this, waiter);
  const WaitResult result = adapter().progress().wait(waiter, deadline);
  waiting.over();
  return result;
}

// Does what trigger() does, but does not call the agent, which has been called already.
void NotificationObject::pass_on(Token evd) {
  if (!waiting_.empty()) {
    wake_first(evd);
    return;
  }
  if (triggered_) return;
  latch(true);
  remembered_ = evd;
}

Status NotificationObject::wait(std::uint32_t timeout_us, Token& evd) {
  Progress& progress = adapter().progress();
  evd = nullptr;
  if (!triggered_) progress.poll();
  if (triggered_) {
    latch(false);
    evd = std::exchange(remembered_, nullptr);
    return kOk;
  }
  if (timeout_us == 0) return {Type::QueueEmpty};
  Waiter waiter;
  const WaitResult result = wait_as(waiter, deadline_after(progress, timeout_us));
  if (waiter.signalled) {
    evd = waiter.evd;
    return kOk;
  }
  if (result == WaitResult::Interrupted) return {Type::InterruptedCall, Detail::Interrupted};
  return {Type::QueueEmpty};
}

void NotificationObject::release_all() {
  call_agent(nullptr);
  while (!waiting_.empty()) wake_first(nullptr);
}

void NotificationObject::remember_instead(const EventDispatcher* other) {
  latch(other != nullptr);
  remembered_ = triggered_ ? other->token() : nullptr;
}

} // namespace datum
