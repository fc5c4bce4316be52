// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "progress/epoll_reactor.h"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <new>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/syscall.h>

#include "base/assertion.h"
#include "base/cancellation.h"
#include "base/clock.h"
#include "base/refused_calls.h"
#include "core/port/waiting.h"

namespace datum {
namespace {

// epoll_wait(2) with a limit in nanoseconds. Before Linux 5.11 this takes two system calls.
int wait_exactly(int epoll, ReadyBatch& ready, Instant now, Instant until) {
  timespec span = timespec_of(until == kNever ? 0 : until - now);
  timespec* limit = until == kNever ? nullptr : &span;
#ifdef SYS_epoll_pwait2
  const long rc =
      sleeping_call(SYS_epoll_pwait2, epoll, reinterpret_cast<long>(ready.events.data()),
                    ReadyBatch::kSize, reinterpret_cast<long>(limit), 0, 0);
  if (rc >= 0 || (errno != ENOSYS && errno != EPERM)) return static_cast<int>(rc);
#endif
  pollfd watched{.fd = epoll, .events = POLLIN, .revents = 0};
  const int found = static_cast<int>(sleeping_call(SYS_ppoll, reinterpret_cast<long>(&watched), 1,
                                                   reinterpret_cast<long>(limit), 0, 0, 0));
  if (found <= 0) return found;
  // This call does not sleep, so a signal cannot interrupt it. If it fails, the next wait finds the
  // ready descriptors.
  return std::max(0, ::epoll_wait(epoll, ready.events.data(), ReadyBatch::kSize, 0));
}

} // namespace

EpollReactor::EpollReactor() : epoll_(::epoll_create1(EPOLL_CLOEXEC)) {}

std::uint64_t EpollReactor::key(int fd) const {
  DATUM_ASSERT(fd >= 0 && static_cast<std::size_t>(fd) < slots_.size());
  const std::uint64_t generation = slots_[static_cast<std::size_t>(fd)].generation;
  return generation << 32U | static_cast<std::uint32_t>(fd);
}

Status EpollReactor::add(int fd, std::uint32_t events, FdHandler& handler) {
  try {
    if (slots_.size() <= static_cast<std::size_t>(fd))
      slots_.resize(static_cast<std::size_t>(fd) + 1);
  } catch (const std::bad_alloc&) {
    return not_watched(fd, kNoMemory, Detail::ResourceMemory);
  }
  HandlerSlot& slot = slots_[static_cast<std::size_t>(fd)];
  DATUM_ASSERT(slot.handler == nullptr);
  epoll_event event{};
  event.events = events;
  event.data.u64 = key(fd);
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0)
    return not_watched(fd, shortage_of_watch(errno), Detail::ResourceDevice);
  slot.handler = &handler;
  ++handlers_;
  return kOk;
}

Status EpollReactor::not_watched(int fd, Shortage shortage, Detail detail) {
  shortage_.tell(shortage, monotonic_now(), "epoll: descriptor {} cannot be watched", fd);
  return {Type::InsufficientResources, detail};
}

int EpollReactor::change(int fd, std::uint32_t events, FdHandler& handler) {
  DATUM_ASSERT(slots_[static_cast<std::size_t>(fd)].handler == &handler);
  epoll_event event{};
  event.events = events;
  event.data.u64 = key(fd);
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event) == 0) [[likely]]
    return 0;
  const int error = errno;
  DATUM_ASSERT(is_refusal_of_call(error)); // a sandbox may have come up since add()
  return error;
}

void EpollReactor::remove(int fd, FdHandler& handler) {
  HandlerSlot& slot = slots_[static_cast<std::size_t>(fd)];
  DATUM_ASSERT(slot.handler == &handler);
  slot.handler = nullptr;
  ++slot.generation;
  --handlers_;
  const int rc = ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
  // A sandbox may have come up since add(). Then the kernel watches the open file until its last
  // descriptor is closed, in whatever process that is, and handler_of() ignores its events by the
  // generation. So a watched descriptor is a GuardedFd, which no child keeps.
  DATUM_ASSERT(rc == 0 || is_refusal_of_call(errno));
}

bool EpollReactor::add_silent(int fd) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = kSilent;
  return ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0;
}

Wake EpollReactor::wait(Instant now, Instant until, ReadyBatch& ready) {
  const int found = wait_exactly(epoll_.get(), ready, now, until);
  ready.count = found < 0 ? 0 : found;
  if (found < 0) return Wake::Interrupted; // EINTR: no other error is possible
  return found == 0 ? Wake::TimedOut : Wake::Event;
}

bool EpollReactor::handle(const ReadyBatch& ready) {
  if (ready.count == 0) return false;
  const NotCancellable here;
  bool any = false;
  for (int i = 0; i < ready.count; ++i) {
    const epoll_event& event = ready.events[static_cast<std::size_t>(i)];
    // Each handler is looked up just before its call, since an earlier handler may have removed it
    // or may have grown the table.
    FdHandler* const handler = handler_of(event.data.u64);
    if (handler == nullptr) continue;
    any = true;
    try {
      handler->on_ready(event.events);
    } catch (const std::bad_alloc&) {
      // The event of the descriptor is still pending, and the next call finds it.
      shortage_.tell(kNoMemory, monotonic_now(), "epoll: what a descriptor has to say waits");
    }
  }
  return any;
}

bool EpollReactor::handle_now() {
  if (handlers_ == 0) return false;
  const ReadyBatch ready = ready_now();
  if (ready.count != 0) recent_ = ready.count == 1 ? ready.events[0].data.u64 : kSilent;
  return handle(ready);
}

bool EpollReactor::handle_polling() {
  if (recent_looks_ != 0) {
    --recent_looks_;
    if (const std::optional<bool> found = ask_recent()) return *found;
  }
  recent_looks_ = waiting::kRecentLooks;
  return handle_now();
}

std::optional<bool> EpollReactor::ask_recent() {
  FdHandler* const handler = handler_of(recent_);
  if (handler == nullptr) return std::nullopt;
  const NotCancellable here;
  try {
    return handler->look_unasked();
  } catch (const std::bad_alloc&) {
    return true; // as in handle()
  }
}

// The handler that was registered with this key. nullptr: the handler has been removed, or the
// descriptor has none and only wakes.
FdHandler* EpollReactor::handler_of(std::uint64_t key) const {
  if (key == kSilent) return nullptr;
  const HandlerSlot slot = slots_[static_cast<std::uint32_t>(key)];
  return slot.generation == key >> 32U ? slot.handler : nullptr;
}

// A descriptor that stays ready goes to the back of the kernel's queue. So `left` batches contain
// every ready descriptor.
void EpollReactor::handle_all() {
  for (std::uint32_t left = handlers_ / ReadyBatch::kSize + 1; left != 0; --left) {
    const ReadyBatch ready = ready_now();
    handle(ready);
    if (ready.count < ReadyBatch::kSize) return;
  }
}

ReadyBatch EpollReactor::ready_now() {
  const NotCancellable here;
  ReadyBatch ready;
  ready.count = ::epoll_wait(epoll_.get(), ready.events.data(), ReadyBatch::kSize, 0);
  return ready;
}

} // namespace datum
