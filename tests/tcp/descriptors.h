// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/tcp/descriptors.h: the number of descriptors of this process, and their limit.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>

namespace datum::test {

inline std::size_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

// The lowest number that is no open descriptor. The next descriptor gets this number.
inline rlim_t first_free_descriptor() {
  const int free = open("/dev/null", O_RDONLY | O_CLOEXEC);
  close(free);
  return static_cast<rlim_t>(free);
}

// While an object of this class exists, no descriptor can be made whose number is this or larger.
class NoMoreDescriptors {
 public:
  explicit NoMoreDescriptors(rlim_t limit = kFew) {
    EXPECT_EQ(getrlimit(RLIMIT_NOFILE, &before_), 0);
    const rlimit few{limit, before_.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  }
  ~NoMoreDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }
  NoMoreDescriptors(const NoMoreDescriptors&) = delete;
  NoMoreDescriptors& operator=(const NoMoreDescriptors&) = delete;

  static constexpr rlim_t kFew = 8; // too few to make any; poll() needs a limit above 0

 private:
  rlimit before_{};
};

} // namespace datum::test
