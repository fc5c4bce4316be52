// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/unit/progress/stage.h: a scheduler that plays threads. One actor runs at a time, a seed
// decides at every step which actor runs next, and time is virtual.
// Not here:   what the actors do (stage_world.h).
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <ucontext.h>
#include <vector>

#include "base/random.h"
#include "base/time.h"

namespace datum::test {

class Stage {
 public:
  explicit Stage(std::uint64_t seed) : random_(seed) {}
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  enum class End { Finished, Quiet, Endless };
  // Adds an actor that runs `body` on a stack of its own. Its frames need not be unwound.
  void add(std::function<void()> body);
  // Runs until every actor has returned (Finished), until no actor can go on and none waits for a
  // point in time (Quiet), or until far more steps were taken than any play needs (Endless).
  End run();

  Instant now() const { return now_; }
  std::uint64_t random(std::uint64_t below) { return random_.next() % below; }

  // --- called by actors ---------------------------------------------------------------------
  // Another actor may go on first. A little time passes.
  void yield();
  // Waits until `ready` holds, and returns true, or until the time `until`, and returns false.
  bool block(std::function<bool()> ready, Instant until);

 private:
  struct Actor {
    std::function<void()> body;
    std::unique_ptr<std::byte[]> stack;
    ucontext_t context{};
    void* sanitizer_fiber = nullptr;
    bool finished = false;
    bool blocked = false;
    std::function<bool()> ready;
    Instant until = kNever;
  };
  static void enter(unsigned high, unsigned low);
  bool can_go_on(const Actor& actor) const;
  Instant next_deadline() const;
  void switch_to(Actor& actor);
  void back_to_scheduler();

  SeededRandom random_;
  Instant now_ = kSecond;
  std::vector<std::unique_ptr<Actor>> actors_;
  Actor* running_ = nullptr;
  ucontext_t scheduler_{};
  void* scheduler_fiber_ = nullptr;
};

} // namespace datum::test
