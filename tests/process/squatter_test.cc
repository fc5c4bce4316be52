// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Another user's process holds socket names of a service point. The tests check which service
// points it can prevent, and which processes notice it.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "connection.h"
#include "port_probe.h"
#include "squatter.h"
#include "stranger.h"
#include "tests/filter.h"
#include "two_processes.h"
#include "variable.h"

namespace datum::test {
namespace {

constexpr uid_t kSquatter = 65534;
constexpr uid_t kOtherSquatter = 65533;

Ia open_over(const char* ways, const std::string& name = ia_name()) {
  const Variable transport("DATUM_TRANSPORT", ways);
  return open_ia(name);
}

class SquatterTest : public testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "becoming another user needs root";
  }
};

TEST_F(SquatterTest, OnAFreeQualifierIsToldNothing) {
  const Ia ia = open_ia();
  Side side(ia);
  DAT_CONN_QUAL qualifier = 0;
  {
    const Listener once(ia);
    qualifier = once.qualifier();
  }
  Squatter squatter(rendezvous_of(address_of(ia), qualifier), kSquatter);
  ASSERT_TRUE(squatter.holds());
  EXPECT_DAT_OK(connect(side.ep(), address_of(ia), qualifier));
  expect_connection_event(side.connect_evd(), DAT_CONNECTION_EVENT_NON_PEER_REJECTED, side.ep());
  EXPECT_FALSE(squatter.end());
}

TEST_F(SquatterTest, BesideAServicePointGetsNoneOfItsConnections) {
  PairOptions options;
  options.connected = false;
  ConnectedPair pair(options);
  Listener listener(pair.passive_ia());
  DAT_IA_ADDRESS_PTR address = address_of(pair.passive_ia());
  Squatter squatter(rendezvous_of(address, listener.qualifier()), kSquatter);
  // The squatter cannot take the name if the service point has it.
  EXPECT_DAT_OK(connect(pair.active().ep(), listener));
  Cr cr = listener.expect_request();
  EXPECT_DAT_OK(accept(cr, pair.passive().ep()));
  expect_connection_event(pair.active().connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED,
                          pair.active().ep());
  if (squatter.holds())
    EXPECT_FALSE(squatter.end());
  else
    squatter.end();
}

// A qualifier beyond 16 bits has no port, so only socket names decide who has it.
TEST_F(SquatterTest, BesideALargeQualifierOverTcpGetsNoneOfItsConnections) {
  const Ia ia = open_over("tcp");
  const Evd evd = create_evd(ia, DAT_EVD_CR_FLAG);
  const DAT_CONN_QUAL qualifier = (DAT_CONN_QUAL{1} << 40U) + free_qualifier();
  const Psp psp = create_psp(ia, qualifier, evd);
  const std::string name = rendezvous_of(address_of(ia), qualifier);
  Squatter at_address(name, kSquatter);
  Squatter at_every("datum/1/*/" + std::to_string(qualifier), kSquatter);
  EXPECT_NE(at_address.holds(), at_every.holds()) << "one of them is the service point's";
  const Ia other = open_over("auto");
  Side active(other);
  Side passive(ia);
  EXPECT_DAT_OK(connect(active.ep(), address_of(ia), qualifier));
  Cr cr = expect_request(evd);
  EXPECT_DAT_OK(accept(cr, passive.ep()));
  expect_connection_event(active.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, active.ep());
  EXPECT_EQ(told_of(active.ep(), "datum_path"), "tcp");
  Squatter& squatter = at_every.holds() ? at_every : at_address;
  Squatter& refused = at_every.holds() ? at_address : at_every;
  EXPECT_FALSE(squatter.end());
  refused.end();
}

// --- a port of its own ---------------------------------------------------------------------------

std::string decimal(DAT_CONN_QUAL number) {
  return std::to_string(number);
}

void expect_a_line(const std::string& said, std::initializer_list<std::string> parts) {
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  for (const std::string& part : parts) EXPECT_NE(said.find(part), std::string::npos) << said;
}

// Calls dat_psp_create(). Returns the log lines.
std::string said_by_create(DAT_IA_HANDLE ia, DAT_CONN_QUAL qualifier, DAT_EVD_HANDLE evd, Psp& psp,
                           DAT_RETURN expected = DAT_SUCCESS) {
  testing::internal::CaptureStderr();
  const DAT_RETURN ret = dat_psp_create(ia, qualifier, evd, DAT_PSP_CONSUMER_FLAG, psp.out());
  std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(DAT_GET_TYPE(ret), expected) << status_name(ret);
  return said;
}

