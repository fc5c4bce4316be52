// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reasons on this host for which a connect is refused: no local port, no local address, no route.
#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <array>
#include <climits>
#include <cstdio>
#include <cstring>
#include <linux/capability.h>
#include <list>
#include <memory>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "connection.h"
#include "foreign.h"
#include "namespace.h"
#include "two_hosts.h"
#include "variable.h"

namespace datum::net {
namespace {

using test::Cr;
using test::Evd;
using test::expect_connection_event;
using test::Ia;
using test::Listener;
using test::open_ia;
using test::Psp;
using test::Side;

constexpr DAT_CONN_QUAL kMapped = 0x123456789a;
// The first two candidate ports of kMapped (candidates_test.cc).
constexpr std::uint16_t kFirstPort = 18951;
constexpr std::uint16_t kSecondPort = 24486;

// Occupies a local port by a connection to a port of this host. The connection ends by a reset,
// which frees the local port at once.
class Occupant {
 public:
  explicit Occupant(std::uint16_t port) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to), 0) << port;
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  }
  ~Occupant() { ::close(socket_); }
  Occupant(const Occupant&) = delete;
  Occupant& operator=(const Occupant&) = delete;

 private:
  int socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
};

sockaddr_in ipv4_address(const char* text) {
  sockaddr_in made{};
  made.sin_family = AF_INET;
  EXPECT_EQ(::inet_pton(AF_INET, text, &made.sin_addr), 1);
  return made;
}

// A host with the loopback interface and a wire that leads to no other host.
class OneHost : public testing::Test {
 protected:
  explicit OneHost() {
    host_.run("ip link set dev lo up\n"
              "ip link add name wire type veth peer name plug\n"
              // no addresses other than those that the test sets
              "ip link set dev wire addrgenmode none\n"
              "ip link set dev plug addrgenmode none\n"
              "ip link set dev wire up\n"
              "ip link set dev plug up\n"
              "ip address add 10.88.0.1/24 dev wire\n");
  }
  void allow_local_ports(const std::string& from_to) {
    host_.run("echo '" + from_to + "' >/proc/sys/net/ipv4/ip_local_port_range");
  }
  static void expect_connects(Side& active, Side& passive, Listener& listener) {
    ASSERT_DAT_OK(test::connect(active.ep(), listener));
    Cr cr = listener.expect_request();
    ASSERT_DAT_OK(test::accept(cr, passive.ep()));
    expect_connection_event(active.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, active.ep());
  }
  static void expect_unreachable(Side& side, const char* to) {
    sockaddr_in peer = ipv4_address(to);
    ASSERT_DAT_OK(test::connect(side.ep(), reinterpret_cast<DAT_IA_ADDRESS_PTR>(&peer), 7777));
    expect_connection_event(side.connect_evd(), DAT_CONNECTION_EVENT_UNREACHABLE, side.ep());
  }

  Namespace host_ = Namespace::create();
  Visit visit_{host_};
};

// --- whether the peer is of this host ------------------------------------------------------------

constexpr std::size_t kFlags = 16; // of a startup frame
constexpr char kCrc = 0x40;

std::string congestion_of(int socket) {
  char name[16] = {};
  socklen_t length = sizeof name - 1;
  ::getsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, name, &length);
  return name;
}

// The flags of the request that `ia` sends to a listener of `host` at the address `at`.
char flags_of_request(DAT_IA_HANDLE ia, const Namespace& host, const char* at) {
  const int door = [&] {
    const Visit visit(host);
    return ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  }();
  sockaddr_in name = ipv4_address(at);
  socklen_t length = sizeof name;
  EXPECT_EQ(::bind(door, reinterpret_cast<sockaddr*>(&name), length), 0);
  EXPECT_EQ(::listen(door, 1), 0);
  EXPECT_EQ(::getsockname(door, reinterpret_cast<sockaddr*>(&name), &length), 0);
  Side side(ia);
  EXPECT_DAT_OK(
      test::connect(side.ep(), reinterpret_cast<DAT_IA_ADDRESS_PTR>(&name), ntohs(name.sin_port)));
  const int guest = ::accept4(door, nullptr, nullptr, SOCK_CLOEXEC);
  std::array<char, 20> frame{};
  EXPECT_EQ(::recv(guest, frame.data(), frame.size(), MSG_WAITALL), ssize_t{20});
  ::close(guest);
  ::close(door);
  return frame[kFlags];
}

