// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/fork_gate.h"

#include <atomic>
#include <climits>
#include <cstdint>
#include <pthread.h>

#include "base/assertion.h"
#include "base/clock.h"
#include "base/futex.h"

namespace datum {
namespace {

constexpr Duration kPatience = kSecond;

// Each side announces what it does, then checks what the other side announced.
constinit std::atomic<std::uint32_t> inside{0};  // threads that have a pass
constinit std::atomic<std::uint32_t> forking{0}; // threads that fork
thread_local std::uint32_t passes = 0;           // of this thread

// False: the word is still above `most` at the deadline.
bool wait_while_above(const std::atomic<std::uint32_t>& word, std::uint32_t most, Instant give_up) {
  for (std::uint32_t now = word.load(); now > most; now = word.load()) {
    const Duration left = give_up - monotonic_now();
    if (left <= 0) return false;
    static_cast<void>(futex_wait(word, now, left));
  }
  return true;
}

void step_in() {
  inside.fetch_add(1);
}
void step_out() {
  inside.fetch_sub(1);
  if (forking.load() != 0) futex_wake(inside, INT_MAX);
}

// A thread that forks from inside a call does so on purpose: its own passes do not count.
std::uint32_t our_share() {
  return passes != 0 ? 1 : 0;
}

void before_fork() {
  forking.fetch_add(1);
  static_cast<void>(wait_while_above(inside, our_share(), monotonic_now() + kPatience));
}

void after_fork() {
  forking.fetch_sub(1);
  futex_wake(forking, INT_MAX);
}

void after_fork_in_child() {
  forking.store(0);
  inside.store(our_share());
}

// Runs when the library is loaded. A later moment may be too late: while the first thread enters,
// another thread may be forking already.
[[gnu::constructor]] void watch_forks() {
  // If pthread_atfork() finds no memory, forks do not wait at the gate.
  static_cast<void>(::pthread_atfork(&before_fork, &after_fork, &after_fork_in_child));
}

} // namespace

ForkGatePass::ForkGatePass() {
  if (passes++ != 0) return;
  step_in();
  if (forking.load() == 0) [[likely]]
    return;
  const Instant give_up = monotonic_now() + kPatience;
  for (bool in_time = true; in_time && forking.load() != 0; step_in()) {
    step_out();
    in_time = wait_while_above(forking, 0, give_up);
  }
}

ForkGatePass::~ForkGatePass() {
  DATUM_ASSERT(passes != 0);
  if (--passes == 0) step_out();
}

} // namespace datum
