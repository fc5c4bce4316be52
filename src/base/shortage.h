// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/shortage.h: what a call ran out of, and the line that names the limit behind it.
// Lives here: which limit an errno stands for, and how often it is reported.
// Not here:   what the caller does about it.
// Threads:    one at a time for each ShortageLog.
#pragma once

#include <array>
#include <cerrno>
#include <concepts>
#include <cstdint>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/log.h"
#include "base/time.h"

namespace datum {

enum class Lack : std::uint8_t {
  Descriptors,     // of this process
  HostDescriptors, // of all processes together
  KernelMemory,    // for sockets, most of the time
  Watches,         // of epoll
  LocalPorts,      // to connect from, towards one peer
  Memory,          // of this process
  Other,           // no limit is known: the log line gives the text of the errno alone
};
inline constexpr std::size_t kLacks = static_cast<std::size_t>(Lack::Other) + 1;

struct Shortage {
  Lack lack = Lack::Other;
  int error = 0; // errno
};

// The shortage behind the errno of a system call.
constexpr Shortage shortage_of(int error) {
  switch (error) {
  case EMFILE: return {Lack::Descriptors, error};
  case ENFILE: return {Lack::HostDescriptors, error};
  case ENOBUFS:
  case ENOMEM: return {Lack::KernelMemory, error};
  default: return {Lack::Other, error};
  }
}
// The shortage behind the errno of epoll_ctl(2).
constexpr Shortage shortage_of_watch(int error) {
  return error == ENOSPC ? Shortage{Lack::Watches, error} : shortage_of(error);
}
// For connect(2), where EADDRNOTAVAIL has several meanings. The caller knows that no port was left.
inline constexpr Shortage kNoLocalPort{Lack::LocalPorts, EADDRNOTAVAIL};
// For std::bad_alloc.
inline constexpr Shortage kNoMemory{Lack::Memory, ENOMEM};

// Logs that `what` cannot be had or done, why, and the limit.
void log_shortage(std::string_view what, Shortage shortage);

// The shortages of one object in one activity. A shortage may last while the object tries again and
// again. So each kind of shortage gets at most one line in kSilence.
class ShortageLog {
 public:
  static constexpr Duration kSilence = 10 * kSecond;

  // `say` gives the `what` of log_shortage(), and may throw std::bad_alloc, since the shortage may
  // be one of memory. tell() then logs a fixed line, and throws nothing.
  template <std::invocable Say>
  void tell(Shortage shortage, Instant now, const Say& say) {
    if (!may_tell(shortage.lack, now)) return;
    try {
      log_shortage(say(), shortage);
    } catch (const std::bad_alloc&) {
      log_out_of_memory();
    }
  }
  // tell() with a format and its arguments as the `what` of log_shortage().
  template <class... Args>
  void tell(Shortage shortage, Instant now, fmt::format_string<const Args&...> what,
            const Args&... args) {
    tell(shortage, now, [&] { return text(what, args...); });
  }
  // True: the caller reports the shortage now. False: the shortage was reported a short time ago.
  bool may_tell(Lack lack, Instant now) {
    std::optional<Instant>& last = told_[static_cast<std::size_t>(lack)];
    if (last && now - *last < kSilence) return false;
    last = now;
    return true;
  }

 private:
  std::array<std::optional<Instant>, kLacks> told_{};
};

} // namespace datum
