// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/unit/link/store_buffers.h: a few processors on a stage: each keeps what it stores for a
// while, in order, before the others see it.
// Lives here: the buffers and the choice, by the stage's seed, when something leaves them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "../progress/stage.h"

namespace datum::test {

class Processors {
 public:
  explicit Processors(Stage& stage);
  ~Processors();
  Processors(const Processors&) = delete;
  Processors& operator=(const Processors&) = delete;

  // An actor of the stage on a processor of its own.
  void add(std::function<void()> body);

  // --- called by whoever runs ----------------------------------------------------------------
  void store(void* word, std::uint64_t value, std::size_t size);
  std::uint64_t load(const void* word, std::size_t size);
  // A full fence: what this processor stored is seen by all from now on.
  void fence();
  // One on every processor.
  void fence_everywhere();
  // Somebody else may go on.
  void step();

 private:
  struct Pending {
    void* word;
    std::uint64_t value;
    std::size_t size;
  };
  void leave_one(std::deque<Pending>& buffer);
  void empty(std::deque<Pending>& buffer);

  Stage& stage_;
  std::vector<std::deque<Pending>> buffers_;
  std::size_t running_ = 0;
};

} // namespace datum::test
