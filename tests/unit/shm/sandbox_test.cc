// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// ShmFabric under filters that refuse a family of sockets, or the system calls that ask about a
// peer. Each test body runs in a child process, so that only the child has the filter.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/host_interfaces.h"
#include "tests/filter.h"
#include "tests/unit/shm/child.h"
#include "tests/unit/shm/test_world.h"
#include "transport/host/name_holder.h"
#include "transport/shm/listener_owner.h"
#include "transport/shm/peer_process.h"
#include "transport/shm/port_claim.h"

namespace datum::test {
namespace {

// What a child reports. 0: the child has died.
constexpr std::uint64_t kAsExpected = 1;
constexpr std::uint64_t kOtherwise = 2;
constexpr std::uint64_t kNoFilter = 3;
constexpr std::uint64_t kNoPidfd = 4;

// Each errno by which a kernel or a filter says that there is no such family.
class WithoutNetlink : public testing::TestWithParam<int> {
 protected:
  static void expect(const std::function<bool()>& body) {
    Child child([&](Numbers& numbers) {
      if (!forbid_family(AF_NETLINK, GetParam())) return numbers.put(kNoFilter);
      numbers.put(body() ? kAsExpected : kOtherwise);
    });
    const std::uint64_t said = child.numbers().get();
    if (said == kNoFilter) GTEST_SKIP() << "no filter of system calls here";
    EXPECT_EQ(said, kAsExpected);
  }
};

// Dials, and waits for the outcome. Returns false if there is none within five seconds.
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
    const auto holder = user_listening_at("datum/test");
    return holder && !*holder;
  });
}

INSTANTIATE_TEST_SUITE_P(By, WithoutNetlink,
                         testing::Values(EAFNOSUPPORT, EPROTONOSUPPORT, EPERM, EACCES));

// --- without one of the calls that carry messages of netlink ---------------------------------------

bool are_forbidden(std::initializer_list<int> calls) {
  return std::all_of(calls.begin(), calls.end(),
                     [](int call) { return forbid_call(static_cast<std::uint32_t>(call), EPERM); });
}

// The body runs where these calls are refused.
void expect_without(std::initializer_list<int> calls, const std::function<bool()>& body) {
  Child child([&](Numbers& numbers) {
    if (!are_forbidden(calls)) return numbers.put(kNoFilter);
    numbers.put(body() ? kAsExpected : kOtherwise);
  });
  const std::uint64_t said = child.numbers().get();
  if (said == kNoFilter) GTEST_SKIP() << "no filter of system calls here";
  EXPECT_EQ(said, kAsExpected);
}

