// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "common/address.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "common/tool_error.h"
#include "tests/filter.h"

namespace datum::tools {
namespace {

std::string why_not(const std::string& host, int family = AF_UNSPEC) {
  try {
    resolve(host, family);
    return "";
  } catch (const ToolError& error) {
    EXPECT_EQ(error.code(), ExitCode::Usage);
    return error.what();
  }
}

TEST(ToolAddress, AFamilyThatAHostLacksIsNamedWithWhatItHas) {
  EXPECT_EQ(why_not("192.0.2.1"), "");
  EXPECT_EQ(why_not("192.0.2.1", AF_INET), "");
  EXPECT_EQ(why_not("2001:db8::1", AF_INET6), "");
  EXPECT_EQ(
      why_not("192.0.2.1", AF_INET6),
      "host \"192.0.2.1\" has no IPv6 address, only 192.0.2.1 (leave the family open, or name "
      "another host)");
  EXPECT_EQ(why_not("2001:db8::1", AF_INET),
            "host \"2001:db8::1\" has no IPv4 address, only 2001:db8::1 (leave the family open, or "
            "name another host)");
}

TEST(ToolAddress, AnIpv6AddressMayStandInBrackets) {
  EXPECT_EQ(why_not("[2001:db8::1]"), "");
  EXPECT_EQ(why_not("[::1]", AF_INET6), "");
  for (const char* name : {"[localhost]", "[]", "[192.0.2.1]", "[", "]"})
    EXPECT_NE(why_not(name), "") << name;
  EXPECT_EQ(why_not("[localhost]"),
            "host \"[localhost]\": brackets are for an IPv6 address, a name has none");
}

// Without a free descriptor the resolver itself would report that the name is unknown.
TEST(ToolAddress, TheLackOfDescriptorsIsSaidInsteadOfAnUnknownHost) {
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const int next = open("/dev/null", O_RDONLY);
  ASSERT_GE(next, 0);
  close(next);
  const rlimit none = {static_cast<rlim_t>(next), before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const std::string why = why_not("localhost");
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(why, "host \"localhost\" cannot be looked up: Too many open files (ulimit -n shows the "
                 "limit)");
}

// The resolver reads /etc/hosts with lseek(2). A refusal looks to it as a failed look-up.
TEST(ToolAddress, ACallThatASandboxRefusesToTheResolverIsNamed) {
  bool filtered = false;
  std::string why, of_digits;
  std::thread([&] { // only this thread gets the filter
    filtered = test::forbid_call(SYS_lseek, EPERM);
    if (!filtered) return;
    why = why_not("not.a.host.");
    of_digits = why_not("192.0.2.1");
  })
      .join();
  if (!filtered) GTEST_SKIP() << "no filter of system calls here";
  EXPECT_EQ(why, "host \"not.a.host.\" cannot be looked up: the sandbox of this process (seccomp) "
                 "refuses the system call lseek: Operation not permitted (an address in digits "
                 "needs no look-up)");
  EXPECT_EQ(of_digits, "");
}

} // namespace
} // namespace datum::tools
