// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/orders/litmus.h: litmus tests, which are played in every way that the model of memory
// allows.
// Lives here: the words and registers of such a test, its outcomes, names for orders and fences.
// Not here:   the model and the search (weak_memory.h, explorer.h).
#pragma once

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <initializer_list>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "explorer.h"

namespace datum::test {

inline constexpr auto rlx = std::memory_order_relaxed;
inline constexpr auto acq = std::memory_order_acquire;
inline constexpr auto rel = std::memory_order_release;
inline constexpr auto sc = std::memory_order_seq_cst;

// The words that the threads share, and the registers of each thread.
struct Words {
  std::atomic<std::uint32_t> x{0}, y{0}, z{0};
  std::uint32_t data = 0;
};
struct Registers {
  std::uint32_t a = 0, b = 0, c = 0, d = 0;
};
using Outcome = std::array<std::uint32_t, 4>;
using Body = void (*)(Words&, Registers&);

inline void fence(std::memory_order order) {
  std::atomic_thread_fence(order);
}
inline void light() {
  std::atomic_signal_fence(sc);
}
inline void heavy() {
  ::syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

class Litmus final : public Scene {
 public:
  Litmus(std::initializer_list<Body> bodies, bool finals) : bodies_(bodies), finals_(finals) {}
  void begin(Machine& machine) override {
    new (&words_) Words;
    registers_ = {};
    machine.share(&words_, sizeof words_, "words");
    for (const Body body : bodies_) machine.add([this, body] { body(words_, registers_); });
  }
  void end(Machine&, bool finished) override {
    if (!finished) ++asleep;
    const Registers& r = registers_;
    if (finals_)
      outcomes.insert({words_.x.load(), words_.y.load(), r.a, r.b});
    else
      outcomes.insert({r.a, r.b, r.c, r.d});
  }
  std::set<Outcome> outcomes;
  int asleep = 0;

 private:
  const std::vector<Body> bodies_;
  const bool finals_;
  Words words_;
  Registers registers_;
};

struct Result {
  std::set<Outcome> outcomes;
  std::string failure;
  int asleep = 0;
};

inline Result play(std::initializer_list<Body> bodies, bool finals = false, bool promises = true) {
  Litmus litmus(bodies, finals);
  const Found found = search_all(litmus, {.promises = promises});
  EXPECT_TRUE(found.all || !found.failure.empty());
  return {litmus.outcomes, found.failure, litmus.asleep};
}

// Whether some execution ends with this outcome. The outcome consists of the registers, or with
// `finals` of the words x, y, a, b at the end.
inline bool may(std::initializer_list<Body> bodies, Outcome outcome, bool finals = false) {
  const Result result = play(bodies, finals);
  EXPECT_EQ(result.failure, "");
  return result.outcomes.contains(outcome);
}

} // namespace datum::test
