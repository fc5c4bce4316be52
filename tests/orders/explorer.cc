// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "explorer.h"

#include <bit>
#include <vector>

#include "base/random.h"

namespace datum::test {
namespace {

// Keeps a list of the places where there was a choice, each with the choice of this execution.
class DepthFirst final : public Machine::Guide {
 public:
  std::size_t choose(std::size_t count) override {
    if (count == 1) return 0;
    if (depth_ == trail_.size()) trail_.push_back({.count = count});
    return trail_[depth_++].index;
  }

  // Leaves out a thread whose next step was tried here already, until some thread takes a step that
  // depends on that step. The order of independent steps makes no difference.
  std::size_t choose_thread(std::uint32_t able, const std::vector<Step>& steps) override {
    const std::uint32_t awake = able & ~sleeping_;
    if (awake == 0) return steps.size();
    std::size_t chosen = 0;
    std::uint32_t tried = 0;
    if (std::has_single_bit(awake)) {
      chosen = static_cast<std::size_t>(std::countr_zero(awake));
    } else {
      if (depth_ == trail_.size()) push_threads(awake);
      const Node& node = trail_[depth_++];
      chosen = node.threads[node.index];
      for (std::size_t i = 0; i < node.index; ++i) tried |= 1U << node.threads[i];
    }
    sleeping_ |= tried;
    for (std::size_t i = 0; i < steps.size(); ++i)
      if (i == chosen || steps[i].depends_on(steps[chosen])) sleeping_ &= ~(1U << i);
    last_ = chosen;
    return chosen;
  }

  void begin() {
    depth_ = 0;
    sleeping_ = 0;
    last_ = 0;
  }
  // Goes on to the next combination of choices. Returns false if all were tried.
  bool advance() {
    trail_.resize(depth_);
    while (!trail_.empty() && trail_.back().index + 1 == trail_.back().count) trail_.pop_back();
    if (trail_.empty()) return false;
    ++trail_.back().index;
    return true;
  }
  void forget() { trail_.clear(); }

 private:
  struct Node {
    std::size_t count = 0;
    std::size_t index = 0;
    std::array<std::uint8_t, kMostThreads> threads{};
  };
  // Tries first that the thread that ran last goes on.
  void push_threads(std::uint32_t awake) {
    Node node{.count = static_cast<std::size_t>(std::popcount(awake))};
    std::size_t at = 0;
    const auto put = [&](std::size_t thread) {
      node.threads[at++] = static_cast<std::uint8_t>(thread);
      awake &= ~(1U << thread);
    };
    if ((awake >> last_ & 1U) != 0) put(last_);
    while (awake != 0) put(static_cast<std::size_t>(std::countr_zero(awake)));
    trail_.push_back(node);
  }

  std::vector<Node> trail_;
  std::size_t depth_ = 0;
  std::uint32_t sleeping_ = 0;
  std::size_t last_ = 0;
};

class ByChance final : public Machine::Guide {
 public:
  void begin(std::uint64_t seed) {
    random_ = SeededRandom(seed);
    last_ = 0;
  }
  // Mostly chooses 0, which is what a machine without reordering does, since a scene has many such
  // choices.
  std::size_t choose(std::size_t count) override {
    if (count == 1 || random_.next() % 8 < 5) return 0;
    return static_cast<std::size_t>(random_.next() % count);
  }
  std::size_t choose_thread(std::uint32_t able, const std::vector<Step>& steps) override {
    if ((able >> last_ & 1U) != 0 && random_.next() % 2 == 0) return last_;
    std::size_t left = random_.next() % static_cast<std::size_t>(std::popcount(able));
    for (std::size_t i = 0; i < steps.size(); ++i)
      if ((able >> i & 1U) != 0 && left-- == 0) return last_ = i;
    return steps.size();
  }

 private:
  SeededRandom random_{0};
  std::size_t last_ = 0;
};

// Plays one execution. Returns false if the execution is impossible or equals another.
bool play(Scene& scene, Machine& machine) {
  machine.clear();
  scene.begin(machine);
  machine.begin();
  const Machine::End end = machine.run();
  if (end == Machine::End::GivenUp && machine.failure().empty()) return false;
  if (!machine.memory().promises_kept()) return false;
  if (end != Machine::End::GivenUp) scene.end(machine, end == Machine::End::Finished);
  return true;
}

template <class Again>
void tell(Found& found, Machine& machine, Again&& again) {
  machine.keep_trace(true);
  again();
  found.failure = machine.failure() + "\n" + machine.trace();
}

} // namespace

Found search_all(Scene& scene, const Search& search) {
  Found found;
  DepthFirst guide;
  Machine machine(guide);
  if (search.promises) machine.memory().allow_promises();
  do {
    guide.begin();
    const bool good = play(scene, machine);
    ++(good ? found.executions : found.given_up);
    if (good && !machine.failure().empty()) {
      tell(found, machine, [&] {
        guide.begin();
        play(scene, machine);
      });
      return found;
    }
    const bool more_values = search.promises && good && machine.memory().keep_values();
    if (machine.usage_grew() || more_values) {
      // With the words and values known now, the search would have tried more steps and more
      // promises. So it begins again.
      machine.forget_growth();
      guide.forget();
      guide.begin();
      continue;
    }
    if (!guide.advance()) {
      found.all = true;
      return found;
    }
  } while (found.executions + found.given_up < search.most);
  return found;
}

Found search_seeds(Scene& scene, std::uint64_t first, std::uint64_t last, const Search& search) {
  Found found;
  ByChance guide;
  Machine machine(guide);
  if (search.promises) machine.memory().allow_promises();
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    guide.begin(seed);
    const bool good = play(scene, machine);
    ++(good ? found.executions : found.given_up);
    if (!good || machine.failure().empty()) {
      if (search.promises && good) machine.memory().keep_values();
      continue;
    }
    tell(found, machine, [&] {
      guide.begin(seed);
      play(scene, machine);
    });
    found.failure = "seed " + std::to_string(seed) + ": " + found.failure;
    return found;
  }
  return found;
}

} // namespace datum::test