// Connects from an IA of its own. Returns the path.
std::string connect_over(const Ia& passive_ia, DAT_EVD_HANDLE requests, DAT_CONN_QUAL qualifier) {
  const Ia ia = open_over("auto");
  Side active(ia);
  Side passive(passive_ia);
  EXPECT_DAT_OK(connect(active.ep(), address_of(passive_ia), qualifier));
  Cr cr = expect_request(requests);
  EXPECT_DAT_OK(accept(cr, passive.ep()));
  expect_connection_event(active.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, active.ep());
  return told_of(active.ep(), "datum_path");
}

struct Squat {
  const char* name;
  Squatting how;
  const char* ia; // of the service point
  // To name the process of a socket, Datum has to connect to the socket.
  bool names_process;
};
void PrintTo(const Squat& squat, std::ostream* out) {
  *out << squat.name;
}

class SquatterAtAPort : public SquatterTest, public testing::WithParamInterface<Squat> {};

// Rules: PROTECT.10
TEST_P(SquatterAtAPort, LeavesAServicePointOverTcpThatIsFoundAtOnce) {
  const auto& [name, how, ia_name, names_process] = GetParam();
  const Ia ia = open_over("auto", ia_name);
  const Evd requests = create_evd(ia, DAT_EVD_CR_FLAG);
  const DAT_CONN_QUAL port = free_ports(1);
  Squatter squatter({{"datum/1/*/" + decimal(port)}, {rendezvous_of(address_of(ia), port)}},
                    kSquatter, how);
  ASSERT_TRUE(squatter.holds());
  Psp psp;
  const std::string said = said_by_create(ia, port, requests, psp);
  expect_a_line(said, {"over TCP alone", "is held by user 65534"});
  EXPECT_EQ(said.find("taken by process " + std::to_string(squatter.pid())) != std::string::npos,
            names_process)
      << said;
  EXPECT_EQ(connect_over(ia, requests, port), "tcp");
  EXPECT_FALSE(squatter.end());
}

INSTANTIATE_TEST_SUITE_P(
    By, SquatterAtAPort,
    testing::Values(Squat{"Listening", Squatting::Listens, "datum", true},
                    Squat{"NotListening", Squatting::DoesNotListen, "datum", false},
                    Squat{"AFullQueue", Squatting::HasAFullQueue, "datum", false},
                    Squat{"AConnectedSocket", Squatting::IsConnected, "datum", false},
                    Squat{"ListeningAtAnAddress", Squatting::Listens, "datum-lo", true},
                    Squat{"NotListeningAtAnAddress", Squatting::DoesNotListen, "datum-lo", false},
                    Squat{"AFullQueueAtAnAddress", Squatting::HasAFullQueue, "datum-lo", false}),
    [](const auto& squat) { return std::string(squat.param.name); });

// Rules: PROTECT.10
TEST(SquatterOfTheSameUser, KeepsAServicePointFromBeingMade) {
  const Ia ia = open_over("auto", "datum");
  const Evd requests = create_evd(ia, DAT_EVD_CR_FLAG);
  for (const Squatting how :
       {Squatting::Listens, Squatting::DoesNotListen, Squatting::HasAFullQueue}) {
    const DAT_CONN_QUAL port = free_ports(1);
    const Squatter squatter({{"datum/1/*/" + decimal(port)}}, geteuid(), how);
    ASSERT_TRUE(squatter.holds());
    Psp psp;
    EXPECT_EQ(said_by_create(ia, port, requests, psp, DAT_CONN_QUAL_IN_USE), "");
  }
}

// The squatter takes the name while there is no service point, and gives it back while the next
// service point exists.
// Rules: PROTECT.10
TEST_F(SquatterTest, ThatGoesLeavesTheNameToTheNextServicePoint) {
  const Ia ia = open_over("auto", "datum");
  const Evd requests = create_evd(ia, DAT_EVD_CR_FLAG);
  const DAT_CONN_QUAL port = free_ports(1);
  create_psp(ia, port, requests).free();
  Squatter squatter("datum/1/*/" + decimal(port), kSquatter);
  ASSERT_TRUE(squatter.holds());
  Psp psp;
  expect_a_line(said_by_create(ia, port, requests, psp), {"over TCP alone"});
  squatter.end();
  EXPECT_EQ(connect_over(ia, requests, port), "tcp");
  psp.free();
  EXPECT_EQ(said_by_create(ia, port, requests, psp), "");
  EXPECT_NE(connect_over(ia, requests, port), "tcp");
}

