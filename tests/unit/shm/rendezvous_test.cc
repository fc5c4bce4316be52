// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// HostAddress, the names of rendezvous, the owner of a TCP listener as /proc/net reports it, and
// the range of ports for service points that leave the choice of the qualifier to Datum.
#include <array>
#include <gtest/gtest.h>
#include <netinet/tcp.h>
#include <thread>

#include "tests/filter.h"
#include "tests/unit/shm/child.h"
#include "tests/unit/shm/test_world.h"
#include "transport/host/abstract_name.h"
#include "transport/host/port_rules.h"
#include "transport/shm/listener_owner.h"
#include "transport/shm/port_claim.h"
#include "transport/shm/rendezvous.h"

namespace datum::test {
namespace {

HostAddress host(const char* text) {
  return *read_address(address_of(text));
}

TEST(HostAddress, AMappedAddressIsTheIpv4Address) {
  EXPECT_EQ(host("::ffff:127.0.0.1"), host("127.0.0.1"));
  EXPECT_EQ(to_text(host("::ffff:10.1.2.3")), "10.1.2.3");
}

TEST(HostAddress, OnlyALinkLocalAddressHasAScope) {
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_scope_id = 3;
  ::inet_pton(AF_INET6, "fe80::1", &v6.sin6_addr);
  Address address;
  std::memcpy(address.bytes, &v6, sizeof v6);
  EXPECT_EQ(to_text(*read_address(address)), "fe80::1%3");
  ::inet_pton(AF_INET6, "fd00::1", &v6.sin6_addr);
  std::memcpy(address.bytes, &v6, sizeof v6);
  EXPECT_EQ(to_text(*read_address(address)), "fd00::1");
}

TEST(HostAddress, WhatIsWrittenIsReadAgain) {
  EXPECT_EQ(write_address(host("127.0.0.1")), address_of("127.0.0.1"));
  EXPECT_EQ(write_address(host("fd00::5")), address_of("fd00::5"));
}

TEST(HostAddress, APortInTheAddressIsIgnored) {
  Address address = address_of("127.0.0.1");
  address.bytes[2] = std::byte{0x12};
  EXPECT_EQ(*read_address(address), host("127.0.0.1"));
}

TEST(HostAddress, EveryLoopbackAddressIsLocalAndForeignOnesAreNot) {
  EXPECT_TRUE(is_local(host("127.0.0.1")).value());
  EXPECT_TRUE(is_local(host("127.200.1.9")).value());
  EXPECT_FALSE(is_local(host("192.0.2.1")).value());
  EXPECT_FALSE(is_local(host("2001:db8::1")).value());
}

TEST(Rendezvous, NamesCarryVersionAddressAndQualifier) {
  EXPECT_EQ(rendezvous_name(host("10.0.0.7"), 5000), "datum/1/10.0.0.7/5000");
  EXPECT_EQ(rendezvous_name(std::nullopt, 18446744073709551615U), "datum/1/*/18446744073709551615");
}

constexpr const char* kFamily = "datum/1";
constexpr const char* kSockets =
    "Num       RefCount Protocol Flags    Type St Inode Path\n"
    "0000000000000000: 00000002 00000000 00010000 0005 01  1111 @datum/1/10.0.0.7/70000\n"
    "0000000000000000: 00000003 00000000 00000000 0005 03  1112 @datum/1/10.0.0.7/80000\n"
    "0000000000000000: 00000002 00000000 00010000 0005 01  1113 @datum/1/*/90000\n"
    "0000000000000000: 00000002 00000000 00000000 0002 01  1114 @datum/q/*/60000\n";

TEST(Rendezvous, AWildcardConflictsWithAnyAddressOfTheSameQualifier) {
  EXPECT_TRUE(conflicts(kSockets, kFamily, std::nullopt, 70000));
  EXPECT_FALSE(conflicts(kSockets, kFamily, std::nullopt, 170000));
  EXPECT_FALSE(conflicts(kSockets, kFamily, std::nullopt, 70001));
}

TEST(Rendezvous, AnAddressConflictsWithTheWildcardOnly) {
  EXPECT_TRUE(conflicts(kSockets, kFamily, host("127.0.0.1"), 90000));
  EXPECT_FALSE(conflicts(kSockets, kFamily, host("127.0.0.1"), 70000));
}

TEST(Rendezvous, NamesOfAnotherFamilyDoNotConflict) {
  EXPECT_FALSE(conflicts(kSockets, kFamily, host("127.0.0.1"), 60000));
  EXPECT_TRUE(conflicts(kSockets, "datum/q", host("127.0.0.1"), 60000));
}

TEST(Rendezvous, SocketsOfLinksDoNotHoldTheirName) {
  EXPECT_FALSE(conflicts(kSockets, kFamily, std::nullopt, 80000));
}

constexpr const char* kTcp =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout\n"
    "   0: 0100007F:1388 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1001        0 1\n"
    "   1: 00000000:1389 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1002        0 2\n"
    "   2: 0100007F:138A 0100007F:9999 01 00000000:00000000 00:00000000 00000000  1003        0 "
    "3\n";
constexpr const char* kTcp6 =
    "  sl  local_address                         remote_address                        st\n"
    "   0: 00000000000000000000000000000000:138B 00000000000000000000000000000000:0000 0A "
    "00000000:00000000 00:00000000 00000000  1004        0 4\n"
    "   1: 00000000000000000000000001000000:138B 00000000000000000000000000000000:0000 0A "
    "00000000:00000000 00:00000000 00000000  1005        0 5\n";

std::optional<FoundListener> found(uid_t owner, bool may_be_ipv6_only = false) {
  return FoundListener{owner, may_be_ipv6_only};
}

TEST(ListenerOwner, TheListenerOnTheAddressThenTheOneOnEveryAddress) {
  EXPECT_EQ(find_listener(kTcp, kTcp6, host("127.0.0.1"), 5000), found(1001));
  EXPECT_EQ(find_listener(kTcp, kTcp6, host("10.0.0.7"), 5000), std::nullopt);
  EXPECT_EQ(find_listener(kTcp, kTcp6, host("10.0.0.7"), 5001), found(1002));
  EXPECT_EQ(find_listener(kTcp, kTcp6, host("10.0.0.7"), 5003), found(1004, true));
  EXPECT_EQ(find_listener(kTcp, kTcp6, host("::1"), 5003), found(1005));
  EXPECT_EQ(find_listener(kTcp, kTcp6, host("fd00::1"), 5003), found(1004));
}

TEST(ListenerOwner, AnEstablishedConnectionIsNoListener) {
  EXPECT_EQ(find_listener(kTcp, kTcp6, host("127.0.0.1"), 5002), std::nullopt);
}

// While one listener has every address of IPv4, a second listener at every address of IPv6 answers
// only IPv6.
// Rules: PROTECT.14
TEST(ListenerOwner, OfIpv4ComesBeforeOneOfIpv6) {
  constexpr const char* kBoth6 =
      "   0: 00000000000000000000000000000000:1389 00000000000000000000000000000000:0000 0A "
      "00000000:00000000 00:00000000 00000000  1006        0 6\n";
  EXPECT_EQ(find_listener(kTcp, kBoth6, host("10.0.0.7"), 5001), found(1002));
  EXPECT_EQ(find_listener(kTcp, kBoth6, host("fd00::1"), 5001), found(1006));
}

// Listeners at "::ffff:10.0.0.7" and "::ffff:0.0.0.0" answer only IPv4.
// Rules: PROTECT.14
TEST(ListenerOwner, AtAMappedAddressAnswersIpv4) {
  constexpr const char* kMapped6 =
      "   0: 0000000000000000FFFF00000700000A:138D 00000000000000000000000000000000:0000 0A "
      "00000000:00000000 00:00000000 00000000  1007        0 7\n"
      "   1: 0000000000000000FFFF000000000000:138D 00000000000000000000000000000000:0000 0A "
      "00000000:00000000 00:00000000 00000000  1008        0 8\n";
  EXPECT_EQ(find_listener("", kMapped6, host("10.0.0.7"), 5005), found(1007));
  EXPECT_EQ(find_listener("", kMapped6, host("10.0.0.8"), 5005), found(1008));
  EXPECT_EQ(find_listener("", kMapped6, host("fd00::1"), 5005), std::nullopt);
}

// A TCP listener at an address of IPv6. The result is empty if this host has no IPv6.
UniqueFd listen_at_ipv6(const in6_addr& at, bool ipv6_only, std::uint16_t& port) {
  UniqueFd socket(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int only = ipv6_only ? 1 : 0;
  ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &only, sizeof only);
  sockaddr_in6 name{};
  name.sin6_family = AF_INET6;
  name.sin6_addr = at;
  socklen_t length = sizeof name;
  if (::bind(socket.get(), reinterpret_cast<sockaddr*>(&name), length) != 0) return UniqueFd();
  EXPECT_EQ(::listen(socket.get(), 1), 0);
  EXPECT_EQ(::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&name), &length), 0);
  port = ntohs(name.sin6_port);
  return socket;
}

