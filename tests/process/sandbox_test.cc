// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// datum.7, SANDBOXES: filters that refuse what the C library itself stands on. Each is a thread's
// of its own, which makes the calls.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "connection.h"
#include "status.h"
#include "tests/filter.h"
#include "variable.h"

namespace datum::test {
namespace {

struct Ended {
  int code = -1; // what the body returned; -1 if a signal ended it
  std::string said;
};

// What becomes of the body in a process of its own, which has an IA open before `call` is refused
// to all of its threads. Nothing if no filter can be had.
std::optional<Ended> run_without(std::uint32_t call, const std::function<int(Ia&)>& body) {
  constexpr int kNoFilter = 77;
  testing::internal::CaptureStderr();
  const pid_t child = fork();
  if (child == 0) {
    Ia ia = open_ia();
    std::_Exit(forbid_call_to_all_threads(call, EPERM) ? body(ia) : kNoFilter);
  }
  int status = -1;
  waitpid(child, &status, 0);
  Ended ended{WIFEXITED(status) ? WEXITSTATUS(status) : -1, testing::internal::GetCapturedStderr()};
  return ended.code == kNoFilter ? std::nullopt : std::optional(ended);
}

// 0: an open is refused with that.
int second_open(DAT_RETURN_SUBTYPE subtype) {
  std::string name = ia_name();
  DAT_EVD_HANDLE async = DAT_HANDLE_NULL;
  DAT_IA_HANDLE ia = DAT_HANDLE_NULL;
  const DAT_RETURN answer = dat_ia_open(name.data(), 8, &async, &ia);
  return DAT_GET_TYPE(answer) == DAT_INSUFFICIENT_RESOURCES && DAT_GET_SUBTYPE(answer) == subtype
             ? 0
             : 1;
}

void expect_only_line(const std::string& said, const std::string& part) {
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  EXPECT_NE(said.find(part), std::string::npos) << said;
}

// Rules: SANDBOX.1
TEST(Sandbox, AnOpenWithoutFutexIsRefusedAndSaysWhy) {
  const auto ended = run_without(SYS_futex, [](Ia&) { return second_open(DAT_RESOURCE_DEVICE); });
  if (!ended) GTEST_SKIP() << "no filter of system calls here";
  EXPECT_EQ(ended->code, 0);
  expect_only_line(ended->said, "ia \"" + ia_name() +
                                    "\": the system call futex is refused: Operation not "
                                    "permitted; no thread can wait for another one");
}

// Rules: SANDBOX.2
TEST(Sandbox, AFilterThatComesUpLaterLetsAnAdapterBeClosed) {
  const auto ended =
      run_without(SYS_futex, [](Ia& ia) { return close_ia(ia.release()) == DAT_SUCCESS ? 0 : 1; });
  if (!ended) GTEST_SKIP() << "no filter of system calls here";
  EXPECT_EQ(ended->code, 0) << ended->said;
}

// Rules: SANDBOX.3
TEST(Sandbox, AnOpenWithoutMappingsIsRefusedAndSaysWhy) {
  for (const char* ways : {"auto", "shm", "tcp"}) {
    SCOPED_TRACE(ways);
    const Variable transport("DATUM_TRANSPORT", ways);
    const auto ended = run_without(SYS_mmap, [](Ia&) { return second_open(DAT_RESOURCE_MEMORY); });
    if (!ended) GTEST_SKIP() << "no filter of system calls here";
    EXPECT_EQ(ended->code, 0);
    expect_only_line(ended->said,
                     std::string(ways) == "tcp"
                         ? " octets of memory for the table of regions cannot be had (mmap): "
                           "Operation not permitted; look at `ulimit -v`"
                         : " bytes of memory to share with peers cannot be had (memfd): "
                           "Operation not permitted; look at `ulimit -n`");
  }
}

} // namespace
} // namespace datum::test
