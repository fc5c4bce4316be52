// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/shm/known_holders.h: remembers for a moment which user holds a name.
// Lives here: a cache of the answers of user_listening_at() (name_holder.h). For each call the
//             kernel goes through all UNIX sockets of the network namespace, and each dial tries a
//             full queue again every 50 ms.
// Bounds:     kMost names; a new name replaces the name with the oldest answer.
// Threads:    the adapter's lock.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <sys/types.h>

#include "base/status.h"
#include "base/time.h"

namespace datum {

class KnownHolders {
 public:
  static constexpr Duration kBelieved = kSecond;
  static constexpr std::size_t kMost = 16;

  // Like user_listening_at(), but the answer may be as old as kBelieved. A failure is not
  // remembered.
  OrErrno<std::optional<uid_t>> find(const std::string& name, Instant now);

 private:
  struct Known {
    std::string name; // empty: this entry is unused
    std::optional<uid_t> holder;
    Instant asked = std::numeric_limits<Instant>::min();
  };
  std::array<Known, kMost> known_;
};

} // namespace datum
