// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/descriptors.h"

#include <fcntl.h>
#include <sys/resource.h>

#include <gtest/gtest.h>

namespace datum::cp {
namespace {

// The destructor restores the limit of this process.
class Limit {
 public:
  Limit() { getrlimit(RLIMIT_NOFILE, &before_); }
  ~Limit() { setrlimit(RLIMIT_NOFILE, &before_); }
  Limit(const Limit&) = delete;
  Limit& operator=(const Limit&) = delete;
  // Allows `count` more descriptors than are open now, whatever numbers the open ones have.
  void leave(rlim_t count) {
    rlimit limit = before_;
    limit.rlim_cur = 0;
    for (rlim_t free = 0; free < count || is_open(limit.rlim_cur); ++limit.rlim_cur)
      if (!is_open(limit.rlim_cur)) ++free;
    setrlimit(RLIMIT_NOFILE, &limit);
  }

 private:
  static bool is_open(rlim_t fd) { return fcntl(static_cast<int>(fd), F_GETFD) >= 0; }
  rlimit before_ = {};
};

TEST(Descriptors, AreCountedDownToNone) {
  Limit limit;
  for (const rlim_t left : {0UL, 1UL, 7UL}) {
    limit.leave(left);
    EXPECT_EQ(descriptors_left(), left);
  }
}

TEST(Descriptors, OneThatIsClosedBelowOthersIsOneMore) {
  Limit limit;
  UniqueFd below(fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0));
  const UniqueFd above(fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0));
  below = UniqueFd();
  limit.leave(3);
  EXPECT_EQ(descriptors_left(), 3U);
}

TEST(Descriptors, FewAllowOneNameAtATime) {
  for (const std::size_t left : {0UL, 4UL, 7UL, 10UL}) {
    EXPECT_EQ(allowance(left, 8, 1024).folders, 1U) << left;
    EXPECT_EQ(allowance(left, 8, 1024).names, 1U) << left;
  }
}

TEST(Descriptors, ManyAllowAll) {
  EXPECT_EQ(allowance(4096, 8, 1024).folders, 8U);
  EXPECT_EQ(allowance(4096, 8, 1024).names, 1024U);
}

// A name needs three descriptors and a folder one. Four are for everything else.
TEST(Descriptors, WhatIsAllowedFits) {
  for (std::size_t left = 8; left < 4096; ++left) {
    const Allowance most = allowance(left, 8, 1024);
    EXPECT_LE(most.folders + 3 * most.names + 4, left) << left;
  }
}

TEST(Descriptors, EightAreHeldBackWhereTheConnectionHasEnough) {
  Limit limit;
  limit.leave(30);
  SpareDescriptors spare;
  EXPECT_EQ(descriptors_left(), 22U);
  spare.take();
  EXPECT_EQ(descriptors_left(), 22U);
  spare.give_back();
  EXPECT_EQ(descriptors_left(), 30U);
}

TEST(Descriptors, NoneIsHeldBackThatAConnectionNeeds) {
  Limit limit;
  limit.leave(12);
  const SpareDescriptors spare;
  EXPECT_EQ(descriptors_left(), 10U);
}

} // namespace
} // namespace datum::cp
