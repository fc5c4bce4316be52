// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/unit/shm/remote_adapter.h: an adapter in a process of its own, and a link to it.
#pragma once

#include <csignal>

#include "tests/unit/shm/child.h"
#include "tests/unit/shm/test_world.h"

namespace datum::test {

// What the other process does. It calls `prepare` before it publishes its qualifier. Then it runs
// its world, and calls `command` with each number that the test sends.
struct RemoteScript {
  std::function<void(Adapter&)> prepare = [](Adapter&) {};
  std::function<void(Adapter&, std::uint64_t, Numbers&)> command = [](Adapter&, std::uint64_t,
                                                                      Numbers&) {};
  ShmOptions options;
};

class RemoteAdapter {
 public:
  explicit RemoteAdapter(const RemoteScript& script)
      : child_([&script](Numbers& numbers) { run(script, numbers); }),
        qualifier_(child_.numbers().get()) {}

  // Makes the other process carry out `number`, and returns its answer.
  std::uint64_t ask(std::uint64_t number) {
    Numbers numbers = child_.numbers();
    numbers.put(number);
    return numbers.get();
  }
  ConnQual qualifier() const { return qualifier_; }
  Child& child() { return child_; }

 private:
  static void run(const RemoteScript& script, Numbers& numbers) {
    World world;
    Adapter adapter(world, "127.0.0.1", script.options);
    script.prepare(adapter);
    const auto name = adapter.fabric->publish_any();
    numbers.put(name ? (*name)->qualifier() : 0);
    for (;;) {
      world.turn(5);
      pollfd command{numbers.read_fd(), POLLIN, 0};
      if (::poll(&command, 1, 0) <= 0) continue;
      const std::uint64_t number = numbers.get();
      if (number == 0) return;
      script.command(adapter, number, numbers);
    }
  }

  Child child_;
  ConnQual qualifier_;
};

} // namespace datum::test
