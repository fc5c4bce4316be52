// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// progress/epoll_reactor.h: a Reactor on epoll(7).
// Threads:    the adapter's lock, except wait().
#pragma once

#include <cstdint>
#include <vector>

#include "base/shortage.h"
#include "base/unique_fd.h"
#include "progress/places.h"
#include "progress/reactor.h"

namespace datum {

class EpollReactor final : public Reactor {
 public:
  EpollReactor();
  bool valid() const { return static_cast<bool>(epoll_); }
  // The epoll descriptor, which is readable while a watched descriptor is ready.
  int fd() const { return epoll_.get(); }

  Status add(int fd, std::uint32_t events, FdHandler& handler) override;
  [[nodiscard]] int change(int fd, std::uint32_t events, FdHandler& handler) override;
  void remove(int fd, FdHandler& handler) override;

  // Adds a descriptor that only ends wait() and has no handler.
  bool add_silent(int fd);

  // Sleeps until `until` at the latest. Never returns TimedOut before it.
  Wake wait(Instant now, Instant until, ReadyBatch& ready);
  // Calls the handlers that are still registered for the ready descriptors. True: at least one was
  // called.
  bool handle(const ReadyBatch& ready);
  // Gets one batch of ready descriptors from the kernel, and handles it.
  bool handle_now();
  // handle_now() for a thread that polls all the time. In seven of eight calls it checks only the
  // descriptor that was ready last.
  bool handle_polling();
  void handle_all() override;

 private:
  // The key of descriptors without a handler, which only end wait().
  static constexpr std::uint64_t kSilent = ~std::uint64_t{0};
  FdHandler* handler_of(std::uint64_t key) const;
  std::optional<bool> ask_recent();
  ReadyBatch ready_now();
  // The kernel may reuse a descriptor's number while an event of its predecessor waits to be
  // handled.
  struct HandlerSlot {
    FdHandler* handler = nullptr;
    std::uint32_t generation = 0;
  };
  std::uint64_t key(int fd) const;
  Status not_watched(int fd, Shortage shortage, Detail detail);

  UniqueFd epoll_;
  std::vector<HandlerSlot> slots_; // by descriptor
  std::uint32_t handlers_ = 0;
  std::uint64_t recent_ = kSilent; // the key of the only descriptor of the last batch, or kSilent
  std::uint32_t recent_looks_ = 0; // checks of recent_ alone before the next check of all
  ShortageLog shortage_;           // for descriptors that cannot be watched
};

} // namespace datum
