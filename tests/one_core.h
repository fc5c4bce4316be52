// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/one_core.h: pins the calling thread, and threads that it starts meanwhile, to one
// processor.
#pragma once

#include <sched.h>
#include <stdexcept>

namespace datum::test {

// 0: the kernel does not tell.
inline int cores_allowed() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  return ::sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 0;
}

class OneCore {
 public:
  OneCore() {
    if (cores_allowed() == 0 || ::sched_getaffinity(0, sizeof before_, &before_) != 0)
      throw std::runtime_error("the kernel does not say which processors this thread may use");
    while (!CPU_ISSET(core_, &before_)) ++core_;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core_, &one);
    if (::sched_setaffinity(0, sizeof one, &one) != 0)
      throw std::runtime_error("this thread cannot be pinned");
  }
  ~OneCore() { ::sched_setaffinity(0, sizeof before_, &before_); }
  OneCore(const OneCore&) = delete;
  OneCore& operator=(const OneCore&) = delete;

  int core() const { return static_cast<int>(core_); }

 private:
  cpu_set_t before_;
  std::size_t core_ = 0;
};

} // namespace datum::test