using Owner = OrErrno<std::optional<uid_t>>;
// The owner as netlink reports it, and as /proc/net reports it while a filter forbids netlink. If
// no filter can be installed, both are the answer of netlink.
std::array<Owner, 2> owners_at(const HostAddress& where, std::uint16_t port) {
  std::array<Owner, 2> both{tcp_listener_owner(where, port), std::nullopt};
  std::thread([&] {
    const bool filtered = forbid_family(AF_NETLINK, EAFNOSUPPORT);
    both[1] = filtered ? tcp_listener_owner(where, port) : both[0];
  }).join();
  return both;
}

// Rules: PROTECT.14
TEST(ListenerOwner, OfIpv6AloneDoesNotAnswerForIpv4) {
  std::uint16_t port = 0;
  const UniqueFd listener = listen_at_ipv6(in6addr_any, true, port);
  if (!listener) GTEST_SKIP() << "no IPv6 here";
  for (const Owner& owner : owners_at(host("127.0.0.1"), port))
    EXPECT_EQ(owner.value(), std::nullopt);
  for (const Owner& owner : owners_at(host("::1"), port))
    EXPECT_EQ(owner.value(), std::optional<uid_t>(::geteuid()));
}

// Rules: PROTECT.14
TEST(ListenerOwner, OfBothFamiliesAnswersForIpv4) {
  std::uint16_t port = 0;
  const UniqueFd listener = listen_at_ipv6(in6addr_any, false, port);
  if (!listener) GTEST_SKIP() << "no IPv6 here";
  for (const Owner& owner : owners_at(host("127.0.0.1"), port))
    EXPECT_EQ(owner.value(), std::optional<uid_t>(::geteuid()));
}

