// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Replaces syscall(2) for the product. In a scene, the calls that order threads or make them sleep
// go to the machine.
#include <dlfcn.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdarg>
#include <cstdint>

#include "instrument.h"
#include "machine.h"

namespace datum::test {
namespace {

using RealCall = long (*)(long, ...);

long membarrier(Machine& machine, long command) {
  const bool fences =
      command == MEMBARRIER_CMD_PRIVATE_EXPEDITED || command == MEMBARRIER_CMD_GLOBAL_EXPEDITED;
  if (fences && heavy_fence_called()) machine.heavy_fence();
  return 0;
}

} // namespace
} // namespace datum::test

extern "C" [[gnu::visibility("default")]] long syscall(long number, ...) noexcept {
  using datum::test::Machine;
  va_list list;
  va_start(list, number);
  long a[6];
  for (long& argument : a) argument = va_arg(list, long);
  va_end(list);
  if (Machine* machine = Machine::running(); machine != nullptr && number == SYS_membarrier)
    return datum::test::membarrier(*machine, a[0]);
  auto* const word = reinterpret_cast<void*>(a[0]);
  if (number == SYS_futex) {
    if (Machine* machine = Machine::of(word)) {
      if (a[1] == FUTEX_WAIT_PRIVATE)
        return machine->futex_wait(word, static_cast<std::uint32_t>(a[2]), a[3] != 0);
      return machine->futex_wake(word, static_cast<int>(a[2]));
    }
  }
  static const auto real = reinterpret_cast<datum::test::RealCall>(dlsym(RTLD_NEXT, "syscall"));
  return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
