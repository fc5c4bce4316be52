// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/cpu.h: what a program tells the processor: that it spins, what it will write.
#pragma once

namespace datum {

inline void cpu_pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Takes the line away from whoever has it, ahead of the store that will need it. The compiler's own
// builtin asks for a shared copy unless it is told which processor it compiles for, and then the
// store waits for the other core all the same. Processors without the instruction skip it.
inline void prefetch_for_write(void* line) {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" : : "m"(*static_cast<char*>(line)));
#else
  __builtin_prefetch(line, 1);
#endif
}

} // namespace datum