// Rules: PROTECT.12
TEST_F(SquatterTest, OnEveryNameOfTheRangeLeavesAnyServicePointOverTcp) {
  for (const std::uint16_t count : {std::uint16_t{1}, std::uint16_t{3}}) {
    const std::uint16_t low = free_ports(count);
    const Variable range("DATUM_PORT_RANGE",
                         std::to_string(low) + "-" + std::to_string(low + count - 1));
    std::vector<SquattedName> names;
    for (int i = 0; i < count; ++i) names.push_back({"datum/1/*/" + std::to_string(low + i)});
    const Ia ia = open_over("auto", "datum");
    const Evd requests = create_evd(ia, DAT_EVD_CR_FLAG);
    Squatter squatter(names, kSquatter);
    ASSERT_TRUE(squatter.holds());
    testing::internal::CaptureStderr();
    const Listener listener(ia);
    expect_a_line(testing::internal::GetCapturedStderr(),
                  {"over TCP alone", decimal(listener.qualifier()), "user 65534"});
    EXPECT_EQ(connect_over(ia, listener.evd(), listener.qualifier()), "tcp");
    EXPECT_FALSE(squatter.end());
  }
}

// --- ports that need a privilege -----------------------------------------------------------------

struct PrivilegedSquat {
  const char* name;
  const char* ia;
  std::vector<SquattedName> names; // without the port, which is added to each
};
void PrintTo(const PrivilegedSquat& squat, std::ostream* out) {
  *out << squat.name;
}

std::vector<SquattedName> every_mark() {
  std::vector<SquattedName> marks;
  for (int i = 0; i < 64; ++i) marks.push_back({"datum/m/" + std::to_string(i) + '/', SOCK_DGRAM});
  return marks;
}

std::vector<SquattedName> names_at(std::vector<SquattedName> names, const PrivilegedPort& port) {
  for (SquattedName& each : names) each.name += decimal(port.number());
  return names;
}

class SquatterAtAPrivilegedPort : public SquatterTest,
                                  public testing::WithParamInterface<PrivilegedSquat> {};

// Rules: PROTECT.10
TEST_P(SquatterAtAPrivilegedPort, LeavesAServicePointOverTcp) {
  const Ia ia = open_over("auto", GetParam().ia);
  const Evd requests = create_evd(ia, DAT_EVD_CR_FLAG);
  const PrivilegedPort port;
  Squatter squatter(names_at(GetParam().names, port), kSquatter);
  ASSERT_TRUE(squatter.holds());
  Psp psp;
  expect_a_line(said_by_create(ia, port.number(), requests, psp),
                {"over TCP alone", "is held by user 65534"});
  EXPECT_EQ(connect_over(ia, requests, port.number()), "tcp");
  EXPECT_FALSE(squatter.end());
}

INSTANTIATE_TEST_SUITE_P(
    By, SquatterAtAPrivilegedPort,
    testing::Values(
        PrivilegedSquat{"Rendezvous", "datum", {{"datum/1/*/"}}},
        PrivilegedSquat{"Claim", "datum", {{"datum/s/*/", SOCK_DGRAM}}},
        PrivilegedSquat{"MarkBesideEveryAddress", "datum", {{"datum/m/5/", SOCK_DGRAM}}},
        PrivilegedSquat{"AddressBesideEveryAddress", "datum", {{"datum/1/192.0.2.1/"}}},
        PrivilegedSquat{"RendezvousOfAnAddress", "datum-lo", {{"datum/1/127.0.0.1/"}}},
        PrivilegedSquat{"ClaimOfAnAddress", "datum-lo", {{"datum/s/127.0.0.1/", SOCK_DGRAM}}},
        PrivilegedSquat{"EveryAddressBesideAnAddress", "datum-lo", {{"datum/1/*/"}}},
        PrivilegedSquat{"ItsClaimBesideAnAddress", "datum-lo", {{"datum/q/*/", SOCK_DGRAM}}},
        PrivilegedSquat{"EveryMark", "datum-lo", every_mark()}),
    [](const auto& squat) { return std::string(squat.param.name); });

