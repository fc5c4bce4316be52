// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// process/sandbox.h: a process of its own for tests that install a filter of system calls, which
// stands for the rest of a thread's life.
// Not here: the filters (tests/filter.h).
#pragma once

#include <cstddef>
#include <cstdlib>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "connection.h"
#include "status.h"

namespace datum::test {

struct Ended {
  int code = -1; // the exit status of the body; -1 if a signal ended it
  std::string said;
};

// What the body returns if it cannot install a filter.
inline constexpr int kNoFilter = 77;

// Runs the body in a process of its own. Returns how the process ended and what it wrote to stderr.
inline Ended run_apart(const std::function<int()>& body) {
  testing::internal::CaptureStderr();
  const pid_t child = fork();
  if (child == 0) std::_Exit(body());
  int status = -1;
  waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, testing::internal::GetCapturedStderr()};
}

// Sends a message of two segments, since such messages are sent as lists of pieces.
inline void expect_messages_arrive(Side& from, Side& to) {
  constexpr std::size_t kPiece = 40'000;
  Buffer source = from.buffer(2 * kPiece);
  const Buffer target = to.buffer(2 * kPiece);
  source.fill(1);
  EXPECT_DAT_OK(post_recv(to.ep(), {target.segment()}, 7));
  EXPECT_DAT_OK(
      post_send(from.ep(), {source.segment(0, kPiece), source.segment(kPiece, kPiece)}, 8));
  expect_dto(from.request_evd(), from.ep(), 8);
  expect_dto(to.recv_evd(), to.ep(), 7);
  EXPECT_TRUE(target.holds(1, 0, 2 * kPiece));
}

} // namespace datum::test
