// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "stage.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/tsan.h"

#ifdef DATUM_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace datum::test {
namespace {

constexpr std::size_t kStackBytes = 256 * 1024;
constexpr int kManySteps = 2'000'000;
constexpr std::uint64_t kLongestStep = 300; // ns

void* new_fiber() {
#ifdef DATUM_TSAN
  return __tsan_create_fiber(0);
#else
  return nullptr;
#endif
}
void* this_fiber() {
#ifdef DATUM_TSAN
  return __tsan_get_current_fiber();
#else
  return nullptr;
#endif
}
void destroy_fiber([[maybe_unused]] void* fiber) {
#ifdef DATUM_TSAN
  if (fiber != nullptr) __tsan_destroy_fiber(fiber);
#endif
}
// Must be inlined. ThreadSanitizer keeps a call stack for each fiber, and a call of this function
// would return in another fiber than it began in.
[[gnu::always_inline]] inline void announce_switch([[maybe_unused]] void* fiber) {
#ifdef DATUM_TSAN
  __tsan_switch_to_fiber(fiber, 0);
#endif
}

} // namespace

Stage::~Stage() {
  for (const auto& actor : actors_) destroy_fiber(actor->sanitizer_fiber);
}

void Stage::enter(unsigned high, unsigned low) {
  auto* stage = reinterpret_cast<Stage*>(std::uintptr_t{high} << 32U | low);
  stage->running_->body();
  stage->running_->finished = true;
  stage->back_to_scheduler();
}

void Stage::add(std::function<void()> body) {
  auto actor = std::make_unique<Actor>();
  actor->body = std::move(body);
  actor->stack.reset(new std::byte[kStackBytes]);
  getcontext(&actor->context);
  actor->context.uc_stack.ss_sp = actor->stack.get();
  actor->context.uc_stack.ss_size = kStackBytes;
  actor->context.uc_link = nullptr;
  const auto self = reinterpret_cast<std::uintptr_t>(this);
  makecontext(&actor->context, reinterpret_cast<void (*)()>(&Stage::enter), 2,
              static_cast<unsigned>(self >> 32U), static_cast<unsigned>(self));
  actor->sanitizer_fiber = new_fiber();
  actors_.push_back(std::move(actor));
}

void Stage::switch_to(Actor& actor) {
  running_ = &actor;
  announce_switch(actor.sanitizer_fiber);
  swapcontext(&scheduler_, &actor.context);
}

void Stage::back_to_scheduler() {
  Actor& me = *running_;
  announce_switch(scheduler_fiber_);
  swapcontext(&me.context, &scheduler_);
}

bool Stage::can_go_on(const Actor& actor) const {
  if (actor.finished) return false;
  return !actor.blocked || actor.until <= now_ || actor.ready();
}

Instant Stage::next_deadline() const {
  Instant next = kNever;
  for (const auto& actor : actors_)
    if (!actor->finished && actor->blocked) next = std::min(next, actor->until);
  return next;
}

Stage::End Stage::run() {
  scheduler_fiber_ = this_fiber();
  std::vector<Actor*> candidates;
  for (int step = 0; step < kManySteps; ++step) {
    now_ += static_cast<Duration>(random(kLongestStep));
    candidates.clear();
    for (const auto& actor : actors_)
      if (can_go_on(*actor)) candidates.push_back(actor.get());
    if (!candidates.empty()) {
      switch_to(*candidates[random(candidates.size())]);
      continue;
    }
    if (std::all_of(actors_.begin(), actors_.end(), [](const auto& a) { return a->finished; }))
      return End::Finished;
    const Instant next = next_deadline();
    if (next == kNever) return End::Quiet;
    now_ = std::max(now_, next);
  }
  return End::Endless;
}

void Stage::yield() {
  running_->blocked = false;
  back_to_scheduler();
}

bool Stage::block(std::function<bool()> ready, Instant until) {
  Actor& me = *running_;
  me.blocked = true;
  me.ready = std::move(ready);
  me.until = until;
  back_to_scheduler();
  me.blocked = false;
  return me.ready();
}

} // namespace datum::test
