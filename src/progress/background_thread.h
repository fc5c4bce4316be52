// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// progress/background_thread.h: a thread of Datum inside the consumer's program. It takes no
// signals and has a name. A child made by fork() does not have it.
#pragma once

#include <functional>
#include <pthread.h>
#include <string_view>
#include <sys/types.h>

#include "base/status.h"

namespace datum {

class BackgroundThread {
 public:
  BackgroundThread() = default;
  BackgroundThread(const BackgroundThread&) = delete;
  BackgroundThread& operator=(const BackgroundThread&) = delete;
  ~BackgroundThread() { join(); }

  // `name` is cut to the kernel's 15 bytes. A failure leaves its cause in errno.
  Status start(std::string_view name, std::function<void()> body);
  // Does nothing in a forked child, which does not have the thread.
  void join();
  // True: this process started the thread.
  bool started_here() const;

 private:
  pthread_t thread_{};
  pid_t process_ = 0; // the process that has started the thread and not joined it; 0: none
};

} // namespace datum
