// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/fence.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/tsan.h"

namespace datum {
namespace {

bool membarrier(int command) {
  return ::syscall(SYS_membarrier, command, 0, 0) == 0;
}

// The kernel's word stays: it promises that what was registered once goes on working.
void fence_everywhere(int command) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  static_cast<void>(membarrier(command));
}

} // namespace

bool heavy_fence_ready() {
#if defined(DATUM_TSAN)
  return false; // it cannot see what the kernel orders
#else
  static const bool ready = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
  return ready;
#endif
}

void heavy_fence() {
  fence_everywhere(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}

bool shared_heavy_fence_ready() {
  static const bool ready = membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED);
  return ready;
}

void shared_heavy_fence() {
  fence_everywhere(MEMBARRIER_CMD_GLOBAL_EXPEDITED);
}

} // namespace datum
