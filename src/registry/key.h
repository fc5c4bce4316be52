// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// registry/key.h: the key of an entry, and which entry is used for a request.
// Lives here: the matching rule, which the static and the dynamic registry share.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>

namespace datum::registry {

struct Key {
  std::string name;
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  bool thread_safe = false;

  bool operator==(const Key&) const = default;
};

// Why no offer matched a request: the first part of the key that no offer matched.
enum class Miss : std::uint8_t { Name, Major, Minor, ThreadSafety };

// dat_ia_open(3): name and major have to be equal, the minor equal or greater. Equal thread safety
// is preferred. A thread-safe provider also serves a program that does not need thread safety.
class Matcher {
 public:
  explicit Matcher(const Key& request) : request_(request) {}

  // True if this offer is better than all before it.
  bool consider(const Key& offer) {
    if (offer.name != request_.name) return false;
    reach(Miss::Major);
    if (offer.major != request_.major) return false;
    reach(Miss::Minor);
    if (offer.minor < request_.minor) return false;
    reach(Miss::ThreadSafety);
    if (request_.thread_safe && !offer.thread_safe) return false;
    const Distance distance{offer.thread_safe != request_.thread_safe,
                            offer.minor - request_.minor};
    if (found_ && best_ <= distance) return false;
    found_ = true;
    best_ = distance;
    return true;
  }

  // Called if the name has offers of another major version, which are not passed to consider().
  void consider_other_majors() { reach(Miss::Major); }

  // Meaningful if no offer matched.
  Miss miss() const { return miss_; }

 private:
  using Distance = std::tuple<bool, std::uint32_t>;

  void reach(Miss miss) {
    if (miss_ < miss) miss_ = miss;
  }

  const Key& request_;
  bool found_ = false;
  Distance best_{};
  Miss miss_ = Miss::Name;
};

} // namespace datum::registry
