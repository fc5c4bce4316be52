// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/cpu.h: what a spinning loop tells the processor.
#pragma once

namespace datum {

inline void cpu_pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

} // namespace datum
