// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// progress/background_thread.h: a thread of ours inside the consumer's program. It takes no
// signals, has a name, and survives a fork of the program.
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
  // In a forked child the thread does not exist; then it does nothing.
  void join();
  // This process started the thread.
  bool ours() const;

 private:
  pthread_t thread_{};
  pid_t process_ = 0; // the process that started it and has not joined it; 0: none
};

} // namespace datum
