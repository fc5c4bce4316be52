// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/cpu.h: hints to the processor: that a thread spins, and which line it will write.
#pragma once

namespace datum {

inline void cpu_pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Takes the cache line from the processor that has it, before the store that needs it. Unless it
// knows the target processor, the compiler's builtin asks only for a shared copy, and the store
// would still wait for the other core. Processors without the instruction skip it.
inline void prefetch_for_write(void* line) {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" : : "m"(*static_cast<char*>(line)));
#else
  __builtin_prefetch(line, 1);
#endif
}

} // namespace datum