// A squatter chooses the names that the log shows. It must not control the terminal through them.
// Rules: PROTECT.10
TEST_F(SquatterTest, SaysNothingInTheLogByItsName) {
  const Ia ia = open_over("auto", "datum");
  const Evd requests = create_evd(ia, DAT_EVD_CR_FLAG);
  const PrivilegedPort port;
  const Squatter squatter("datum/1/\x1b[2J/" + decimal(port.number()), kSquatter);
  ASSERT_TRUE(squatter.holds());
  Psp psp;
  expect_a_line(said_by_create(ia, port.number(), requests, psp),
                {"@datum/1/?/" + decimal(port.number()) + " is held by"});
}

// --- where no port of its own decides ------------------------------------------------------------

struct Undecided {
  const char* name;
  const char* ways; // DATUM_TRANSPORT
  const char* squatted;
  int type = SOCK_SEQPACKET;
};
void PrintTo(const Undecided& undecided, std::ostream* out) {
  *out << undecided.name;
}

class SquatterAtALargeQualifier : public SquatterTest,
                                  public testing::WithParamInterface<Undecided> {};

// Rules: PROTECT.11
TEST_P(SquatterAtALargeQualifier, KeepsAServicePointFromBeingMadeAndIsNamed) {
  const Ia ia = open_over(GetParam().ways, "datum");
  const Evd requests = create_evd(ia, DAT_EVD_CR_FLAG);
  const DAT_CONN_QUAL qualifier = (DAT_CONN_QUAL{1} << 40U) + free_qualifier();
  const std::string name = GetParam().squatted + decimal(qualifier);
  const Squatter squatter({{name, GetParam().type}}, kSquatter);
  ASSERT_TRUE(squatter.holds());
  Psp psp;
  expect_a_line(said_by_create(ia, qualifier, requests, psp, DAT_CONN_QUAL_IN_USE),
                {decimal(qualifier), "@" + name + " is held by user 65534"});
}

INSTANTIATE_TEST_SUITE_P(By, SquatterAtALargeQualifier,
                         testing::Values(Undecided{"Rendezvous", "auto", "datum/1/*/"},
                                         Undecided{"Claim", "auto", "datum/s/*/", SOCK_DGRAM},
                                         Undecided{"ClaimOfTcp", "auto", "datum/q/*/", SOCK_DGRAM},
                                         Undecided{"Mark", "auto", "datum/m/3/", SOCK_DGRAM},
                                         Undecided{"RendezvousWithoutTcp", "shm", "datum/1/*/"},
                                         Undecided{"RendezvousOverTcp", "tcp", "datum/1/*/"},
                                         Undecided{"ClaimOverTcp", "tcp", "datum/q/*/",
                                                   SOCK_DGRAM}),
                         [](const auto& undecided) { return std::string(undecided.param.name); });

// Rules: PROTECT.11
TEST_F(SquatterTest, OfEachLargeQualifierIsNamedOnceInAWhile) {
  for (const char* ways : {"auto", "tcp"}) {
    const Ia ia = open_over(ways, "datum");
    const Evd requests = create_evd(ia, DAT_EVD_CR_FLAG);
    const DAT_CONN_QUAL first = (DAT_CONN_QUAL{1} << 40U) + free_qualifier();
    std::vector<SquattedName> names;
    for (DAT_CONN_QUAL i = 0; i < 3; ++i) names.push_back({"datum/1/*/" + decimal(first + i)});
    const Squatter squatter(names, kSquatter);
    ASSERT_TRUE(squatter.holds());
    Psp psp;
    for (DAT_CONN_QUAL i = 0; i < 3; ++i)
      expect_a_line(said_by_create(ia, first + i, requests, psp, DAT_CONN_QUAL_IN_USE),
                    {decimal(first + i), "is held by user 65534"});
    for (DAT_CONN_QUAL i = 0; i < 3; ++i)
      EXPECT_EQ(said_by_create(ia, first + i, requests, psp, DAT_CONN_QUAL_IN_USE), "");
  }
}

// Rules: PROTECT.11
TEST_F(SquatterTest, OnEachMarkOfALargeQualifierIsNamed) {
  const Ia ia = open_over("auto", "datum-lo");
  const Evd requests = create_evd(ia, DAT_EVD_CR_FLAG);
  const DAT_CONN_QUAL qualifier = (DAT_CONN_QUAL{1} << 40U) + free_qualifier();
  std::vector<SquattedName> marks;
  for (int i = 0; i < 64; ++i)
    marks.push_back({"datum/m/" + std::to_string(i) + "/" + decimal(qualifier), SOCK_DGRAM});
  const Squatter squatter(marks, kSquatter);
  ASSERT_TRUE(squatter.holds());
  Psp psp;
  expect_a_line(said_by_create(ia, qualifier, requests, psp, DAT_CONN_QUAL_IN_USE),
                {"@datum/m/", "is held by user 65534"});
}

