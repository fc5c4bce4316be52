// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "common/address.h"

#include <fcntl.h>
#include <netdb.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <string>
#include <thread>
#include <utility>

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

// Nothing: no filter can be had here. Only a thread of its own gets the filter.
std::optional<std::string> why_not_without(int call, const std::string& host) {
  std::optional<std::string> why;
  std::thread([&] {
    if (test::forbid_call(static_cast<std::uint32_t>(call), EPERM)) why = why_not(host);
  }).join();
  return why;
}

// The resolver reads /etc/hosts with lseek(2), and asks for both families with sendmmsg(2). A
// refusal looks to it as a failed look-up.
TEST(ToolAddress, ACallThatASandboxRefusesToTheResolverIsNamed) {
  for (const auto& [call, name] : {std::pair{SYS_lseek, "lseek"}, {SYS_sendmmsg, "sendmmsg"}}) {
    const auto why = why_not_without(call, "not.a.host.");
    if (!why) GTEST_SKIP() << "no filter of system calls here";
    EXPECT_EQ(*why, std::string("host \"not.a.host.\" cannot be looked up: the sandbox of this "
                                "process (seccomp) refuses the system call ") +
                        name + ": Operation not permitted (an address in digits needs no look-up)");
    EXPECT_EQ(why_not_without(call, "192.0.2.1"), "");
  }
}

// The resolver receives without recvmsg(2), so its answer is true. (Without a name server there is
// no answer, and any refused call may be the reason.)
TEST(ToolAddress, ACallThatTheResolverDoesWithoutIsNotBlamedForAnUnknownHost) {
  const std::string unknown = why_not("not.a.host.");
  if (unknown.find(gai_strerror(EAI_NONAME)) == std::string::npos) return;
  const auto why = why_not_without(SYS_recvmsg, "not.a.host.");
  if (!why) GTEST_SKIP() << "no filter of system calls here";
  EXPECT_EQ(*why, unknown);
}

} // namespace
} // namespace datum::tools