// The congestion control of this process's connection with `peer`.
std::string congestion_towards(const char* peer) {
  const sockaddr_in wanted = ipv4_address(peer);
  for (int fd = 0; fd < 1024; ++fd) {
    sockaddr_in name{};
    socklen_t length = sizeof name;
    if (::getpeername(fd, reinterpret_cast<sockaddr*>(&name), &length) == 0 &&
        name.sin_family == AF_INET && name.sin_addr.s_addr == wanted.sin_addr.s_addr)
      return congestion_of(fd);
  }
  return "no such connection";
}

// Rules: iwarp.S32 ENV.7
TEST_F(OneHost, TowardsItsOwnAddressesNoCrcIsAskedFor) {
  const Ia wire = open_ia("datum-wire");
  EXPECT_EQ(flags_of_request(wire, host_, "10.88.0.1") & kCrc, 0);
  EXPECT_EQ(flags_of_request(wire, host_, "127.0.0.1") & kCrc, 0);
  host_.run("ip address add 10.89.0.1/24 dev plug");
  EXPECT_EQ(flags_of_request(wire, host_, "10.89.0.1") & kCrc, 0);
}

// An IA of all addresses. When it was opened, only the loopback interface had an address.
// Rules: iwarp.S32 ENV.7
TEST(AnotherHost, IsAskedForTheCrcByWhoeverHadNoNetworkAtFirst) {
  TwoHosts hosts;
  Ia here;
  {
    const Namespace& host = hosts.here();
    const Visit visit(host);
    host.run("ip link set dev lo up\nip link set dev wire down\n");
    here = open_ia("datum");
    host.run("ip link set dev wire up\n");
  }
  const sockaddr_in loopback = ipv4_address("127.0.0.1");
  EXPECT_EQ(std::memcmp(test::address_of(here), &loopback, sizeof loopback), 0);
  EXPECT_NE(flags_of_request(here, hosts.there(), TwoHosts::kThere) & kCrc, 0);
}

// The address that this IA reported belongs to the other host now.
// Rules: iwarp.S32 ENV.7
TEST(AnotherHost, IsAskedForTheCrcAtAnAddressThatWasOurs) {
  TwoHosts hosts;
  const Ia here = open_ia("datum");
  hosts.here().run("ip address del 10.87.0.1/24 dev wire\n"
                   "ip address add 10.87.0.3/24 dev wire\n");
  hosts.there().run("ip address add 10.87.0.1/24 dev wire\n");
  EXPECT_NE(flags_of_request(here, hosts.there(), TwoHosts::kHere) & kCrc, 0);
}

// Rules: iwarp.S32 tcp.S4 ENV.7
TEST(AnotherHost, IsAskedForTheCrcAndHasTheSystemsCongestionControl) {
  TwoHosts hosts;
  const Ia here = open_ia("datum");
  EXPECT_NE(flags_of_request(here, hosts.there(), TwoHosts::kThere) & kCrc, 0);
  const int fresh = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const std::string systems = congestion_of(fresh);
  ::close(fresh);
  Ia there;
  std::unique_ptr<Listener> listener;
  {
    const Visit visit(hosts.there());
    there = open_ia("datum-wire");
    listener = std::make_unique<Listener>(there);
  }
  Side active(here);
  Side passive(there);
  EXPECT_DAT_OK(test::connect(active.ep(), *listener));
  {
    // the accepting thread checks from its own host where the peer is
    const Visit visit(hosts.there());
    Cr cr = listener->expect_request();
    EXPECT_DAT_OK(test::accept(cr, passive.ep()));
  }
  expect_connection_event(active.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, active.ep());
  EXPECT_EQ(congestion_towards(TwoHosts::kThere), systems); // active side
  EXPECT_EQ(congestion_towards(TwoHosts::kHere), systems);  // passive side
}

// --- ports, addresses, ways ----------------------------------------------------------------------

// Rules: tcp.R13
TEST_F(OneHost, WithoutALocalPortAConnectNamesTheLimit) {
  allow_local_ports("60000 60001");
  const Ia ia = open_ia("datum-lo");
  Listener listener(ia);
  Side first(ia);
  Side second(ia);
  Side third(ia);
  Side first_peer(ia);
  Side second_peer(ia);
  Side third_peer(ia);
  expect_connects(first, first_peer, listener);
  expect_connects(second, second_peer, listener);
  testing::internal::CaptureStderr();
  const DAT_RETURN answer = test::connect(third.ep(), listener);
  const DAT_RETURN again = test::connect(third.ep(), listener);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_DAT_ERROR(answer, DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_DEVICE);
  EXPECT_DAT_ERROR(again, DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_DEVICE);
  const std::string line = "datum warn: 127.0.0.1: no connection to 127.0.0.1 can be made: Cannot "
                           "assign requested address; all local ports that `sysctl "
                           "net.ipv4.ip_local_port_range` allows are in use towards that peer\n";
  EXPECT_EQ(said, line) << "once";
  allow_local_ports("60000 60003"); // the kernel chooses among an even number of ports
  expect_connects(third, third_peer, listener);
}

