// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The effects of environment variables on an IA that is opened while they are set.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "connection.h"
#include "port_probe.h"
#include "variable.h"

namespace datum::test {
namespace {

DAT_RETURN try_open(Ia& ia) {
  std::string name = ia_name();
  DAT_EVD_HANDLE async = DAT_HANDLE_NULL;
  return dat_ia_open(name.data(), 8, &async, ia.out());
}

// The text that an open writes to stderr.
std::string said_by_open(DAT_RETURN expected) {
  Ia ia;
  testing::internal::CaptureStderr();
  const DAT_RETURN ret = try_open(ia);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(ret, expected);
  return said;
}

void expect_one_line(const std::string& said, std::initializer_list<const char*> parts) {
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  for (const char* part : parts) EXPECT_NE(said.find(part), std::string::npos) << said;
}

// A range of two free neighbouring ports, of which `low` is the first. `low` + 2 is free, too.
// Another process may take them before the test does, but that is unlikely.
std::string two_ports(std::uint16_t& low) {
  low = free_ports(3);
  return std::to_string(low) + "-" + std::to_string(low + 1);
}

// Rules: ENV.1
TEST(Environment, ShmAndAutoConnectOnThisHost) {
  for (const char* value : {"shm", "auto"}) {
    const Variable transport("DATUM_TRANSPORT", value);
    EXPECT_EQ(said_by_open(DAT_SUCCESS), "");
    ConnectedPair pair;
    EXPECT_EQ(ep_state(pair.active().ep()), DAT_EP_STATE_CONNECTED);
  }
}

// Rules: ENV.2
TEST(Environment, TcpConnectsOverTcpOnThisHostToo) {
  const Variable transport("DATUM_TRANSPORT", "tcp");
  EXPECT_EQ(said_by_open(DAT_SUCCESS), "");
  ConnectedPair pair;
  EXPECT_EQ(told_of(pair.active().ep(), "datum_path"), "tcp");
  EXPECT_EQ(told_of(pair.passive().ep(), "datum_path"), "tcp");
}

// Rules: ENV.7
TEST(Environment, AnUnknownCrcIsSaidAndIgnored) {
  const Variable crc("DATUM_CRC", "sometimes");
  expect_one_line(said_by_open(DAT_SUCCESS), {"DATUM_CRC=\"sometimes\"", "auto, on or off"});
}

// Rules: ENV.7
TEST(Environment, TcpWithACrcConnects) {
  for (const char* value : {"on", "off", "auto"}) {
    const Variable transport("DATUM_TRANSPORT", "tcp");
    const Variable crc("DATUM_CRC", value);
    EXPECT_EQ(said_by_open(DAT_SUCCESS), "");
    const ConnectedPair pair;
  }
}

// Rules: ENV.22
TEST(Environment, ABadHelloIsSaidAndIgnored) {
  const Variable hello("DATUM_HELLO", "perhaps");
  expect_one_line(said_by_open(DAT_SUCCESS), {"DATUM_HELLO=\"perhaps\"", "on or off"});
}

// Rules: ENV.22
TEST(Environment, TcpWithoutAHelloConnects) {
  const Variable transport("DATUM_TRANSPORT", "tcp");
  for (const char* value : {"on", "off"}) {
    const Variable hello("DATUM_HELLO", value);
    EXPECT_EQ(said_by_open(DAT_SUCCESS), "");
    const ConnectedPair pair;
  }
}

// Rules: ENV.9
TEST(Environment, ABadPeerTimeoutIsSaidAndIgnored) {
  for (const char* value :
       {"", "soon", "999", "86400001", "-30000", "1e4", "30000 ", "99999999999999999999"}) {
    const Variable timeout("DATUM_PEER_TIMEOUT", value);
    expect_one_line(said_by_open(DAT_SUCCESS), {"DATUM_PEER_TIMEOUT=", value, "using 30000"});
  }
}

void expect_ignored(const char* name, std::initializer_list<const char*> values,
                    const char* instead) {
  for (const char* value : values) {
    SCOPED_TRACE(value);
    const Variable variable(name, value);
    expect_one_line(said_by_open(DAT_SUCCESS), {name, value, instead});
  }
}

// Rules: ENV.13 ENV.14 ENV.18
TEST(Environment, ABadTimeForAPeerIsSaidAndIgnored) {
  const auto bad = {"", "soon", "999", "86400001", "-5000", "5e3"};
  expect_ignored("DATUM_REQUEST_TIMEOUT", bad, "using 10000");
  expect_ignored("DATUM_FIRST_FRAME_TIMEOUT", bad, "using 60000");
  expect_ignored("DATUM_END_TIMEOUT", bad, "using 5000");
}

// Rules: ENV.15 ENV.16 ENV.17
TEST(Environment, ABadNumberOfOctetsIsSaidAndIgnored) {
  expect_ignored("DATUM_UNRECEIVED", {"", "much", "4095", "16777217", "-1", "64k"}, "using 65536");
  expect_ignored("DATUM_READ_SIZE", {"", "much", "4095", "262145", "-1", "64k"}, "using 65536");
  expect_ignored("DATUM_UNSENT", {"", "much", "4095", "16777217", "-1", "64k"}, "using 1048576");
}

// Rules: ENV.25
TEST(Environment, ABadTimeForARecvIsSaidAndIgnored) {
  expect_ignored("DATUM_RNR_TIMEOUT", {"", "soon", "4233600001", "-1", "1s"},
                 "as if it were not set");
}

// Rules: ENV.19
TEST(Environment, ABadTimeForAFarewellIsSaidAndIgnored) {
  expect_ignored("DATUM_CLOSE_TIMEOUT", {"", "soon", "60001", "-1", "1s"}, "using 1000");
}

// Rules: ENV.10
TEST(Environment, ABadNumberOfHalfOpenConnectionsIsSaidAndIgnored) {
  for (const char* value : {"", "many", "0", "65537", "-1", "16 "}) {
    const Variable half_open("DATUM_HALF_OPEN", value);
    expect_one_line(said_by_open(DAT_SUCCESS), {"DATUM_HALF_OPEN=", value, "using 512"});
  }
}

// Rules: ENV.11
TEST(Environment, ABadNumberOfEndingConnectionsIsSaidAndIgnored) {
  for (const char* value : {"", "many", "0", "65537", "-1", "16 "}) {
    const Variable ending("DATUM_ENDING", value);
    expect_one_line(said_by_open(DAT_SUCCESS), {"DATUM_ENDING=", value, "using 1024"});
  }
}

// Rules: ENV.3
TEST(Environment, AnUnknownTransportIsSaidAndIgnored) {
  const Variable transport("DATUM_TRANSPORT", "ib");
  expect_one_line(said_by_open(DAT_SUCCESS), {"DATUM_TRANSPORT=\"ib\"", "auto, shm or tcp"});
}

// Rules: ENV.4 dat_psp_create_any.R12
TEST(Environment, AnyQualifierComesFromThePortRange) {
  std::uint16_t low = 0;
  const Variable range("DATUM_PORT_RANGE", two_ports(low));
  const Ia ia = open_ia();
  const Evd evd = create_evd(ia, DAT_EVD_CR_FLAG);
  const auto create_any = [&](DAT_CONN_QUAL& qualifier, Psp& psp) {
    return dat_psp_create_any(ia, &qualifier, evd, DAT_PSP_CONSUMER_FLAG, psp.out());
  };
  Psp first;
  Psp second;
  Psp third;
  DAT_CONN_QUAL qualifiers[3] = {};
  ASSERT_DAT_OK(create_any(qualifiers[0], first));
  ASSERT_DAT_OK(create_any(qualifiers[1], second));
  EXPECT_EQ(std::min(qualifiers[0], qualifiers[1]), low);
  EXPECT_EQ(std::max(qualifiers[0], qualifiers[1]), low + 1U);
  EXPECT_DAT_TYPE(create_any(qualifiers[2], third), DAT_CONN_QUAL_UNAVAILABLE);
  first.free();
  EXPECT_DAT_OK(create_any(qualifiers[2], third));
  EXPECT_EQ(qualifiers[2], qualifiers[0]);
}

// Rules: ENV.5
TEST(Environment, ANamedQualifierMayLieOutsideThePortRange) {
  std::uint16_t low = 0;
  const Variable range("DATUM_PORT_RANGE", two_ports(low));
  const Ia ia = open_ia();
  const Evd evd = create_evd(ia, DAT_EVD_CR_FLAG);
  // This port is outside the range. A port within the range might be the only one that is left for
  // the large qualifier.
  const Psp small = create_psp(ia, DAT_CONN_QUAL{low} + 2, evd);
  const Psp large = create_psp(ia, free_qualifier(), evd);
}

// Rules: ENV.6
TEST(Environment, ABadPortRangeIsSaidAndIgnored) {
  for (const char* value : {"7", "9000-8000", "80-90", "20000-70000"}) {
    const Variable range("DATUM_PORT_RANGE", value);
    expect_one_line(said_by_open(DAT_SUCCESS),
                    {"DATUM_PORT_RANGE=", value, "two ports from 1024 to 65535"});
    const Ia ia = open_ia();
    const Listener listener(ia);
    EXPECT_GE(listener.qualifier(), 1024U);
  }
}

} // namespace
} // namespace datum::test
