// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "core/events/async_events.h"

#include <algorithm>
#include <new>

#include "base/log.h"

namespace datum {

void AsyncEvents::set_evd(EventDispatcher* evd, std::int32_t for_errors) {
  evd_ = Ref(evd);
  for_errors_ = for_errors;
}

void AsyncEvents::report(const Event& event) {
  AdapterTally& tally = adapter_.tally();
  ++tally.async_events;
  if (event.kind == EventKind::AsyncEvdOverflow) ++tally.async_overflows;
  // If the EVD itself is full, nothing more can be reported (decision 219)
  if (evd_) evd_->push(event);
  tell_openers(event);
}

// Other openers of the same IA get the event, too (dat_ia_open).
void AsyncEvents::tell_openers(const Event& event) {
  if (openers_of_ == nullptr) return;
  try {
    for_openers_.push_back({event, openers_of_});
    adapter_.set_deferred();
  } catch (const std::bad_alloc&) {
    log(LogLevel::Warn, "out of memory: other openers of the interface adapter miss an event");
  }
}

void AsyncEvents::report_srq_left(Token endpoint) {
  if (!adapter_.reports_srq_left()) return;
  ++adapter_.tally().async_endpoints;
  Event event;
  event.kind = EventKind::AsyncSrqLeft;
  event.object = endpoint;
  event.value = kReasonTransferToError;
  if (evd_)
    push_srq_left(*evd_, event);
  else
    tell_openers(event);
}

// The event is no error, and must not take a place that is reserved for errors.
void AsyncEvents::push_srq_left(EventDispatcher& evd, const Event& event) {
  const std::int32_t for_errors = evd_.get() == &evd ? for_errors_ : 0;
  if (evd.qlen() - evd.count() > std::min(for_errors, evd.qlen() - 1)) evd.push(event);
}

} // namespace datum
