// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "machine.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "instrument.h"

namespace datum::test {

Machine* Machine::running_ = nullptr;
const void* current_site = nullptr;

namespace {
constexpr std::uint64_t kLongestExecution = 2'000'000;

const char* name_of(Order order) {
  switch (order) {
  case Order::Relaxed: return "relaxed";
  case Order::Consume: return "consume";
  case Order::Acquire: return "acquire";
  case Order::Release: return "release";
  case Order::AcqRel: return "acq_rel";
  case Order::SeqCst: return "seq_cst";
  }
  return "";
}
} // namespace

// --- the scene -----------------------------------------------------------------------------------

void Machine::clear() {
  regions_.clear();
  bodies_.clear();
  failure_.clear();
  trace_.clear();
}

void Machine::share(const void* begin, std::size_t size, const char* name) {
  regions_.push_back(
      {reinterpret_cast<std::uintptr_t>(begin), size, (regions_.size() + 1) << 32U, name, false});
}

void Machine::share_alias(const void* begin, const void* of) {
  Region region = *this->region(of);
  region.begin = reinterpret_cast<std::uintptr_t>(begin);
  regions_.push_back(region);
}

void Machine::may_race(const void* begin, std::size_t size) {
  const Region* whole = region(begin);
  const auto at = reinterpret_cast<std::uintptr_t>(begin);
  // The first region that contains an address is used, so this one has to be before `whole`.
  regions_.insert(regions_.begin(),
                  {at, size, whole->key + (at - whole->begin), whole->name, true});
}

void Machine::add(std::function<void()> body) {
  bodies_.push_back(std::move(body));
}

void Machine::fail(const std::string& what) {
  if (failure_.empty()) failure_ = what;
}

// --- an execution --------------------------------------------------------------------------------

void Machine::begin() {
  memory_.begin(bodies_.size());
  threads_.assign(bodies_.size(), {});
  while (actors_.size() < bodies_.size()) actors_.push_back(std::make_unique<Actor>());
  for (std::size_t i = 0; i < bodies_.size(); ++i) actors_[i]->fiber.start(bodies_[i]);
  given_up_ = false;
  steps_ = 0;
  begin_stacks();
}

void Machine::go_on(std::size_t thread) {
  current_ = thread;
  inside_ = true;
  actors_[thread]->fiber.go_on();
  inside_ = false;
  if (actors_[thread]->fiber.over()) threads_[thread].state = State::Over;
}

Machine::End Machine::run() {
  running_ = this;
  // Runs each thread up to its first step.
  for (std::size_t i = 0; i < threads_.size() && !given_up_; ++i) go_on(i);
  std::vector<Step> steps(threads_.size());
  while (!given_up_) {
    const std::uint32_t able = this->able();
    if (able == 0) {
      if (let_time_pass()) continue;
      break;
    }
    for (std::size_t i = 0; i < threads_.size(); ++i) steps[i] = threads_[i].next;
    const std::size_t thread = guide_.choose_thread(able, steps);
    if (thread == threads_.size()) give_up();
    if (given_up_) break;
    go_on(thread);
  }
  running_ = nullptr;
  if (given_up_) return End::GivenUp;
  const bool finished = std::all_of(threads_.begin(), threads_.end(),
                                    [](const auto& t) { return t.state == State::Over; });
  return finished ? End::Finished : End::Quiet;
}

void Machine::give_up() {
  given_up_ = true;
  if (inside_) actors_[current_]->fiber.pause();
}

bool Machine::is_able(std::size_t thread) {
  ThreadState& t = threads_[thread];
  switch (t.state) {
  case State::Able: return true;
  case State::Awaiting: return sees_newer(thread);
  case State::Acting: return (*t.ready)();
  case State::Asleep:
  case State::Over: return false;
  }
  return false;
}

std::uint32_t Machine::able() {
  std::uint32_t all = 0;
  for (std::size_t i = 0; i < threads_.size(); ++i)
    if (is_able(i)) all |= 1U << i;
  return all;
}

// Called when no thread can go on. Ends a sleep that has a time limit, or a spin that has a count.
bool Machine::let_time_pass() {
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    ThreadState& t = threads_[i];
    if (t.state == State::Asleep && t.bounded) {
      t.timed_out = true;
      t.state = State::Able;
      return true;
    }
    if (t.state == State::Awaiting && spins == Spins::Both) {
      t.spins_on = true;
      t.state = State::Able;
      return true;
    }
  }
  return false;
}