// Rules: tcp.R13
TEST_F(OneHost, ALaterAttemptWaitsForALocalPort) {
  allow_local_ports("60000 60001");
  const Ia ia = open_ia("datum-lo");
  const Evd requests = test::create_evd(ia, DAT_EVD_CR_FLAG);
  Foreign foreign(host_, kFirstPort, Manner::HangsUp);
  Psp psp;
  ASSERT_DAT_OK(dat_psp_create(ia, kMapped, requests, DAT_PSP_CONSUMER_FLAG, psp.out()));
  Side active(ia);
  Side passive(ia);
  std::list<Occupant> occupants;
  occupants.emplace_back(kSecondPort);
  occupants.emplace_back(kSecondPort);
  testing::internal::CaptureStderr();
  ASSERT_DAT_OK(test::connect(active.ep(), test::address_of(ia), kMapped, "asks", 20'000'000));
  DAT_EVENT event{};
  DAT_COUNT more = 0;
  EXPECT_DAT_TYPE(dat_evd_wait(active.connect_evd(), 1'000'000, 1, &event, &more),
                  DAT_TIMEOUT_EXPIRED);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("net.ipv4.ip_local_port_range"),
            std::string::npos);
  occupants.clear();
  Cr cr = test::expect_request(requests);
  ASSERT_DAT_OK(test::accept(cr, passive.ep()));
  expect_connection_event(active.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, active.ep());
}

// Rules: tcp.R13
TEST_F(OneHost, AnAddressThatHasGoneIsNoShortage) {
  const Ia ia = open_ia("datum-wire");
  Side side(ia);
  host_.run("ip address del 10.88.0.1/24 dev wire");
  expect_unreachable(side, "127.0.0.1");
}

// No interface has an IPv6 address, but there is a route. The kernel reports the same error as when
// no port is free.
// Rules: tcp.R13
TEST_F(OneHost, NoAddressToComeFromIsNoShortage) {
  host_.run("ip -6 address flush dev lo\n"
            "ip -6 route add fd00:88::/64 dev wire\n");
  const Ia ia = open_ia("datum");
  Side side(ia);
  sockaddr_in6 peer{};
  peer.sin6_family = AF_INET6;
  ASSERT_EQ(::inet_pton(AF_INET6, "fd00:88::2", &peer.sin6_addr), 1);
  ASSERT_DAT_OK(test::connect(side.ep(), reinterpret_cast<DAT_IA_ADDRESS_PTR>(&peer), 7777));
  expect_connection_event(side.connect_evd(), DAT_CONNECTION_EVENT_UNREACHABLE, side.ep());
}

// Rules: tcp.R14
TEST_F(OneHost, WhatAPolicyRefusesIsToldOnce) {
  host_.run("ip route add prohibit 10.99.0.0/16");
  const Ia ia = open_ia("datum-wire");
  Side one(ia);
  Side other(ia);
  testing::internal::CaptureStderr();
  expect_unreachable(one, "10.99.0.1");
  expect_unreachable(other, "10.99.0.1");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "datum warn: connecting to 10.99.0.1 port 7777 over TCP: Permission denied; a "
            "firewall, a route "
            "or a security policy of this host refuses it\n");
}

// Rules: tcp.R14
TEST_F(OneHost, WhereThereIsNoWayTheCodeSaysItAll) {
  const Ia ia = open_ia("datum-wire");
  Side side(ia);
  testing::internal::CaptureStderr();
  expect_unreachable(side, "10.99.0.1");
  const bool informed = ::getenv("DATUM_LOG") != nullptr;
  const std::string said = testing::internal::GetCapturedStderr();
  std::fputs(said.c_str(), stdout);
  EXPECT_EQ(said.empty(), !informed) << said;
}

