// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "core/notification_object.h"

#include "core/event_dispatcher.h"
#include "core/interface_adapter.h"

namespace datum {

struct NotificationObject::Waiter : WaitPoint, ListHook<NotificationObject::WaiterTag> {
  Token evd = nullptr;
};

NotificationObject::NotificationObject(InterfaceAdapter& adapter, ProxyAgent agent)
    : Object(adapter, ObjectKind::NotificationObject), armed_(arm(agent)) {}

NotificationObject::~NotificationObject() = default;

std::unique_ptr<AgentCall> NotificationObject::arm(ProxyAgent agent) {
  if (!agent.armed()) return nullptr;
  auto armed = std::make_unique<AgentCall>();
  armed->agent = agent;
  return armed;
}

// One-shot: it is disarmed before it is called, so that it may arm itself again (C-09).
void NotificationObject::call_agent(Token evd) {
  if (!armed_) return;
  armed_->evd = evd;
  adapter().defer_agent(std::move(armed_));
}

void NotificationObject::trigger(EventDispatcher& evd) {
  call_agent(evd.token());
  if (!waiting_.empty()) {
    wake_first(evd.token());
    return;
  }
  if (triggered_) return;
  latch(true);
  remembered_ = evd.token();
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
  waiter->evd = evd;
  adapter().progress().signal(*waiter);
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
  waiting_.push_back(waiter);
  ++waiters_;
  adapter().count_blocked(1);
  const WaitResult result = progress.wait(waiter, deadline_after(progress, timeout_us));
  --waiters_;
  adapter().count_blocked(-1);
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

void NotificationObject::forget(Token evd) {
  if (!triggered_ || remembered_ != evd) return;
  const EventDispatcher* other = adapter().find_evd_with_events(*this);
  latch(other != nullptr);
  remembered_ = triggered_ ? other->token() : nullptr;
}

} // namespace datum
