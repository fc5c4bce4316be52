// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "core/foreign_evd.h"

#include <utility>

#include "core/event_dispatcher.h"

namespace datum {

ForeignEvd::ForeignEvd(EventDispatcher& evd, std::uint64_t key)
    : token_(evd.token()), key_(key), alive_(evd.alive()) {
  evd.hold();
}

void ForeignEvd::hold() {
  const MutexLock lock(mutex_);
  ++holders_;
}

bool ForeignEvd::release() {
  const MutexLock lock(mutex_);
  if (--holders_ != 0) return false;
  told_.let_go = true;
  return true;
}

bool ForeignEvd::push(const Event& event) {
  const MutexLock lock(mutex_);
  if (told_.count == kMost) {
    told_.lost = true;
    return false;
  }
  told_.events[told_.count++] = event;
  return true;
}

void ForeignEvd::forget_data(Token object, const void* data) {
  const MutexLock lock(mutex_);
  told_.object = object;
  told_.forgotten = data;
}

// Who takes what was told holds the lock of the EVD's IA, so that it arrives in this order, whoever
// else delivers at the same time.
Token ForeignEvd::deliver(EventDispatcher& evd) {
  Told told;
  {
    const MutexLock lock(mutex_);
    told = std::exchange(told_, {});
  }
  Token unheard = nullptr;
  for (std::size_t i = 0; i != told.count; ++i) {
    const Event& event = told.events[i];
    if (!evd.push_connection(event) && event.kind == EventKind::Established) unheard = event.object;
  }
  if (told.lost) evd.report_overflow();
  if (told.forgotten != nullptr) evd.forget_data(told.object, told.forgotten);
  if (told.let_go) evd.release();
  return unheard;
}

} // namespace datum