// The log level belongs to the process, so another process runs this test.
// Rules: tcp.R14
TEST(Unreachable, WhoAsksIsToldWhy) {
  char program[PATH_MAX] = {};
  ASSERT_GT(::readlink("/proc/self/exe", program, sizeof program - 1), 0);
  const std::string command = std::string("DATUM_LOG=info ") + program +
                              " --gtest_filter=OneHost.WhereThereIsNoWayTheCodeSaysItAll 2>&1";
  FILE* output = ::popen(command.c_str(), "r");
  ASSERT_NE(output, nullptr);
  std::string said;
  for (int octet = std::fgetc(output); octet != EOF; octet = std::fgetc(output))
    said += static_cast<char>(octet);
  EXPECT_EQ(::pclose(output), 0) << said;
  EXPECT_NE(
      said.find("datum info: connecting to 10.99.0.1 port 7777 over TCP: Network is unreachable; "
                "`ip route get 10.99.0.1` shows the way there\n"),
      std::string::npos)
      << said;
}

// --- ports that are chosen -----------------------------------------------------------------------

// While an object of this class exists, the calling thread has no privilege for ports below
// net.ipv4.ip_unprivileged_port_start.
class WithoutPrivilege {
 public:
  WithoutPrivilege() {
    EXPECT_EQ(::syscall(SYS_capget, &header_, before_), 0);
    __user_cap_data_struct fewer[2] = {before_[0], before_[1]};
    fewer[0].effective &= ~(1U << CAP_NET_BIND_SERVICE);
    EXPECT_EQ(::syscall(SYS_capset, &header_, fewer), 0);
  }
  ~WithoutPrivilege() { EXPECT_EQ(::syscall(SYS_capset, &header_, before_), 0); }
  WithoutPrivilege(const WithoutPrivilege&) = delete;
  WithoutPrivilege& operator=(const WithoutPrivilege&) = delete;

 private:
  __user_cap_header_struct header_{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct before_[2]{};
};

class AnyQualifier : public OneHost {
 protected:
  void need_a_privilege_below(int port) {
    host_.run("echo " + std::to_string(port) + " >/proc/sys/net/ipv4/ip_unprivileged_port_start");
  }
  DAT_RETURN listen_anywhere(DAT_IA_HANDLE ia, DAT_EVD_HANDLE evd, Psp& psp) {
    return dat_psp_create_any(ia, &found_, evd, DAT_PSP_CONSUMER_FLAG, psp.out());
  }
  DAT_CONN_QUAL found_ = 0;
};

// Rules: tcp.R15
TEST_F(AnyQualifier, APortThatIsRefusedIsNotTheLast) {
  const test::Variable range("DATUM_PORT_RANGE", "30000-30009");
  need_a_privilege_below(30009);
  const Ia ia = open_ia("datum-lo");
  const Evd evd = test::create_evd(ia, DAT_EVD_CR_FLAG);
  const WithoutPrivilege less;
  for (int i = 0; i < 20; ++i) { // the search begins at a random port
    Psp psp;
    ASSERT_DAT_OK(listen_anywhere(ia, evd, psp));
    EXPECT_EQ(found_, 30009U);
  }
}

// Rules: tcp.R15 tcp.R12
TEST_F(AnyQualifier, WhereEachIsRefusedThePrivilegeIsNamed) {
  const test::Variable range("DATUM_PORT_RANGE", "30000-30009");
  need_a_privilege_below(30010);
  const Ia ia = open_ia("datum-lo");
  const Evd evd = test::create_evd(ia, DAT_EVD_CR_FLAG);
  const WithoutPrivilege less;
  Psp psp;
  testing::internal::CaptureStderr();
  const DAT_RETURN any = listen_anywhere(ia, evd, psp);
  const std::string said_of_any = testing::internal::GetCapturedStderr();
  EXPECT_DAT_TYPE(any, DAT_CONN_QUAL_UNAVAILABLE);
  testing::internal::CaptureStderr();
  const DAT_RETURN one = dat_psp_create(ia, 30005, evd, DAT_PSP_CONSUMER_FLAG, psp.out());
  const std::string said_of_one = testing::internal::GetCapturedStderr();
  EXPECT_DAT_TYPE(one, DAT_CONN_QUAL_UNAVAILABLE);
  for (const std::string& said : {said_of_any, said_of_one}) {
    EXPECT_NE(said.find("port needs a privilege (CAP_NET_BIND_SERVICE, below `sysctl "
                        "net.ipv4.ip_unprivileged_port_start`)"),
              std::string::npos)
        << said;
    EXPECT_NE(said.find("choose one from 30010 on, which that is here\n"), std::string::npos)
        << said;
  }
}

// --- candidates that are refused -----------------------------------------------------------------

class MappedQualifier : public AnyQualifier {
 protected:
  DAT_RETURN listen(Psp& psp) {
    const WithoutPrivilege less;
    return dat_psp_create(ia_, kMapped, requests_, DAT_PSP_CONSUMER_FLAG, psp.out());
  }

