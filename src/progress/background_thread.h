// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// progress/background_thread.h: a thread of ours inside somebody else's program: it takes no
// signals, it has a name, and a fork does not confuse it.
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

  // `name`: cut to what the kernel keeps, 15 bytes. A failure's cause is left in errno.
  Status start(std::string_view name, std::function<void()> body);
  // In a forked child, where the thread does not exist: nothing.
  void join();
  // It was started by this process.
  bool ours() const;

 private:
  pthread_t thread_{};
  pid_t process_ = 0; // that started it and has not joined it; 0: none
};

} // namespace datum
