// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A filter of system calls that knows no AF_NETLINK, as RestrictAddressFamilies= of systemd makes
// one. Each body runs in a child process, which keeps the filter to itself.
#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <functional>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "tests/unit/shm/child.h"
#include "tests/unit/shm/test_world.h"
#include "transport/shm/listener_owner.h"
#include "transport/shm/name_holder.h"
#include "transport/shm/port_claim.h"

namespace datum::test {
namespace {

// What a child says; 0 is a child that has died.
constexpr std::uint64_t kAsExpected = 1;
constexpr std::uint64_t kOtherwise = 2;
constexpr std::uint64_t kNoFilter = 3;

constexpr std::size_t kFirstArgument = offsetof(seccomp_data, args);

bool forbid_netlink(std::uint32_t error) {
  std::array<sock_filter, 6> program{{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kFirstArgument),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_NETLINK, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  const sock_fprog filter{program.size(), program.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

// Each errno by which a kernel or a filter says that there is no such family.
class WithoutNetlink : public testing::TestWithParam<int> {
 protected:
  static void expect(const std::function<bool()>& body) {
    Child child([&](Numbers& numbers) {
      if (!forbid_netlink(static_cast<std::uint32_t>(GetParam()))) return numbers.put(kNoFilter);
      numbers.put(body() ? kAsExpected : kOtherwise);
    });
    const std::uint64_t said = child.numbers().get();
    if (said == kNoFilter) GTEST_SKIP() << "no filter of system calls here";
    EXPECT_EQ(said, kAsExpected);
  }
};

// False: it still waits, for what cannot come.
bool ends(World& world, Adapter& from, const char* address, ConnQual qualifier, Dialled& dialled) {
  auto dial = from.fabric->dial(address_of(address), qualifier, dialled);
  if (!dial) return false;
  dialled.dial = std::move(*dial);
  const Instant end = world.time.now() + 5 * kSecond;
  while (!dialled.over() && world.time.now() < end) world.turn();
  return dialled.over();
}

TEST_P(WithoutNetlink, ADialToAPortSucceeds) {
  expect([] {
    World world;
    Adapter a(world, "127.0.0.1");
    Adapter b(world, "127.0.0.1");
    const auto name = a.fabric->publish_any();
    Dialled dialled;
    return name && ends(world, b, "127.0.0.1", (*name)->qualifier(), dialled) &&
           dialled.port != nullptr;
  });
}

TEST_P(WithoutNetlink, AnAddressThatNobodyTellsOfIsUnreachable) {
  expect([] {
    World world;
    Adapter a(world, "127.0.0.1");
    Dialled dialled;
    return ends(world, a, "192.0.2.1", 5000, dialled) &&
           dialled.failure == DialFailure::Unreachable;
  });
}

TEST_P(WithoutNetlink, TheFileTellsWhoOwnsAPort) {
  expect([] {
    const HostAddress host = *read_address(address_of("127.0.0.1"));
    const auto claim = PortClaim::take(host, 0);
    if (!claim) return false;
    const auto owner = tcp_listener_owner(host, claim->port());
    return owner && *owner == std::optional<uid_t>(::geteuid());
  });
}

TEST_P(WithoutNetlink, NobodyTellsWhoHoldsAName) {
  expect([] {
    const auto holder = name_holder("datum/test");
    return holder && !*holder;
  });
}

INSTANTIATE_TEST_SUITE_P(By, WithoutNetlink,
                         testing::Values(EAFNOSUPPORT, EPROTONOSUPPORT, EPERM, EACCES));

} // namespace
} // namespace datum::test