// Rules: PROTECT.11
TEST_F(SquatterTest, OfWhoHasSharedMemoryAloneIsNamed) {
  const Ia ia = open_over("shm", "datum");
  const Evd requests = create_evd(ia, DAT_EVD_CR_FLAG);
  const DAT_CONN_QUAL port = free_ports(1);
  const Squatter squatter("datum/1/*/" + decimal(port), kSquatter);
  ASSERT_TRUE(squatter.holds());
  Psp psp;
  expect_a_line(said_by_create(ia, port, requests, psp, DAT_CONN_QUAL_IN_USE),
                {"is held by user 65534 (taken by process " + std::to_string(squatter.pid()),
                 "DATUM_TRANSPORT=shm"});
}

// Rules: PROTECT.11
TEST_F(SquatterTest, OfWhoMayNotHaveThePortIsNamed) {
  const Variable transport("DATUM_TRANSPORT", "auto");
  PeerProcess unprivileged(stranger_command({.other_user = true}));
  if (const std::string answer = unprivileged.ask("hello"); answer != "hello")
    GTEST_SKIP() << "no such process here: " << answer;
  const PrivilegedPort port;
  const Squatter squatter("datum/1/*/" + decimal(port.number()), kOtherSquatter);
  ASSERT_TRUE(squatter.holds());
  const std::string said = unprivileged.ask("listen_at " + decimal(port.number()));
  EXPECT_TRUE(said.starts_with("DAT_CONN_QUAL_IN_USE ")) << said;
  EXPECT_NE(said.find("is held by user 65533 (taken by process " + std::to_string(squatter.pid())),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("port " + decimal(port.number()) + " needs a privilege"), std::string::npos)
      << said;
}

// --- where the kernel does not tell --------------------------------------------------------------

// Rules: PROTECT.10
TEST_F(SquatterTest, WhomTheKernelDoesNotNameLeavesAServicePointOverTcp) {
  const Ia ia = open_over("auto", "datum");
  const Evd requests = create_evd(ia, DAT_EVD_CR_FLAG);
  const DAT_CONN_QUAL port = free_ports(1);
  const Squatter squatter({{"datum/1/*/" + decimal(port)}}, kSquatter, Squatting::DoesNotListen);
  ASSERT_TRUE(squatter.holds());
  Psp psp;
  std::optional<std::string> said;
  std::thread([&] {
    if (forbid_family(AF_NETLINK, EAFNOSUPPORT)) said = said_by_create(ia, port, requests, psp);
  }).join();
  if (!said) GTEST_SKIP() << "no filter of system calls here";
  expect_a_line(*said, {"over TCP alone", "held by somebody whom the kernel does not name"});
}

// Rules: PROTECT.10
TEST_F(SquatterTest, WithAFullQueueHoldsNobodyUpWhereTheKernelDoesNotTellWhoItIs) {
  const Ia ia = open_over("auto", "datum");
  const Evd requests = create_evd(ia, DAT_EVD_CR_FLAG);
  const DAT_CONN_QUAL port = free_ports(1);
  const Squatter squatter({{rendezvous_of(address_of(ia), port)}, {"datum/1/*/" + decimal(port)}},
                          kSquatter, Squatting::HasAFullQueue);
  ASSERT_TRUE(squatter.holds());
  Psp psp;
  said_by_create(ia, port, requests, psp);
  const Ia other = open_over("auto");
  Side active(other);
  Side passive(ia);
  bool filtered = false;
  std::thread([&] {
    filtered = forbid_family(AF_NETLINK, EAFNOSUPPORT);
    if (!filtered) return;
    EXPECT_DAT_OK(connect(active.ep(), address_of(ia), port));
  }).join();
  if (!filtered) GTEST_SKIP() << "no filter of system calls here";
  Cr cr = expect_request(requests);
  EXPECT_DAT_OK(accept(cr, passive.ep()));
  expect_connection_event(active.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, active.ep());
  EXPECT_EQ(told_of(active.ep(), "datum_path_reason"),
            "the listener for shared memory there has a full queue, and the kernel does not tell "
            "its user");
}

} // namespace
} // namespace datum::test
