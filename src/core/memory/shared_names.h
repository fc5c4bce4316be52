// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/memory/shared_names.h: the names (cookies) of shared regions that are registered in this
// process.
// Lives here: the check that all users of a name give the same length (dat_lmr_create R11).
// Not here:   other processes of the host. No process can be asked which names it uses, and nothing
//             depends on the answer: each process registers a range of its own, with its own
//             bounds.
// Threads:    any; the lock is the last that is taken.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "base/mutex.h"

namespace datum {

inline constexpr std::size_t kSharedCookieSize = 40; // DAT_LMR_COOKIE_SIZE
using SharedCookie = std::array<char, kSharedCookieSize>;

class SharedNames {
 public:
  // A region's hold on a name.
  class Use {
   public:
    Use() = default;
    Use(SharedNames& names, const SharedCookie& cookie) : names_(&names), cookie_(cookie) {}
    Use(Use&& other) noexcept
        : names_(std::exchange(other.names_, nullptr)), cookie_(other.cookie_) {}
    Use& operator=(Use&&) = delete;
    ~Use() {
      if (names_ != nullptr) names_->release(cookie_);
    }
    explicit operator bool() const { return names_ != nullptr; }

   private:
    SharedNames* names_ = nullptr;
    SharedCookie cookie_{};
  };

  // Empty: the name is in use for another length.
  Use use(const SharedCookie& cookie, std::uint64_t length);

 private:
  struct Meaning {
    std::uint64_t length;
    std::uint32_t users;
  };
  void release(const SharedCookie& cookie);

  Mutex mutex_;
  std::map<SharedCookie, Meaning> meanings_ DATUM_GUARDED_BY(mutex_);
};

} // namespace datum
