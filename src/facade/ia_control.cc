// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/ia_control.cc: handles of an open IA, and the work that is deferred until its lock is
// free.
#include "facade/ia_control.h"

#include <pthread.h>

#include "base/assertion.h"
#include "base/futex.h"
#include "base/log.h"
#include "facade/locked.h"
#include "facade/open_ias.h"

namespace datum {

// Lists a thread while it calls an agent for the IA. A thread-local variable would not do: in a
// module that was loaded at run time its first use allocates, and ends the process if memory is
// lacking.
struct IaControl::CallOut : ListHook<CallOutTag> {
  explicit CallOut(IaControl& caller) : control(caller) {
    const MutexLock lock(control.calling_mutex_);
    control.calling_.push_back(*this);
  }
  ~CallOut() {
    const MutexLock lock(control.calling_mutex_);
    ListHook::unlink();
  }
  CallOut(const CallOut&) = delete;
  CallOut& operator=(const CallOut&) = delete;

  IaControl& control;
  const pthread_t thread = ::pthread_self();
};

bool IaControl::calls_out_here() {
  const MutexLock lock(calling_mutex_);
  bool here = false;
  calling_.for_each(
      [&](CallOut& call) { here = here || ::pthread_equal(call.thread, ::pthread_self()) != 0; });
  return here;
}

Token IaControl::issue(ObjectKind kind, Object& object) {
  DATUM_ASSERT(mutex_.held());
  HandleSlot* slot = HandleSpace::allocate();
  if (slot == nullptr) {
    log(LogLevel::Warn,
        "ia \"{}\": no handle is left; free objects that are no longer used, or allow more address "
        "space (`ulimit -v`)",
        registration_->ia_name);
    return nullptr;
  }
  slot->object = &object;
  slot->table.store(registration_->table, std::memory_order_relaxed);
  slot->key.store(key_for(kind), std::memory_order_relaxed);
  slot->control.store(this, std::memory_order_release);
  return slot;
}

void IaControl::withdraw(Token token) {
  DATUM_ASSERT(mutex_.held());
  auto& slot = *static_cast<HandleSlot*>(token);
  slot.control.store(nullptr, std::memory_order_relaxed);
  slot.key.store(0, std::memory_order_relaxed);
  slot.object = nullptr;
  HandleSpace::release(slot);
}

void IaControl::let_in() {
  mutex_.let_in();
  if (!adapter_->has_deferred()) return;
  leave_slowly();
  mutex_.lock();
}

void IaControl::leave_slowly() noexcept {
  calls_out_.fetch_add(1, std::memory_order_relaxed);
  while (do_deferred()) mutex_.lock();
  if (calls_out_.fetch_sub(1, std::memory_order_release) == 1) futex_wake(calls_out_, 1);
}

bool IaControl::do_deferred() noexcept {
  adapter_->destroy_retired();
  adapter_->clear_deferred();
  EventServices& deferred = adapter_->events();
  std::unique_ptr<AgentCall> calls = deferred.agents.take();
  const std::vector<AsyncEvents::ForOpeners> events = deferred.async.take_for_openers();
  const ForeignEvds::Deliveries deliveries = deferred.foreign.take_deliveries();
  const bool more = adapter_->has_deferred();
  mutex_.unlock();
  if (!calls && events.empty() && !deliveries.front()) return more;
  const CallOut here(*this);
  deliver(deliveries);
  deliver(events);
  for (; calls; calls = std::move(calls->next))
    calls->agent.call(calls->agent.instance, calls->evd);
  return more;
}

ForeignEvd::Unreported IaControl::deliver(ForeignEvd& to) noexcept {
  const Locked<ObjectKind::EventDispatcher> evd(to.token());
  if (!evd || evd.control().key_for(ObjectKind::EventDispatcher) != to.key()) return {};
  return to.deliver(*evd);
}

void IaControl::deliver(const ForeignEvds::Deliveries& deliveries) noexcept {
  for (const std::shared_ptr<ForeignEvd>& to : deliveries) {
    if (!to) return;
    for (;;) {
      const ForeignEvd::Unreported lost = deliver(*to);
      if (lost.endpoint == nullptr) break;
      const Locked<ObjectKind::Endpoint> ep(lost.endpoint);
      if (ep && &ep.control() == this) ep->connection().establishment_lost(*to, lost.connection);
    }
  }
}

void IaControl::deliver(const std::vector<AsyncEvents::ForOpeners>& events) noexcept {
  if (events.empty()) return;
  try {
    for (const AsyncBinding& async : OpenIas::instance().async_evds(registration_->ia_name)) {
      // The EVD that this IA has created has the events already.
      if (async_.source == AsyncBinding::Origin::Created && async.key == async_.key) continue;
      const Locked<ObjectKind::EventDispatcher> evd(async.evd);
      if (!evd || evd.control().key_for(ObjectKind::EventDispatcher) != async.key) continue;
      const bool own = async.evd == async_.evd && async.key == async_.key;
      for (const auto& [event, target] : events) {
        if (event.kind != EventKind::AsyncSrqLeft)
          evd->push(event);
        else if (own || async_.evd == nullptr) // concerns its own IA only
          evd.control().adapter().events().async.push_srq_left(*evd, event);
      }
    }
  } catch (const std::bad_alloc&) {
    log(LogLevel::Warn, "ia \"{}\": out of memory, an asynchronous event was lost",
        registration_->ia_name);
  }
}

} // namespace datum
