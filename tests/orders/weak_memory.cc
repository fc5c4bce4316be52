// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "weak_memory.h"

#include <algorithm>

namespace datum::test {
namespace {

// Does not use memcpy(), since an instrumented memcpy() would lead back here.
template <class T>
T& as(const Word& word) {
  return *reinterpret_cast<T*>(word.address);
}

std::uint64_t in_memory(const Word& word) {
  switch (word.size) {
  case sizeof(std::uint8_t): return as<std::uint8_t>(word);
  case sizeof(std::uint16_t): return as<std::uint16_t>(word);
  case sizeof(std::uint32_t): return as<std::uint32_t>(word);
  default: return as<std::uint64_t>(word);
  }
}

void to_memory(const Word& word, std::uint64_t value) {
  switch (word.size) {
  case sizeof(std::uint8_t): as<std::uint8_t>(word) = static_cast<std::uint8_t>(value); break;
  case sizeof(std::uint16_t): as<std::uint16_t>(word) = static_cast<std::uint16_t>(value); break;
  case sizeof(std::uint32_t): as<std::uint32_t>(word) = static_cast<std::uint32_t>(value); break;
  default: as<std::uint64_t>(word) = value;
  }
}

} // namespace

void WeakMemory::begin(std::size_t threads) {
  threads_.assign(threads, {});
  locations_.clear();
  known_.clear();
  kept_used_ = 0;
  seq_cst_ = {};
  heavy_ = {};
  objects_.clear();
  shadows_.clear();
  promises_.clear();
  stored_now_.clear();
}

// --- views -------------------------------------------------------------------------------------

std::size_t WeakMemory::location(const Word& word) {
  const auto [found, added] = known_.try_emplace(word.key, locations_.size());
  if (added) {
    Location& location = locations_.emplace_back();
    location.word = word;
    location.messages.push_back({.value = in_memory(word)});
    location.order.push_back(0);
  }
  return found->second;
}

std::uint32_t& WeakMemory::in(View& view, std::size_t at) const {
  if (view.at.size() <= at) view.at.resize(locations_.size());
  return view.at[at];
}

void WeakMemory::join(View& into, const View& from) const {
  test::join(into.seen, from.seen);
  if (into.at.size() < from.at.size()) into.at.resize(from.at.size());
  for (std::size_t at = 0; at < from.at.size(); ++at)
    if (position(at, from.at[at]) > position(at, into.at[at])) into.at[at] = from.at[at];
}

void WeakMemory::join(Knowledge& into, const Knowledge& from) const {
  join(into.view, from.view);
  test::join(into.clock, from.clock);
}

bool WeakMemory::within(const View& small, const View& large) const {
  for (std::size_t i = 0; i < kMostThreads; ++i)
    if (small.seen[i] > large.seen[i]) return false;
  for (std::size_t at = 0; at < small.at.size(); ++at)
    if (position(at, small.at[at]) > position(at, in(large, at))) return false;
  return true;
}

std::uint32_t WeakMemory::keep(const Knowledge& knowledge) {
  if (kept_used_ == kept_.size()) kept_.emplace_back();
  kept_[kept_used_] = knowledge;
  return static_cast<std::uint32_t>(kept_used_++);
}

// --- reading -----------------------------------------------------------------------------------

std::uint32_t WeakMemory::oldest_readable(std::size_t thread, std::size_t at, Order order) const {
  std::uint32_t oldest = position(at, in(threads_[thread].now.view, at));
  // The sequentially consistent accesses of a word have the order of their steps.
  if (order == Order::SeqCst) oldest = std::max(oldest, position(at, locations_[at].last_seq_cst));
  return oldest;
}

void WeakMemory::read(std::size_t thread, std::size_t at, std::uint32_t message, Order order) {
  Thread& me = threads_[thread];
  const Message& from = locations_[at].messages[message];
  std::uint32_t& mine = in(me.now.view, at);
  if (from.position > position(at, mine)) mine = message;
  if (from.released != kNone) join(acquires(order) ? me.now : me.to_acquire, kept_[from.released]);
}

std::uint64_t WeakMemory::load(std::size_t thread, const Word& word, Order order) {
  return load_one(thread, word, order, promised_reads_);
}

std::uint64_t WeakMemory::load_now(std::size_t thread, const Word& word) {
  return load_one(thread, word, Order::Relaxed, false);
}

std::uint64_t WeakMemory::load_one(std::size_t thread, const Word& word, Order order,
                                   bool promised) {
  const std::size_t at = location(word);
  step(thread);
  note_atomic(thread, word, false);
  if (promised_by_one_seen(thread, at)) chooser_.give_up();
  Thread& me = threads_[thread];
  const Location& here = locations_[at];
  std::uint32_t oldest = oldest_readable(thread, at, order);
  if (me.demands_newer) {
    oldest = std::max(oldest, position(at, in(me.now.view, at)) + 1);
    me.demands_newer = false;
  }
  const auto newest = static_cast<std::uint32_t>(here.order.size() - 1);
  oldest = std::min(oldest, newest);
  const std::size_t existing = newest - oldest + 1;
  std::vector<std::uint64_t> later;
  if (promised)
    for (auto next = stored_.lower_bound({word.key, 0, 0});
         next != stored_.end() && next->key == word.key; ++next)
      if (next->thread != thread && (later.empty() || later.back() != next->value))
        later.push_back(next->value);
  const std::size_t chosen = chooser_.choose(existing + later.size());
  if (chosen >= existing) return promise(thread, at, later[chosen - existing], order);
  const std::uint32_t message = here.order[newest - chosen];
  read(thread, at, message, order);
  return here.messages[message].value;
}

bool WeakMemory::has_newer(std::size_t thread, const Word& word) {
  const std::size_t at = location(word);
  return position(at, in(threads_[thread].now.view, at)) + 1 < locations_[at].order.size();
}

// --- writing -----------------------------------------------------------------------------------

std::uint32_t WeakMemory::released_by(std::size_t thread, Order order) {
  Thread& me = threads_[thread];
  return releases(order) ? keep(me.now) : me.released;
}

void WeakMemory::place(std::size_t thread, std::size_t at, std::uint32_t where, std::uint64_t value,
                       std::uint32_t released, bool updates, Order order) {
  Location& here = locations_[at];
  const auto message = static_cast<std::uint32_t>(here.messages.size());
  here.messages.push_back({value, released, where, updates});
  here.order.insert(here.order.begin() + where, message);
  for (std::size_t i = where + 1; i < here.order.size(); ++i)
    here.messages[here.order[i]].position = static_cast<std::uint32_t>(i);
  in(threads_[thread].now.view, at) = message;
  if (order == Order::SeqCst) here.last_seq_cst = message;
  if (where + 1 == here.order.size()) to_memory(here.word, value);
  if (promised_reads_) {
    stored_now_.push_back({here.word.key, value, thread});
    keep_promises(thread, at, message);
  }
}

bool WeakMemory::is_followed_by_update(const Location& location, std::uint32_t at) const {
  return at + 1 < location.order.size() && location.messages[location.order[at + 1]].updates;
}

void WeakMemory::store(std::size_t thread, const Word& word, std::uint64_t value, Order order) {
  const std::size_t at = location(word);
  step(thread);
  note_atomic(thread, word, true);
  if (promised_by_one_seen(thread, at)) chooser_.give_up();
  const Location& here = locations_[at];
  const auto behind = static_cast<std::uint32_t>(here.order.size());
  // The store comes after every message that this thread knows, and never between an update and the
  // message that the update read.
  std::vector<std::uint32_t> places{behind};
  for (std::uint32_t before = behind - 1; before > oldest_readable(thread, at, order); --before)
    if (!is_followed_by_update(here, before - 1)) places.push_back(before);
  const std::uint32_t where = places[chooser_.choose(places.size())];
  place(thread, at, where, value, released_by(thread, order), false, order);
}

// Chooses a message that no update has read yet. With `expected` it may also choose a message with
// another value than `expected`, which the thread then only reads.
std::uint32_t WeakMemory::choose_updated(std::size_t thread, std::size_t at, Order order,
                                         const std::uint64_t* expected) {
  step(thread);
  note_atomic(thread, locations_[at].word, true);
  if (promised_by_one_seen(thread, at)) chooser_.give_up();
  const Location& here = locations_[at];
  std::vector<std::uint32_t> readable;
  const std::uint32_t oldest = oldest_readable(thread, at, order);
  for (auto i = static_cast<std::uint32_t>(here.order.size()); i-- > oldest;) {
    const std::uint32_t message = here.order[i];
    const bool only_read = expected != nullptr && here.messages[message].value != *expected;
    if (only_read || !is_followed_by_update(here, i)) readable.push_back(message);
  }
  return readable[chooser_.choose(readable.size())];
}

void WeakMemory::update(std::size_t thread, std::size_t at, std::uint32_t from, std::uint64_t value,
                        Order order) {
  read(thread, at, from, order);
  // An update continues the release sequence of the message that the update read.
  std::uint32_t released = released_by(thread, order);
  const std::uint32_t before = locations_[at].messages[from].released;
  if (released == kNone) {
    released = before;
  } else if (before != kNone) {
    Knowledge both = kept_[released];
    join(both, kept_[before]);
    released = keep(both);
  }
  place(thread, at, position(at, from) + 1, value, released, true, order);
}

bool WeakMemory::compare_exchange(std::size_t thread, const Word& word, std::uint64_t& expected,
                                  std::uint64_t desired, Order success, Order failure) {
  const std::size_t at = location(word);
  const std::uint32_t from = choose_updated(thread, at, success, &expected);
  const std::uint64_t value = locations_[at].messages[from].value;
  if (value == expected) {
    update(thread, at, from, desired, success);
    return true;
  }
  read(thread, at, from, failure);
  expected = value;
  return false;
}

// --- fences ------------------------------------------------------------------------------------

void WeakMemory::fence(std::size_t thread, Order order) {
  if (order == Order::Relaxed) return;
  step(thread);
  Thread& me = threads_[thread];
  if (acquires(order)) {
    join(me.now, me.to_acquire);
    ++me.acquire_fences;
  }
  if (order == Order::SeqCst) {
    join(seq_cst_, me.now.view);
    me.now.view = seq_cst_;
  }
  if (releases(order)) me.released = keep(me.now);
}

// A heavy fence interrupts each thread at some point. The compiler reorders nothing across a light
// fence. So the accesses up to the thread's last light fence come before the heavy fence, and the
// accesses from its next light fence on come after.
void WeakMemory::light_fence(std::size_t thread) {
  step(thread);
  Thread& me = threads_[thread];
  join(me.now.view, heavy_);
  me.light = me.now.view;
  join(me.light, me.to_acquire.view);
}

void WeakMemory::heavy_fence(std::size_t thread) {
  fence(thread, Order::SeqCst);
  Thread& me = threads_[thread];
  for (const Thread& other : threads_) join(me.now.view, other.light);
  join(heavy_, me.now.view);
  join(seq_cst_, me.now.view);
}

void WeakMemory::kernel_call(std::size_t thread, std::uint64_t object) {
  step(thread);
  Thread& me = threads_[thread];
  View& last = objects_[object].view;
  join(last, me.now.view);
  join(last, me.to_acquire.view);
  me.now.view = last;
}

void WeakMemory::synchronize(std::size_t thread, std::uint64_t object) {
  step(thread);
  Thread& me = threads_[thread];
  Knowledge& last = objects_[object];
  join(last, me.now);
  me.now = last;
}

// --- data races --------------------------------------------------------------------------------

namespace {
constexpr std::uint64_t kCell = 4;

// The access of another thread that `seen` does not contain, if there is one.
WeakMemory::Race unknown(const Clock& accesses, const Clock& seen, std::size_t but,
                         const char* what) {
  for (std::size_t i = 0; i < kMostThreads; ++i)
    if (i != but && accesses[i] > seen[i]) return {what, i, accesses[i]};
  return {};
}
} // namespace

void WeakMemory::note_atomic(std::size_t thread, const Word& word, bool write) {
  Shadow& cell = shadows_[word.key / kCell];
  Clock& mine = write ? cell.atomic_write : cell.atomic_read;
  mine[thread] = threads_[thread].now.clock[thread];
}

WeakMemory::Race WeakMemory::plain_access(std::size_t thread, std::uint64_t key, std::size_t size,
                                          bool write) {
  step(thread);
  const Clock& seen = threads_[thread].now.clock;
  const char* const beside_a_write =
      write ? "written while another thread writes it" : "read while another thread writes it";
  constexpr const char* kBesideARead = "written while another thread reads it";
  Race race;
  for (std::uint64_t cell = key / kCell; cell <= (key + size - 1) / kCell; ++cell) {
    Shadow& shadow = shadows_[cell];
    for (const Clock* others : {&shadow.plain_write, &shadow.atomic_write})
      if (race.what == nullptr) race = unknown(*others, seen, thread, beside_a_write);
    if (write)
      for (const Clock* others : {&shadow.plain_read, &shadow.atomic_read})
        if (race.what == nullptr) race = unknown(*others, seen, thread, kBesideARead);
    (write ? shadow.plain_write : shadow.plain_read)[thread] = seen[thread];
  }
  return race;
}

// --- promised reads ----------------------------------------------------------------------------

// Whether the thread knows of a promised read whose store has not come. Then this store cannot
// fulfil the promise, as the read would have to come after the store.
bool WeakMemory::promised_by_one_seen(std::size_t thread, std::size_t at) const {
  return std::any_of(promises_.begin(), promises_.end(), [&](const Promise& promise) {
    return promise.location == at && threads_[thread].now.view.seen[promise.thread] >= promise.step;
  });
}

std::uint64_t WeakMemory::promise(std::size_t thread, std::size_t at, std::uint64_t value,
                                  Order order) {
  const Thread& me = threads_[thread];
  promises_.push_back({at, value, thread, me.now.clock[thread], order, me.acquire_fences,
                       locations_[at].last_seq_cst, me.now});
  join(promises_.back().then, me.to_acquire);
  return value;
}

void WeakMemory::keep_promises(std::size_t thread, std::size_t at, std::uint32_t message) {
  for (std::size_t i = promises_.size(); i-- != 0;) {
    const Promise& promise = promises_[i];
    const Message& made = locations_[at].messages[message];
    if (promise.location != at || promise.value != made.value || promise.thread == thread) continue;
    // A promised read may not return a message of a thread that knew of the read. The message must
    // be newer than what the reader had seen. If the reader acquires the message, it must already
    // know all that the message releases.
    if (threads_[thread].now.view.seen[promise.thread] >= promise.step) continue;
    if (made.position <= position(at, in(promise.then.view, at))) continue;
    // Sequentially consistent accesses have the order in which they are made.
    if (promise.order == Order::SeqCst && locations_[at].last_seq_cst != promise.last_seq_cst)
      continue;
    Thread& reader = threads_[promise.thread];
    const bool acquired =
        acquires(promise.order) || reader.acquire_fences != promise.acquire_fences;
    if (acquired && made.released != kNone && !within(kept_[made.released].view, promise.then.view))
      continue;
    if (chooser_.choose(2) != 0) continue;
    if (!acquired && made.released != kNone) join(reader.to_acquire, kept_[made.released]);
    learn_of(promise, message);
    promises_.erase(promises_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

// Makes every thread that knows of the read know of the message that was read.
void WeakMemory::learn_of(const Promise& promise, std::uint32_t message) {
  const auto tell = [&](View& view) {
    if (view.seen[promise.thread] < promise.step) return;
    std::uint32_t& known = in(view, promise.location);
    if (position(promise.location, message) > position(promise.location, known)) known = message;
  };
  for (Thread& thread : threads_) {
    tell(thread.now.view);
    tell(thread.to_acquire.view);
    tell(thread.light);
  }
  for (std::size_t i = 0; i < kept_used_; ++i) tell(kept_[i].view);
  for (auto& [object, knowledge] : objects_) tell(knowledge.view);
  tell(seq_cst_);
  tell(heavy_);
}

bool WeakMemory::keep_values() {
  bool grew = false;
  for (const Stored& stored : stored_now_) grew = stored_.insert(stored).second || grew;
  return grew;
}

} // namespace datum::test
