// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// memory/mutex.h: the lock of this folder.
// Lives here: a mutex that needs no libstdc++. Otherwise libdatum-malloc.so would load libstdc++
//             into each program.
#pragma once

#include <pthread.h>

namespace datum::memory {

class Mutex {
 public:
  void lock() { pthread_mutex_lock(&mutex_); }
  void unlock() { pthread_mutex_unlock(&mutex_); }

 private:
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
};

class Lock {
 public:
  explicit Lock(Mutex& mutex) : mutex_(mutex) { mutex_.lock(); }
  ~Lock() { mutex_.unlock(); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  Mutex& mutex_;
};

} // namespace datum::memory
