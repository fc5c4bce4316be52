// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// progress/kernel_places.h: sleeping in the kernel: epoll for the bell, futexes beside it, an
// eventfd for each of the two threads that may have to leave a poll, and a timer for naps that have
// to end sooner.
#pragma once

#include "base/unique_fd.h"
#include "progress/epoll_reactor.h"
#include "progress/places.h"

namespace datum {

class KernelPlaces final : public Places {
 public:
  // The first system call that failed: there are no descriptors left, or a filter refuses it.
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
  Wake sleep_at_bell(Instant until, ReadyBatch& ready) override;
  Wake sleep_beside(const Sleeper& sleeper, Instant until) override;
  bool sleep_in_background(bool with_bell, Instant until) override;
  void step_aside() override;
  void poke_owner() override;
  void poke_background() override;
  void hurry_background(Instant by) override;
  void wake(Sleeper& sleeper) override;
  void take_back_owner_poke() override;
  void take_back_background_poke() override;
  bool handle(const ReadyBatch& ready) override { return reactor_.handle(ready); }
  bool handle_what_is_ready() override { return reactor_.handle_now(); }
  bool handle_polling() override { return reactor_.handle_polling(); }

 private:
  int noted(const char* call, int result); // the result

  EpollReactor reactor_;
  Failure failure_;
  UniqueFd owner_poke_;      // inside the epoll set
  UniqueFd background_poke_; // beside it, so that one poke never wakes both
  UniqueFd hurry_;           // a timer for the background thread
};

} // namespace datum
