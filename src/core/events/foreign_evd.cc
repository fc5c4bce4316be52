// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "core/events/foreign_evd.h"

#include <utility>

#include "base/assertion.h"
#include "core/events/event_dispatcher.h"

namespace datum {

ForeignEvd::ForeignEvd(EventDispatcher& evd, std::uint64_t key)
    : token_(evd.token()), key_(key), alive_(evd.alive()) {
  evd.hold();
}

bool ForeignEvd::release_by_maker() {
  const MutexLock lock(mutex_);
  made_ = false;
  let_go_if_unheld();
  return let_go_;
}

void ForeignEvd::make_room() {
  const MutexLock lock(mutex_);
  const std::size_t wanted = count_ + (feeders_ + 1) * kPlacesEach;
  if (ring_.size() >= wanted) return;
  std::vector<Told> larger(2 * wanted); // growing by one would copy all events each time
  for (std::size_t i = 0; i != count_; ++i) larger[i] = told(i);
  ring_.swap(larger);
  first_ = 0;
}

void ForeignEvd::join() {
  const MutexLock lock(mutex_);
  DATUM_ASSERT(ring_.size() >= (feeders_ + 1) * kPlacesEach);
  ++feeders_;
}

bool ForeignEvd::leave() {
  const MutexLock lock(mutex_);
  DATUM_ASSERT(feeders_ != 0);
  --feeders_;
  let_go_if_unheld();
  return feeders_ == 0;
}

void ForeignEvd::let_go_if_unheld() {
  let_go_ = !made_ && feeders_ == 0;
}

// Leaves a place for each EP, which its forget_data() needs.
bool ForeignEvd::push(const Event& event, std::uint32_t connection) {
  const MutexLock lock(mutex_);
  if (count_ + feeders_ >= ring_.size()) {
    lost_ = true;
    return false;
  }
  told(count_++) = {event, connection, false};
  return true;
}

// Events that wait here lose the pointer at once. One notice behind them tells the EVD to remove
// the pointer from earlier events.
void ForeignEvd::forget_data(Token object, const void* data) {
  const MutexLock lock(mutex_);
  bool known = false;
  for (std::size_t i = 0; i != count_; ++i) {
    Told& one = told(i);
    if (one.event.object != object || one.event.data != data) continue;
    if (one.forget) {
      known = true;
      continue;
    }
    one.event.data = nullptr;
    one.event.size = 0;
  }
  if (known) return;
  DATUM_ASSERT(count_ != ring_.size()); // push() leaves a place for each feeder
  Told last;
  last.event.object = object;
  last.event.data = data;
  last.forget = true;
  told(count_++) = last;
}

bool ForeignEvd::take(Told& next) {
  const MutexLock lock(mutex_);
  if (count_ == 0) return false;
  next = told(0);
  first_ = (first_ + 1) % ring_.size();
  --count_;
  return true;
}

// The thread that takes the events holds the lock of the EVD's IA. So the events reach the EVD in
// the order of the ring, even if several threads deliver.
ForeignEvd::Unreported ForeignEvd::deliver(EventDispatcher& evd) {
  Told next;
  while (take(next)) {
    if (next.forget)
      evd.forget_data(next.event.object, next.event.data);
    else if (!evd.push_connection(next.event) && next.event.kind == EventKind::Established)
      return {next.event.object, next.connection};
  }
  bool lost = false;
  bool let_go = false;
  {
    const MutexLock lock(mutex_);
    lost = std::exchange(lost_, false);
    let_go = std::exchange(let_go_, false);
  }
  if (lost) evd.report_overflow();
  if (let_go) evd.release();
  return {};
}

} // namespace datum
