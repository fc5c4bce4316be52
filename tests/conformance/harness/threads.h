// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// harness/threads.h: calls that block in another thread.
// Lives here: starting such a call and knowing, without guessing a time, that it waits inside.
// Not here:   what the call is for.
#pragma once

#include "dat.h"

#include <atomic>
#include <functional>
#include <thread>

namespace datum::test {

// Returns when the thread of that number waits inside a call, or when `over` is true. The number is
// 0 until the thread has stored it.
void wait_until_asleep(const std::atomic<int>& thread_id, const std::atomic<bool>& over);

class BlockedCall {
 public:
  // Returns when the thread waits inside the call, or when the call has returned.
  explicit BlockedCall(std::function<DAT_RETURN()> call);
  ~BlockedCall();

  BlockedCall(const BlockedCall&) = delete;
  BlockedCall& operator=(const BlockedCall&) = delete;

  bool is_over() const { return over_; }
  DAT_RETURN join(); // returns the status of the call
  // Sends SIGUSR1, with a handler that does nothing, to the thread until the call returns. One
  // signal may not be enough: a thread that was woken for another reason is not asleep for a
  // moment, and a signal interrupts nothing then.
  void interrupt();

 private:
  void until_it_waits() const;

  std::atomic<int> thread_id_ = 0;
  std::atomic<bool> over_ = false;
  DAT_RETURN status_ = 0;
  std::thread thread_;
};

} // namespace datum::test