  const Ia ia_ = open_ia("datum-lo");
  const Evd requests_ = test::create_evd(ia_, DAT_EVD_CR_FLAG);
};

// Rules: tcp.Q4 tcp.Q11
TEST_F(MappedQualifier, ACandidateThatIsRefusedIsNotTheLast) {
  need_a_privilege_below(kFirstPort + 1);
  Psp psp;
  testing::internal::CaptureStderr();
  ASSERT_DAT_OK(listen(psp));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_TRUE(is_taken(kSecondPort));
  Side active(ia_);
  Side passive(ia_);
  ASSERT_DAT_OK(test::connect(active.ep(), test::address_of(ia_), kMapped));
  Cr cr = test::expect_request(requests_);
  ASSERT_DAT_OK(test::accept(cr, passive.ep()));
  expect_connection_event(active.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, active.ep());
}

// Rules: tcp.Q11 tcp.R12
TEST_F(MappedQualifier, WhereEachIsRefusedThePrivilegeIsNamed) {
  need_a_privilege_below(24576);
  Psp psp;
  testing::internal::CaptureStderr();
  const DAT_RETURN answer = listen(psp);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_DAT_TYPE(answer, DAT_CONN_QUAL_UNAVAILABLE);
  EXPECT_EQ(said,
            "datum warn: listening at 127.0.0.1 qualifier 78187493530: each port needs a privilege "
            "(CAP_NET_BIND_SERVICE, below `sysctl net.ipv4.ip_unprivileged_port_start`) that this "
            "process lacks, or a security policy refuses it; choose one from 24576 on, which that "
            "is here\n");
}

// The second candidate port is in use. All other candidates need a privilege.
// Rules: tcp.Q11
TEST_F(MappedQualifier, WhereTheOthersAreUsedItIsInUse) {
  const Foreign foreign(host_, kSecondPort, Manner::Silent);
  need_a_privilege_below(kSecondPort);
  Psp psp;
  testing::internal::CaptureStderr();
  const DAT_RETURN answer = listen(psp);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_DAT_TYPE(answer, DAT_CONN_QUAL_IN_USE);
  EXPECT_EQ(said, "datum warn: listening at 127.0.0.1 qualifier 78187493530: all its candidate "
                  "ports from 16384 to 24575 are used, or not permitted\n");
}

// --- which port is any ---------------------------------------------------------------------------

// Rules: tcp.Q10
TEST_F(AnyQualifier, IsNoMappedPort) {
  allow_local_ports("20000 60999");
  const Ia ia = open_ia("datum-lo");
  const Evd evd = test::create_evd(ia, DAT_EVD_CR_FLAG);
  for (int i = 0; i < 20; ++i) {
    Psp psp;
    ASSERT_DAT_OK(listen_anywhere(ia, evd, psp));
    EXPECT_TRUE(found_ < 16384 || found_ > 24575) << found_;
  }
}

// The kernel gives low ports first. Below the mapped ports it may choose only one, and that port is
// taken.
// Rules: tcp.Q10
TEST_F(AnyQualifier, IsNoMappedPortWhereTheKernelChooses) {
  allow_local_ports("1025 24576");
  host_.run("echo 1025-16383 >/proc/sys/net/ipv4/ip_local_reserved_ports");
  const Ia ia = open_ia("datum-lo");
  const Evd evd = test::create_evd(ia, DAT_EVD_CR_FLAG);
  Psp last;
  ASSERT_DAT_OK(dat_psp_create(ia, 1024, evd, DAT_PSP_CONSUMER_FLAG, last.out()));
  for (int i = 0; i < 20; ++i) {
    Psp psp;
    ASSERT_DAT_OK(listen_anywhere(ia, evd, psp));
    EXPECT_TRUE(found_ < 16384 || found_ > 24575) << found_;
  }
}

// Rules: tcp.Q10
TEST_F(AnyQualifier, IsUnavailableWhereOnlyMappedPortsAreLeft) {
  allow_local_ports("16384 24575");
  need_a_privilege_below(16384);
  const Ia ia = open_ia("datum-lo");
  const Evd evd = test::create_evd(ia, DAT_EVD_CR_FLAG);
  const WithoutPrivilege less;
  Psp psp;
  EXPECT_DAT_TYPE(listen_anywhere(ia, evd, psp), DAT_CONN_QUAL_UNAVAILABLE);
}

} // namespace
} // namespace datum::net
