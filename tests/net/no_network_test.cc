// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A host without a network: either no interface is up, not even loopback, or no interface has an
// address. The IA `datum` must exist all the same.
#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <cstring>
#include <netinet/in.h>
#include <ostream>
#include <string>
#include <sys/socket.h>

#include "connection.h"
#include "namespace.h"
#include "said.h"
#include "variable.h"

namespace datum::net {
namespace {

using test::Buffer;
using test::Cr;
using test::expect_connection_event;
using test::Ia;
using test::Listener;
using test::Side;
using test::Variable;

constexpr const char* kWhyNot = "no network interface of this host is up and has an address";

struct Lack {
  const char* name;
  const char* script; // runs in a fresh namespace
};
void PrintTo(const Lack& lack, std::ostream* out) {
  *out << lack.name;
}

class NoNetwork : public testing::TestWithParam<Lack> {
 protected:
  NoNetwork() { host_.run(GetParam().script); }

  static Ia open_with(const char* ways) {
    const Variable transport("DATUM_TRANSPORT", ways);
    return test::open_ia("datum");
  }
  static std::string attribute(const Ia& ia, const std::string& name) {
    const DAT_IA_ATTR told = test::ia_attributes(ia);
    for (DAT_COUNT i = 0; i < told.num_transport_attr; ++i)
      if (told.transport_attr[i].name == name) return told.transport_attr[i].value;
    return {};
  }
  static void expect_connects(Side& active, Side& passive, Listener& listener) {
    ASSERT_DAT_OK(test::connect(active.ep(), listener));
    Cr cr = listener.expect_request();
    ASSERT_DAT_OK(test::accept(cr, passive.ep()));
    expect_connection_event(active.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, active.ep());
    expect_connection_event(passive.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, passive.ep());
  }
  static void connect_to(Side& side, const char* address) {
    sockaddr_in peer{};
    peer.sin_family = AF_INET;
    ASSERT_EQ(::inet_pton(AF_INET, address, &peer.sin_addr), 1);
    ASSERT_DAT_OK(test::connect(side.ep(), reinterpret_cast<DAT_IA_ADDRESS_PTR>(&peer), 7777));
  }

