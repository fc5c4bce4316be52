// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// datum.7, SANDBOXES: filters that refuse what the C library itself stands on. Each is a thread's
// of its own, which makes the calls.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "connection.h"
#include "status.h"
#include "tests/filter.h"
#include "variable.h"

namespace datum::test {
namespace {

DAT_RETURN attempt_open(Ia& ia) {
  std::string name = ia_name();
  DAT_EVD_HANDLE async = DAT_HANDLE_NULL;
  return dat_ia_open(name.data(), 8, &async, ia.out());
}

// What the body says on stderr, run where `call` is refused; nothing if no filter can be had.
std::optional<std::string> said_without(std::uint32_t call, const std::function<void()>& body) {
  bool filtered = false;
  testing::internal::CaptureStderr();
  std::thread([&] {
    filtered = forbid_call(call, EPERM);
    if (filtered) body();
  }).join();
  const std::string said = testing::internal::GetCapturedStderr();
  return filtered ? std::optional(said) : std::nullopt;
}

void expect_only_line(const std::string& said, const std::string& part) {
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  EXPECT_NE(said.find(part), std::string::npos) << said;
}

// Rules: SANDBOX.1
TEST(Sandbox, AnOpenWithoutFutexIsRefusedAndSaysWhy) {
  const Ia loads_the_module = open_ia();
  DAT_RETURN answer = DAT_SUCCESS;
  const auto said = said_without(SYS_futex, [&] {
    Ia ia;
    answer = attempt_open(ia);
  });
  if (!said) GTEST_SKIP() << "no filter of system calls here";
  EXPECT_DAT_ERROR(answer, DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_DEVICE);
  expect_only_line(*said, "ia \"" + ia_name() +
                              "\": the system call futex is refused: Operation not "
                              "permitted; no thread can wait for another one");
}

// Rules: SANDBOX.2
TEST(Sandbox, AFilterThatComesUpLaterLetsAnAdapterBeClosed) {
  Ia ia = open_ia();
  DAT_RETURN answer = DAT_INTERNAL_ERROR;
  const auto said = said_without(SYS_futex, [&] { answer = close_ia(ia.release()); });
  if (!said) GTEST_SKIP() << "no filter of system calls here";
  EXPECT_DAT_OK(answer);
}

// Rules: SANDBOX.3
TEST(Sandbox, AnOpenWithoutMappingsIsRefusedAndSaysWhy) {
  const Ia loads_the_module = open_ia();
  for (const char* ways : {"auto", "shm", "tcp"}) {
    SCOPED_TRACE(ways);
    const Variable transport("DATUM_TRANSPORT", ways);
    DAT_RETURN answer = DAT_SUCCESS;
    const auto said = said_without(SYS_mmap, [&] {
      Ia ia;
      answer = attempt_open(ia);
    });
    if (!said) GTEST_SKIP() << "no filter of system calls here";
    EXPECT_DAT_ERROR(answer, DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_MEMORY);
    expect_only_line(*said,
                     std::string(ways) == "tcp"
                         ? " octets of memory for the table of regions cannot be had (mmap): "
                           "Operation not permitted; look at `ulimit -v`"
                         : " bytes of memory to share with peers cannot be had (memfd): "
                           "Operation not permitted; look at `ulimit -n`");
  }
}

} // namespace
} // namespace datum::test
