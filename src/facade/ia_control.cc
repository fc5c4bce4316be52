// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/ia_control.cc: handles of an open IA, and what is done once its lock is free.
#include "facade/ia_control.h"

#include "base/futex.h"
#include "base/log.h"
#include "facade/locked.h"
#include "facade/open_ias.h"

namespace datum {

Token IaControl::issue(ObjectKind kind, Object& object) {
  HandleSlot* slot = HandleSpace::allocate();
  if (slot == nullptr) {
    log(LogLevel::Warn, "ia \"{}\": no handle is left; free objects that are no longer used",
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
  auto& slot = *static_cast<HandleSlot*>(token);
  slot.control.store(nullptr, std::memory_order_relaxed);
  slot.key.store(0, std::memory_order_relaxed);
  slot.object = nullptr;
  HandleSpace::release(slot);
}

void IaControl::leave_slowly() noexcept {
  adapter_->destroy_retired();
  const std::vector<InterfaceAdapter::DeferredAgent> agents = adapter_->take_deferred();
  const std::vector<InterfaceAdapter::ForeignEvent> events = adapter_->take_foreign_events();
  calls_out_.fetch_add(1, std::memory_order_relaxed);
  mutex_.unlock();
  deliver(events);
  for (const auto& [agent, evd] : agents) agent.call(agent.instance, evd);
  if (calls_out_.fetch_sub(1, std::memory_order_release) == 1) futex_wake(calls_out_, 1);
}

void IaControl::deliver(const std::vector<InterfaceAdapter::ForeignEvent>& events) noexcept {
  if (events.empty()) return;
  try {
    for (const Token token : OpenIas::instance().async_evds(registration_->ia_name)) {
      // Our own EVD has got them already.
      if (async_.source == AsyncBinding::Source::Created && token == async_.evd) continue;
      const Locked<ObjectKind::EventDispatcher> evd(token);
      if (!evd) continue;
      for (const auto& [event, target] : events) evd->push(event);
    }
  } catch (const std::bad_alloc&) {
    log(LogLevel::Warn, "ia \"{}\": out of memory, an asynchronous event was lost",
        registration_->ia_name);
  }
}

} // namespace datum