// Rules: SANDBOX.7
TEST(WithoutACallOfMessages, TheOtherOneTellsWhoseAddressItIsAndWhoHoldsAName) {
  for (const int call : {SYS_sendto, SYS_sendmsg, SYS_recvfrom}) {
    SCOPED_TRACE(call);
    expect_without({call}, [] {
      const UniqueFd holder(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
      const std::string name = "datum/test/" + std::to_string(::getpid());
      sockaddr_un address{};
      address.sun_family = AF_UNIX;
      std::memcpy(address.sun_path + 1, name.data(), name.size());
      const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
      if (::bind(holder.get(), reinterpret_cast<sockaddr*>(&address), length) != 0 ||
          ::listen(holder.get(), 1) != 0)
        return false;
      const auto user = user_listening_at(name);
      const auto foreign = is_local(*read_address(address_of("203.0.113.1")));
      return user && *user == ::geteuid() && foreign && !*foreign;
    });
  }
}

// An interface has the first address, if this host has one. Nobody can tell of the second one.
// Rules: ENV.21
TEST(WithoutBothCallsOfMessages, TheInterfacesTellAndWhatTheyDoNotHaveIsNotKnown) {
  for (const auto& calls : {std::initializer_list<int>{SYS_sendto, SYS_sendmsg},
                            std::initializer_list<int>{SYS_recvfrom, SYS_recvmsg}})
    expect_without(calls, [] {
      const auto all = interface_addresses();
      const bool own = all && std::all_of(all->begin(), all->end(), [](const auto& each) {
                         Address address;
                         std::memcpy(address.bytes, &each.address, sizeof(sockaddr_in6));
                         return !each.is_up || is_local(*read_address(address)).value_or(false);
                       });
      const auto foreign = is_local(*read_address(address_of("203.0.113.1")));
      return own && !foreign && foreign.error() == EPERM;
    });
}

// --- without UNIX sockets ------------------------------------------------------------------------

enum class Call { Socket, Connect };

class WithoutUnix : public testing::TestWithParam<std::pair<Call, int>> {
 protected:
  static bool forbid() {
    const auto [call, error] = GetParam();
    return call == Call::Socket ? forbid_family(AF_UNIX, error) : forbid_call(SYS_connect, error);
  }
};

// A listener exists. A process that may not search for it must not report that no listener exists.
// Rules: ENV.20
TEST_P(WithoutUnix, WhoMayNotLookIsToldSoAndFindsTheAddressUnreachable) {
  Child child([](Numbers& numbers) {
    World world;
    Adapter a(world, "127.0.0.1");
    Adapter b(world, "127.0.0.1");
    const auto name = a.fabric->publish_any();
    if (!name) return numbers.put(kOtherwise);
    if (!forbid()) return numbers.put(kNoFilter);
    const Finding found =
        b.fabric->find(*read_address(address_of("127.0.0.1")), (*name)->qualifier());
    Dialled dialled;
    const bool unreachable = ends(world, b, "127.0.0.1", (*name)->qualifier(), dialled) &&
                             dialled.failure == DialFailure::Unreachable;
    const bool told = found.what == Lookup::Forbidden && found.error == GetParam().second;
    numbers.put(unreachable && told ? kAsExpected : kOtherwise);
  });
  const std::uint64_t said = child.numbers().get();
  if (said == kNoFilter) GTEST_SKIP() << "no filter of system calls here";
  EXPECT_EQ(said, kAsExpected);
}

INSTANTIATE_TEST_SUITE_P(By, WithoutUnix,
                         testing::Values(std::pair{Call::Socket, EAFNOSUPPORT},
                                         std::pair{Call::Socket, EPERM},
                                         std::pair{Call::Connect, EPERM},
                                         std::pair{Call::Connect, EACCES}));

// --- without calls that tell about a peer --------------------------------------------------------

// Rules: PROTECT.8
TEST(WithoutPeerCredentials, WhoAnswersIsNotKnown) {
  Child child([](Numbers& numbers) {
    World world;
    Adapter a(world, "127.0.0.1");
    const auto name = a.fabric->publish_any();
    if (!name) return numbers.put(kOtherwise);
    if (!forbid_call(SYS_getsockopt, EPERM)) return numbers.put(kNoFilter);
    const Finding found =
        a.fabric->find(*read_address(address_of("127.0.0.1")), (*name)->qualifier());
    numbers.put(found.what == Lookup::Unknown && found.error == EPERM ? kAsExpected : kOtherwise);
  });
  const std::uint64_t said = child.numbers().get();
  if (said == kNoFilter) GTEST_SKIP() << "no filter of system calls here";
  EXPECT_EQ(said, kAsExpected);
}

TEST(WithoutPeerPidfd, WhatThePeerPassedTellsOfItsDeath) {
  Child child([](Numbers& numbers) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return;
    UniqueFd passed = own_pidfd();
    if (!passed) return numbers.put(kNoPidfd);
    if (!forbid_call(SYS_getsockopt, ENOPROTOOPT)) return numbers.put(kNoFilter);
    numbers.put(peer_pidfd(ends[0], std::move(passed)) ? kAsExpected : kOtherwise);
  });
  const std::uint64_t said = child.numbers().get();
  if (said == kNoPidfd) GTEST_SKIP() << "this kernel has no descriptors of processes";
  if (said == kNoFilter) GTEST_SKIP() << "no filter of system calls here";
  EXPECT_EQ(said, kAsExpected);
}

// Rules: SANDBOX.5
TEST(WithoutFstatfs, WhoIsDialledNamesTheCallAndTheDialIsUnreachable) {
  Child child([](Numbers& numbers) {
    World world;
    Adapter a(world, "127.0.0.1");
    Adapter b(world, "127.0.0.1");
    const auto name = a.fabric->publish_any();
    if (!name) return numbers.put(kOtherwise);
    if (!forbid_call(SYS_fstatfs, EPERM)) return numbers.put(kNoFilter);
    testing::internal::CaptureStderr();
    Dialled dialled;
    const bool unreachable = ends(world, b, "127.0.0.1", (*name)->qualifier(), dialled) &&
                             dialled.failure == DialFailure::Unreachable;
    const std::string said = testing::internal::GetCapturedStderr();
    const bool told = said ==
                      "datum warn: same-host connections are not made where a sandbox of this "
                      "process (seccomp, SELinux, AppArmor) refuses fstatfs: Operation not "
                      "permitted\n";
    numbers.put(unreachable && told ? kAsExpected : kOtherwise);
  });
  const std::uint64_t said = child.numbers().get();
  if (said == kNoFilter) GTEST_SKIP() << "no filter of system calls here";
  EXPECT_EQ(said, kAsExpected);
}

// A filter may refuse only the writes. A connection that used direct access because its reads work
// would break at the first Write.
// Rules: SANDBOX.5
TEST(WithoutWritesToAProcess, TheConnectionGoesThroughTheRing) {
  Child child([](Numbers& numbers) {
    if (!forbid_call(SYS_process_vm_writev, EPERM)) return numbers.put(kNoFilter);
    World world;
    Adapter a(world, "127.0.0.1");
    Adapter b(world, "127.0.0.1");
    const auto name = b.fabric->publish_any();
    Dialled dialled;
    if (!name || !ends(world, a, "127.0.0.1", (*name)->qualifier(), dialled) || !dialled.port)
      return numbers.put(kOtherwise);
    const bool ring = std::string(dialled.port->path()) == "shm ring";
    const bool told =
        dialled.port->path_reason() == "process_vm_writev is refused: Operation not permitted";
    numbers.put(ring && told ? kAsExpected : kOtherwise);
  });
  const std::uint64_t said = child.numbers().get();
  if (said == kNoFilter) GTEST_SKIP() << "no filter of system calls here";
  EXPECT_EQ(said, kAsExpected);
}

} // namespace
} // namespace datum::test