bool Machine::concerns_others(const Step& step) {
  if (step.key == 0) return false;
  Usage& usage = usage_[step.key];
  const auto me = static_cast<std::uint8_t>(1U << current_);
  if ((usage.by & me) == 0 || (step.writes && (usage.written_by & me) == 0)) {
    usage_grew_ = true;
    usage.by |= me;
    if (step.writes) usage.written_by |= me;
  }
  const std::uint8_t others = step.writes ? usage.by : usage.written_by;
  return (others & ~me) != 0;
}

void Machine::pause_until_chosen() {
  actors_[current_]->fiber.pause();
}

void Machine::before(const Step& step, bool waits) {
  if (++steps_ > kLongestExecution) {
    fail("an execution without end");
    give_up();
  }
  if (!concerns_others(step) && !waits) return;
  ThreadState& me = threads_[current_];
  me.next = step;
  const void* const site = current_site;
  if (me.state != State::Awaiting && me.state != State::Acting) me.state = State::Able;
  const std::size_t thread = current_;
  pause_until_chosen();
  threads_[thread].state = State::Able;
  current_site = site;
}

// --- accesses ------------------------------------------------------------------------------------

const Machine::Region* Machine::region(const volatile void* address) const {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  for (const Region& region : regions_)
    if (at - region.begin < region.size) return &region;
  return nullptr;
}

Machine* Machine::of(const volatile void* address) {
  Machine* const machine = running();
  return machine != nullptr && machine->region(address) != nullptr ? machine : nullptr;
}

Word Machine::word(const volatile void* address, std::size_t size) const {
  const Region* const in = region(address);
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  return {at, in->key + (at - in->begin), size};
}

// The length of the loop of loads in which the thread spins: its last loads were the same as the
// loads before them. 0 if there is no loop.
std::size_t Machine::spin_before(const Word& word) const {
  const std::vector<Load>& loads = threads_[current_].loads;
  const std::size_t count = loads.size();
  for (std::size_t period = 1; period <= kLongestPeriod && 2 * period <= count; ++period) {
    const Load& before = loads[count - period];
    if (before.site != current_site || before.word.key != word.key) continue;
    std::size_t same = 0;
    while (same < period && loads[count - 1 - same].is(loads[count - 1 - same - period])) ++same;
    return same == period ? period : 0;
  }
  return 0;
}

// A thread spins if it only makes the same loads again and again. Then it either sees the same
// values until it does something else, or waits until one of the words has a newer value.
bool Machine::goes_on_spinning(const Word& word, std::uint64_t& value) {
  ThreadState& me = threads_[current_];
  const std::size_t period = spin_before(word);
  if (period == 0) {
    me.spins_on = false;
    me.repeats = 0;
    return false;
  }
  if (!me.spins_on) {
    me.repeats = 0;
    me.spins_on = spins == Spins::Both && guide_.choose(2) != 0;
    if (!me.spins_on) {
      me.state = State::Awaiting;
      me.period = period;
    }
  }
  if (!me.spins_on) return false;
  if (++me.repeats > kLongestSpin) give_up();
  value = me.loads[me.loads.size() - period].value;
  note_load(word, value);
  return true;
}

bool Machine::sees_newer(std::size_t thread) {
  const std::vector<Load>& loads = threads_[thread].loads;
  return std::any_of(loads.end() - static_cast<std::ptrdiff_t>(threads_[thread].period),
                     loads.end(),
                     [&](const Load& load) { return memory_.has_newer(thread, load.word); });
}

// Chooses one of the words that the thread spins on. The next load of this word must return a newer
// value.
void Machine::demand_newer() {
  ThreadState& me = threads_[current_];
  std::vector<std::uint64_t> newer;
  for (std::size_t i = me.loads.size() - me.period; i < me.loads.size(); ++i)
    if (memory_.has_newer(current_, me.loads[i].word)) newer.push_back(me.loads[i].word.key);
  me.loads.clear();
  me.demanded = newer[guide_.choose(newer.size())];
}

