// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// progress/reactor.h: the descriptors of one adapter, and the handler of each.
// Lives here: the interface that transports with descriptors use. Implementation: epoll_reactor.
// Threads:    the adapter's lock, except that one thread may sleep in the reactor without the lock.
#pragma once

#include <cstdint>
#include <optional>

#include "base/status.h"

namespace datum {

class FdHandler {
 public:
  // `events`: EPOLLIN, EPOLLOUT, EPOLLHUP, ... The adapter's lock is held. The handler may remove
  // itself or others; a removed handler is not called again.
  virtual void on_ready(std::uint32_t events) = 0;
  // Like on_ready(), but called although no event was reported. The value says whether the handler
  // found something to do. Empty: this handler cannot be called without a report.
  virtual std::optional<bool> look_unasked() { return std::nullopt; }

 protected:
  ~FdHandler() = default;
};

class Reactor {
 public:
  virtual ~Reactor() = default;
  virtual Status add(int fd, std::uint32_t events, FdHandler& handler) = 0;
  // Returns 0, or the errno with which a sandbox refuses the change. Then the old events are still
  // reported, until the descriptor is closed: remove() will be refused, too.
  [[nodiscard]] virtual int change(int fd, std::uint32_t events, FdHandler& handler) = 0;
  virtual void remove(int fd, FdHandler& handler) = 0;
  // Calls the handlers of all descriptors that are ready now. A handler must not call this.
  virtual void handle_all() = 0;
};

} // namespace datum
