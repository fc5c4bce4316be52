// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/fence.h"

#include <cerrno>
#include <ctime>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cancellation.h"
#include "base/log.h"
#include "base/time.h"
#include "base/tsan.h"

namespace datum {
namespace {

bool membarrier(int command) {
  return ::syscall(SYS_membarrier, command, 0, 0) == 0;
}

// A filter of system calls (seccomp) may come into force after the kernel agreed to membarrier(2).
// Then waiting is the only means left: a processor makes its stores visible by itself within
// microseconds, or at once when it is interrupted. After a far longer wait the stores of both sides
// are visible, so at least one side sees the other's word.
void wait_for_stores() {
  const NotCancellable here;
  timespec left{.tv_sec = 0, .tv_nsec = kMillisecond};
  while (::nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

void warn_once() {
  static std::atomic<bool> told{false};
  if (!told.exchange(true))
    log(LogLevel::Warn, "membarrier was forbidden after an IA was opened: each wait for events, "
                        "and a call by another thread than before, may take 1 ms longer; allow it "
                        "in the seccomp filter");
}

// False: the kernel refuses membarrier(2) for good. Then, and after ENOMEM, this function has
// waited for the stores itself.
bool fence_everywhere(int command) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (membarrier(command)) return true;
  const bool for_now = errno == ENOMEM; // the kernel had no memory for its list of processors
  if (!for_now) warn_once();
  wait_for_stores();
  return for_now;
}

std::atomic<bool> forbidden{false};

} // namespace

bool heavy_fence_ready() {
#if defined(DATUM_TSAN)
  return false; // ThreadSanitizer cannot see what the kernel orders
#else
  static const bool ready = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
  return ready && !forbidden.load(std::memory_order_relaxed);
#endif
}

void heavy_fence() {
  if (!fence_everywhere(MEMBARRIER_CMD_PRIVATE_EXPEDITED))
    forbidden.store(true, std::memory_order_relaxed);
}

bool shared_heavy_fence_ready() {
  static const bool ready = membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED);
  return ready;
}

void shared_heavy_fence() {
  if (shared_heavy_fence_ready())
    static_cast<void>(fence_everywhere(MEMBARRIER_CMD_GLOBAL_EXPEDITED));
  else
    std::atomic_thread_fence(std::memory_order_seq_cst); // no peer relies on more
}

} // namespace datum