// Rules: PROTECT.14
TEST(ListenerOwner, AtAMappedAddressIsFound) {
  in6_addr mapped{};
  ::inet_pton(AF_INET6, "::ffff:127.0.0.1", &mapped);
  std::uint16_t port = 0;
  const UniqueFd listener = listen_at_ipv6(mapped, false, port);
  if (!listener) GTEST_SKIP() << "no IPv6 here";
  for (const Owner& owner : owners_at(host("127.0.0.1"), port))
    EXPECT_EQ(owner.value(), std::optional<uid_t>(::geteuid()));
}

TEST(ListenerOwner, TheKernelAndItsFileNameTheSameOwner) {
  auto claim = PortClaim::take(host("127.0.0.1"), 0);
  ASSERT_TRUE(claim.has_value());
  EXPECT_EQ(tcp_listener_owner(host("127.0.0.1"), claim->port()).value(),
            std::optional<uid_t>(::geteuid()));
  EXPECT_EQ(tcp_listener_owner(host("127.0.0.2"), claim->port()).value(), std::nullopt);
}

TEST(ListenerOwner, ADualStackListenerAnswersForIpv4) {
  auto claim = PortClaim::take(std::nullopt, 0);
  ASSERT_TRUE(claim.has_value());
  EXPECT_EQ(tcp_listener_owner(host("127.0.0.2"), claim->port()).value(),
            std::optional<uid_t>(::geteuid()));
}