  Namespace host_ = Namespace::create();
  Visit visit_{host_};
};

// Rules: ENV.24
TEST_P(NoNetwork, ConnectsProcessesOfThisHostAndAnAdapterWithItself) {
  for (const char* ways : {"auto", "shm"}) {
    SCOPED_TRACE(ways);
    const Said said;
    const Ia one = open_with(ways);
    const Ia other = open_with(ways);
    for (const Ia* active_ia : {&one, &other}) {
      Listener listener(one);
      Side active(*active_ia);
      Side passive(one);
      expect_connects(active, passive, listener);
      Buffer source = active.buffer(64);
      Buffer target = passive.buffer(64);
      source.fill(7);
      EXPECT_DAT_OK(test::post_write(active.ep(), {source.segment()}, target.remote(), 1));
      test::expect_dto(active.request_evd(), active.ep(), 1);
      EXPECT_TRUE(target.holds(7, 0, 64));
    }
  }
}

// Rules: ENV.24
TEST_P(NoNetwork, ReportsTheLoopbackAddressAndWhyTcpReachesNobody) {
  const Ia ia = open_with("auto");
  sockaddr_in told{};
  std::memcpy(&told, test::address_of(ia), sizeof told);
  EXPECT_EQ(told.sin_family, AF_INET);
  EXPECT_EQ(ntohl(told.sin_addr.s_addr), INADDR_LOOPBACK);
  EXPECT_EQ(attribute(ia, "path.this_host"),
            std::string("shared memory where the listener offers it; not TCP: ") + kWhyNot);
  EXPECT_EQ(attribute(ia, "path.other_hosts"), std::string("none: ") + kWhyNot);
}

// Rules: ENV.24
TEST_P(NoNetwork, AConnectToAnotherHostIsUnreachableAndSaysWhyOnce) {
  Said said;
  const Ia ia = open_with("auto");
  for (int i = 0; i < 2; ++i) {
    Side side(ia);
    connect_to(side, "192.0.2.1");
    expect_connection_event(side.connect_evd(), DAT_CONNECTION_EVENT_UNREACHABLE, side.ep());
  }
  EXPECT_EQ(said.take(),
            std::string("datum warn: connecting to 192.0.2.1 port 7777 over TCP: Network is "
                        "unreachable; ") +
                kWhyNot + ", see `ip address`\n");
}

// No service point listens yet, so the connect is refused. This host is not unreachable.
// Rules: ENV.24 CONN.3 CONN.27
TEST_P(NoNetwork, AConnectToNobodyOfThisHostIsAnsweredAsEver) {
  const Ia ia = open_with("auto");
  Side side(ia);
  connect_to(side, "127.0.0.1");
  expect_connection_event(side.connect_evd(), DAT_CONNECTION_EVENT_NON_PEER_REJECTED, side.ep());
}

// Rules: ENV.24
TEST_P(NoNetwork, TcpAloneOpensAndSaysThatItReachesNobody) {
  Said said;
  const Ia ia = open_with("tcp");
  Listener listener(ia);
  Side side(ia);
  ASSERT_DAT_OK(test::connect(side.ep(), listener));
  expect_connection_event(side.connect_evd(), DAT_CONNECTION_EVENT_UNREACHABLE, side.ep());
  const std::string lines = said.take();
  EXPECT_EQ(lines_with(lines, {"ia \"datum\": ", kWhyNot, "DATUM_TRANSPORT=tcp"}), 1U) << lines;
  EXPECT_EQ(lines_with(lines, {"connecting to 127.0.0.1", kWhyNot}), 1U) << lines;
  EXPECT_EQ(attribute(ia, "path.this_host"), std::string("none: ") + kWhyNot);
}

// Rules: ENV.24
TEST_P(NoNetwork, AnInterfaceThatComesUpLaterIsUsed) {
  const Ia ia = open_with("tcp");
  host_.run("ip link set dev lo up");
  Listener listener(ia);
  Side active(ia);
  Side passive(ia);
  expect_connects(active, passive, listener);
}

// The tests that run without a network, of both versions.
constexpr const char* kWithoutNetwork =
    "DatIaOpen*:DatCr*:DatEpConnect*:DatEpDisconnect*:DatEpPost*:DatPsp*:RuleServicePoints*";
constexpr const char* kWithoutNetwork2 = "DatIaOpen*:Dat2Datagrams*:Dat2Extensions*:Dat2Csp*";

void run_conformance(const Namespace& host, const std::string& suite, const std::string& chosen) {
  host.run("exec env DATUM_TRANSPORT=auto timeout 100 " + suite +
           " --transport=shm --gtest_brief=1 '--gtest_filter=" + chosen + "'");
}

// Rules: ENV.24
TEST_P(NoNetwork, TheSuiteOfDat1Passes) {
  run_conformance(host_, DATUM_NET_CONFORMANCE, kWithoutNetwork);
}

// Rules: ENV.24
TEST_P(NoNetwork, TheSuiteOfDat2Passes) {
  run_conformance(host_, DATUM_NET_CONFORMANCE2, kWithoutNetwork2);
}

INSTANTIATE_TEST_SUITE_P(Where, NoNetwork,
                         testing::Values(Lack{"EachInterfaceIsDown",
                                              "ip link show dev lo | grep -q DOWN"},
                                         Lack{"NoInterfaceHasAnAddress",
                                              "ip link add name wire type veth peer name plug\n"
                                              "ip link set dev wire addrgenmode none\n"
                                              "ip link set dev plug addrgenmode none\n"
                                              "ip link set dev wire up\n"
                                              "ip link set dev plug up\n"}),
                         [](const auto& lack) { return std::string(lack.param.name); });

} // namespace
} // namespace datum::net
