// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The identity of the current thread, as the product sees it. The threads of a scene are fibers of
// one real thread, so the product has to ask the machine.
#include "machine.h"
#include "scenes.h"

namespace datum {

namespace {
std::size_t before_the_scene = 0;
}

const void* thread_of_scene();
const void* thread_of_scene() {
  static const char names[test::kMostThreads]{};
  const test::Machine* const machine = test::Machine::running();
  return &names[machine != nullptr ? machine->current() : before_the_scene];
}

namespace test {
void be_thread(std::size_t number) {
  before_the_scene = number;
}
} // namespace test

} // namespace datum
