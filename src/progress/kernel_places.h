// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// progress/kernel_places.h: sleeping in the kernel: epoll for the doorbell, futexes beside it, an
// eventfd for each of the two threads that may sleep in poll or epoll, and a timer that ends a
// backoff early.
#pragma once

#include "base/unique_fd.h"
#include "progress/epoll_reactor.h"
#include "progress/places.h"

namespace datum {

class KernelPlaces final : public Places {
 public:
  // The first system call that failed, because no descriptor was left or a filter refused it.
  struct Failure {
    const char* call = nullptr; // nullptr: none failed
    int error = 0;
  };

  KernelPlaces();
  bool valid() const { return failure_.call == nullptr; }
  const Failure& failure() const { return failure_; }
  Reactor& reactor() { return reactor_; }

  Instant now() override;
  bool core_to_spare() const override;
  Wake sleep_at_doorbell(Instant until, ReadyBatch& ready) override;
  Wake sleep_beside(const Sleeper& sleeper, Instant until) override;
  bool sleep_in_background(bool with_doorbell, Instant until) override;
  void yield() override;
  void wake_owner() override;
  void wake_background() override;
  void wake_background_by(Instant by) override;
  void wake(Sleeper& sleeper) override;
  void take_back_owner_wake_up() override;
  void take_back_background_wake_up() override;
  bool handle(const ReadyBatch& ready) override { return reactor_.handle(ready); }
  bool handle_what_is_ready() override { return reactor_.handle_now(); }
  bool handle_polling() override { return reactor_.handle_polling(); }

 private:
  int noted(const char* call, int result); // returns `result`
  [[gnu::cold, gnu::noinline]] void wake_background_by_timer();

  EpollReactor reactor_;
  Failure failure_;
  UniqueFd owner_wake_up_; // inside the epoll set
  // Outside the epoll set, so that one wake-up never wakes both threads.
  UniqueFd background_wake_up_;
  UniqueFd prompt_wake_; // a timer for the background thread
};

} // namespace datum