void Machine::note_load(const Word& word, std::uint64_t value) {
  std::vector<Load>& loads = threads_[current_].loads;
  if (loads.size() == 4 * kLongestPeriod)
    loads.erase(loads.begin(), loads.begin() + 2 * kLongestPeriod);
  loads.push_back({current_site, word, value});
}

std::uint64_t Machine::load(const volatile void* address, std::size_t size, Order order) {
  const Word at = word(address, size);
  std::uint64_t value = 0;
  if (goes_on_spinning(at, value)) return value;
  const bool awaits = threads_[current_].state == State::Awaiting;
  before({.key = at.key, .by_any_word = awaits && threads_[current_].period > 1}, awaits);
  ThreadState& me = threads_[current_];
  if (awaits && me.spins_on) { // the wait has ended without a newer value
    value = me.loads[me.loads.size() - me.period].value;
    note_load(at, value);
    return value;
  }
  if (awaits) demand_newer();
  if (me.demanded == at.key) {
    me.demanded = 0;
    memory_.demand_newer(current_);
  }
  value = memory_.load(current_, at, order);
  note_load(at, value);
  if (keeps_trace_)
    note(std::string("load ") + test::name_of(order) + " " + name_of(at.key) + " = " +
         std::to_string(value));
  return value;
}

void Machine::store(const volatile void* address, std::size_t size, std::uint64_t value,
                    Order order) {
  const Word at = word(address, size);
  before({.key = at.key, .writes = true});
  not_a_load();
  memory_.store(current_, at, value, order);
  if (keeps_trace_)
    note(std::string("store ") + test::name_of(order) + " " + name_of(at.key) + " = " +
         std::to_string(value));
}

std::uint64_t Machine::exchange(const volatile void* address, std::size_t size, Order order,
                                const std::function<std::uint64_t(std::uint64_t)>& change) {
  const Word at = word(address, size);
  before({.key = at.key, .writes = true});
  not_a_load();
  const std::uint64_t value = memory_.exchange(current_, at, order, change);
  if (keeps_trace_)
    note(std::string("update ") + test::name_of(order) + " " + name_of(at.key) + ": " +
         std::to_string(value) + " to " + std::to_string(change(value)));
  return value;
}

bool Machine::compare_exchange(const volatile void* address, std::size_t size,
                               std::uint64_t& expected, std::uint64_t desired, Order success,
                               Order failure) {
  const Word at = word(address, size);
  before({.key = at.key, .writes = true});
  not_a_load();
  const bool changed = memory_.compare_exchange(current_, at, expected, desired, success, failure);
  if (keeps_trace_)
    note(std::string("compare ") + test::name_of(success) + " " + name_of(at.key) +
         (changed ? ": now " + std::to_string(desired) : ": is " + std::to_string(expected)));
  return changed;
}

void Machine::fence(Order order) {
  before({.key = order == Order::SeqCst ? kFences : 0, .writes = true});
  not_a_load();
  memory_.fence(current_, order);
  if (keeps_trace_) note(std::string("fence ") + test::name_of(order));
}

void Machine::light_fence() {
  before({.key = kFences});
  not_a_load();
  memory_.light_fence(current_);
  if (keeps_trace_) note("light fence");
}

void Machine::heavy_fence() {
  before({.key = kFences, .writes = true});
  not_a_load();
  memory_.heavy_fence(current_);
  if (keeps_trace_) note("fence on every processor");
}

// Plain accesses are no steps, since a race is found in either order of the two accesses.
void Machine::plain_access(const volatile void* address, std::size_t size, bool write) {
  const Region* const in = region(address);
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const std::uint64_t key = in->key + (at - in->begin);
  const WeakMemory::Race race = memory_.plain_access(current_, key, size, write);
  if (race.what == nullptr) return;
  const std::string what = name_of(key) + " is " + race.what;
  if (keeps_trace_) note(what);
  if (in->may_race)
    note_race(race, what, write);
  else
    fail(what);
}

void Machine::begin_reading() {
  ThreadState& me = threads_[current_];
  me.reading_since = memory_.steps_of(current_);
  me.race.clear();
}

void Machine::rely_on_what_was_read() {
  ThreadState& me = threads_[current_];
  if (!me.race.empty()) fail(me.race + ", which relies on it");
  me.relied_on.emplace_back(me.reading_since, memory_.steps_of(current_));
}