// No process accepts at a claimed port. So a connect to the port over TCP must not succeed.
struct Claimed {
  const char* at; // nullptr: every address
  const char* asked;
};
class AForeignConnect : public testing::TestWithParam<Claimed> {
 protected:
  // The state of a socket that connects to the claimed port, or 0 if this host has no such
  // address.
  static std::uint64_t state() {
    const auto [at, asked] = GetParam();
    const auto claim = PortClaim::take(at == nullptr ? std::nullopt : std::optional(host(at)), 0);
    if (!claim) return 0;
    const HostAddress where = host(asked);
    const UniqueFd stranger(::socket(where.family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    sockaddr_storage address{};
    const socklen_t length = to_sockaddr(where, claim->port(), address);
    if (::connect(stranger.get(), reinterpret_cast<sockaddr*>(&address), length) != 0 &&
        errno != EINPROGRESS)
      return 0;
    tcp_info info{};
    socklen_t size = sizeof info;
    ::getsockopt(stranger.get(), IPPROTO_TCP, TCP_INFO, &info, &size);
    return info.tcpi_state;
  }
};

// On the loopback interface an answer would arrive before connect() returns. So the state after
// connect() shows that there was no answer.
TEST_P(AForeignConnect, IsNotAnswered) {
  const std::uint64_t found = state();
  if (found == 0) GTEST_SKIP() << "no such address here";
  EXPECT_EQ(found, TCP_SYN_SENT);
}

TEST_P(AForeignConnect, IsNotAnsweredByAUserWithoutPrivileges) {
  Child child([](Numbers& numbers) {
    if (::geteuid() == 0 && ::setresuid(kNobody, kNobody, kNobody) != 0) return;
    numbers.put(1);
    numbers.put(state());
  });
  ASSERT_EQ(child.numbers().get(), 1U);
  const std::uint64_t found = child.numbers().get();
  if (found == 0) GTEST_SKIP() << "no such address here";
  EXPECT_EQ(found, TCP_SYN_SENT);
}

INSTANTIATE_TEST_SUITE_P(To, AForeignConnect,
                         testing::Values(Claimed{"127.0.0.1", "127.0.0.1"}, Claimed{"::1", "::1"},
                                         Claimed{nullptr, "127.0.0.1"}, Claimed{nullptr, "::1"}));

TEST(AnyPort, TheRangeLiesBelowTheEphemeralPorts) {
  const PortRange usual = any_port_range_below("32768\t60999\n");
  EXPECT_EQ(usual.low, 24576);
  EXPECT_EQ(usual.high, 32767);
  const PortRange wide = any_port_range_below("2000\t65000\n");
  EXPECT_EQ(wide.low, 1024);
  EXPECT_EQ(wide.high, 1999);
}

void expect_any_port(const char* ephemeral, std::uint16_t low, std::uint16_t high) {
  const PortRange range = any_port_range_below(ephemeral);
  EXPECT_EQ(range.low, low) << ephemeral;
  EXPECT_EQ(range.high, high) << ephemeral;
}

// 16384 to 24575 are the candidate ports of qualifiers above 65535.
// Rules: tcp.Q10
TEST(AnyPort, TheRangeHasNoMappedPort) {
  expect_any_port("32767 60999", 24576, 32766);
  expect_any_port("25600 60999", 24576, 25599); // room enough above them
  expect_any_port("25599 60999", 8192, 16383);
  expect_any_port("24576 60999", 8192, 16383);
  expect_any_port("20000 60999", 8192, 16383);
  expect_any_port("16385 60999", 8192, 16383);
  expect_any_port("16384 60999", 8192, 16383);
  expect_any_port("16383 60999", 8191, 16382);
  expect_any_port("40000 60999", 31808, 39999);
  expect_any_port("1025 60999", 1024, 1024);
}

// Rules: tcp.Q10
TEST(AnyPort, WhatIsLeftIsBesideThem) {
  const auto [below, above] = beside_mapped("2000\t60999\n");
  EXPECT_EQ(below.low, 2000);
  EXPECT_EQ(below.high, 16383);
  EXPECT_EQ(above.low, 24576);
  EXPECT_EQ(above.high, 60999);
  const auto [none, all] = beside_mapped("32768 60999");
  EXPECT_GT(none.low, none.high);
  EXPECT_EQ(all.low, 32768);
  const auto [nothing, either] = beside_mapped("16384 24575");
  EXPECT_GT(nothing.low, nothing.high);
  EXPECT_GT(either.low, either.high);
}

TEST(AnyPort, WithoutRoomBelowTheUsualRangeIsTaken) {
  const PortRange range = any_port_range_below("1024\t65535\n");
  EXPECT_EQ(range.low, 24576);
  EXPECT_EQ(range.high, 32767);
  EXPECT_EQ(any_port_range_below("").high, 32767);
}

} // namespace
} // namespace datum::test
