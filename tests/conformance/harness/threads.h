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

// Returns when the thread of that number, 0 while it has none, waits inside a call, or is over.
void wait_until_asleep(const std::atomic<int>& thread_id, const std::atomic<bool>& over);

class BlockedCall {
 public:
  // Returns when the thread waits inside the call, or the call is over.
  explicit BlockedCall(std::function<DAT_RETURN()> call);
  ~BlockedCall();

  BlockedCall(const BlockedCall&) = delete;
  BlockedCall& operator=(const BlockedCall&) = delete;

  bool is_over() const { return over_; }
  DAT_RETURN join(); // what the call returned
  // SIGUSR1 to the thread, with a handler that does nothing, until the call is over: a wait that
  // was woken for another reason is not asleep for a moment, and a signal then interrupts nothing.
  void interrupt();

 private:
  void until_it_waits() const;

  std::atomic<int> thread_id_ = 0;
  std::atomic<bool> over_ = false;
  DAT_RETURN status_ = 0;
  std::thread thread_;
};

} // namespace datum::test