// If a read races with a write, in either order, the reading thread must not rely on the value.
void Machine::note_race(const WeakMemory::Race& race, const std::string& what, bool write) {
  ThreadState& reader = threads_[write ? race.other : current_];
  const std::uint32_t step = write ? race.step : memory_.steps_of(current_);
  if (step > reader.reading_since && reader.race.empty()) reader.race = what;
  for (const auto& [from, to] : reader.relied_on)
    if (step > from && step <= to) fail(what + ", which relied on it");
}

void Machine::act(const void* object, const std::function<bool()>& ready,
                  const std::function<void()>& action) {
  if (running() != this) return action();
  ThreadState& me = threads_[current_];
  me.state = State::Acting;
  me.ready = &ready;
  const auto key = reinterpret_cast<std::uintptr_t>(object);
  const Region* const in = region(object);
  const std::uint64_t name = in != nullptr ? in->key + (key - in->begin) : key;
  // This is a step even if no other thread has used the object so far, since the thread may have to
  // wait.
  concerns_others({.key = name, .writes = true});
  me.next = {.key = name, .writes = true};
  const std::size_t thread = current_;
  pause_until_chosen();
  threads_[thread].state = State::Able;
  not_a_load();
  action();
}

void Machine::synchronize(const void* object) {
  if (running() == this) memory_.synchronize(current_, reinterpret_cast<std::uintptr_t>(object));
}

// --- the kernel ----------------------------------------------------------------------------------

long Machine::futex_wait(const volatile void* address, std::uint32_t expected, bool bounded) {
  const Word at = word(address, sizeof expected);
  before({.key = at.key, .writes = true});
  not_a_load();
  memory_.light_fence(current_); // a system call is a fence for the compiler
  memory_.kernel_call(current_, at.key);
  const auto value = static_cast<std::uint32_t>(memory_.load_now(current_, at));
  if (keeps_trace_)
    note("futex wait " + name_of(at.key) + " = " + std::to_string(value) +
         (value == expected ? ": asleep" : ": has changed"));
  if (value != expected) {
    errno = EAGAIN;
    return -1;
  }
  ThreadState& me = threads_[current_];
  me.state = State::Asleep;
  me.asleep_on = at.key;
  me.bounded = bounded;
  me.timed_out = false;
  me.next = {};
  const std::size_t thread = current_;
  pause_until_chosen();
  ThreadState& back = threads_[thread];
  back.asleep_on = 0;
  if (!back.timed_out) return 0;
  errno = ETIMEDOUT;
  return -1;
}

long Machine::futex_wake(const volatile void* address, int count) {
  const Word at = word(address, sizeof(std::uint32_t));
  before({.key = at.key, .writes = true});
  not_a_load();
  memory_.light_fence(current_);
  memory_.kernel_call(current_, at.key);
  int woken = 0;
  for (; woken < count; ++woken) {
    std::vector<std::size_t> sleepers;
    for (std::size_t i = 0; i < threads_.size(); ++i)
      if (threads_[i].state == State::Asleep && threads_[i].asleep_on == at.key)
        sleepers.push_back(i);
    if (sleepers.empty()) break;
    threads_[sleepers[guide_.choose(sleepers.size())]].state = State::Able;
  }
  if (keeps_trace_) note("futex wake " + name_of(at.key) + ": " + std::to_string(woken));
  return woken;
}

// --- traces --------------------------------------------------------------------------------------

void Machine::note(std::string what) {
  trace_.push_back({current_, std::move(what), current_site});
}

std::string Machine::name_of(std::uint64_t key) const {
  const Region* found = nullptr;
  for (const Region& region : regions_)
    if (key >= region.key && key - region.key < region.size && !region.may_race) found = &region;
  if (found == nullptr) return "?";
  return std::string(found->name) + "+" + std::to_string(key - found->key);
}

std::string Machine::trace() const {
  std::string text;
  for (const TraceLine& line : trace_) {
    std::array<char, 64> head{};
    std::snprintf(head.data(), head.size(), "  thread %zu  ", line.thread);
    text += head.data() + line.what;
    if (line.site != nullptr) {
      std::snprintf(head.data(), head.size(), "  @%p", line.site);
      text += head.data();
    }
    text += "\n";
  }
  return text;
}

} // namespace datum::test
