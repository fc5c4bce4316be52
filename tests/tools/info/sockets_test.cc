// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The kernel's tables of sockets, and the reason why a connection is over TCP. The tables are
// literals, as a little-endian machine prints them.
#include "info/sockets.h"

#include <gtest/gtest.h>

#include <bit>

#include "info/print.h"

namespace datum::info {
namespace {

constexpr const char* kTcp = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when "
                             "retrnsmt   uid  timeout inode\n"
                             "   0: 00000000:145D 00000000:0000 0A 00000000:00000000 00:00000000 "
                             "00000000     0        0 1062 1 "
                             "000000003e78087b 100 0 0 10 0\n"
                             "   1: 0100007F:145D 0100007F:9C40 01 00000000:00000000 02:000002E1 "
                             "00000000     0        0 1063 2 "
                             "00000000910a1d5a 20 4 30 10 -1\n"
                             "   2: 0100007F:9C40 0100007F:145D 01 00000000:00000000 02:000002E1 "
                             "00000000     0        0 1064 2 "
                             "00000000910a1d5b 20 4 30 10 -1\n"
                             "   3: 020200C0:9C41 010200C0:145E 02 00000001:00000000 01:00000063 "
                             "00000001     0        0 1065 2 "
                             "00000000910a1d5c 200 4 30 10 -1\n";
constexpr const char* kTcp6 =
    "  sl  local_address                         remote_address                        st tx_queue "
    "rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
    "   0: 00000000000000000000000000000000:1460 00000000000000000000000000000000:0000 0A "
    "00000000:00000000 00:00000000 00000000     0        0 2001 1 0 100 0 0 10 0\n"
    "   1: 0000000000000000FFFF0000020200C0:1460 0000000000000000FFFF0000030200C0:ED0E 08 "
    "00000000:00000000 00:00000000 00000000     0        0 2002 1 0 20 4 30 10 -1\n"
    "   2: B80D0120000000000000000001000000:8000 B80D0120000000000000000002000000:1461 01 "
    "00000000:00000000 00:00000000 00000000     0        0 2003 1 0 20 4 30 10 -1\n";

class InfoSockets : public testing::Test {
 protected:
  void SetUp() override {
    if constexpr (std::endian::native == std::endian::big)
      GTEST_SKIP() << "tables of the other kind";
    tables_.tcp = parse_tcp_sockets(kTcp);
    const auto more = parse_tcp_sockets(kTcp6);
    tables_.tcp.insert(tables_.tcp.end(), more.begin(), more.end());
    ASSERT_EQ(tables_.tcp.size(), 7U);
  }
  TcpConnection connection(std::uint64_t inode, const char* transport = "") const {
    for (const TcpSocket& socket : tables_.tcp)
      if (socket.inode == inode) return explain(socket, tables_, transport);
    ADD_FAILURE() << "no socket " << inode;
    return {};
  }
  SocketTables tables_;
};

TEST_F(InfoSockets, LinesAreReadWithBothFamilies) {
  EXPECT_EQ(tables_.tcp[0].inode, 1062U);
  EXPECT_TRUE(tables_.tcp[0].listening());
  EXPECT_TRUE(tables_.tcp[0].local.is_every_address());
  EXPECT_EQ(tables_.tcp[0].local.port, 5213);
  EXPECT_EQ(tables_.tcp[1].local, (TcpEnd{"127.0.0.1", 5213}));
  EXPECT_EQ(tables_.tcp[1].remote, (TcpEnd{"127.0.0.1", 40000}));
  EXPECT_EQ(tables_.tcp[1].state, "established");
  EXPECT_EQ(tables_.tcp[3].state, "connecting");
  EXPECT_TRUE(tables_.tcp[4].local.is_every_address());
  EXPECT_EQ(tables_.tcp[5].remote, (TcpEnd{"192.0.2.3", 60686})) << "IPv4 on a socket for both";
  EXPECT_EQ(tables_.tcp[5].state, "ended by the peer");
  EXPECT_EQ(tables_.tcp[6].remote, (TcpEnd{"2001:db8::2", 5217}));
}

TEST_F(InfoSockets, WhatIsNoLineIsLeftOut) {
  EXPECT_TRUE(parse_tcp_sockets("").empty());
  EXPECT_TRUE(parse_tcp_sockets("head\n").empty());
  for (const char* bad :
       {"x", "0: 0100007F 0100007F:9C40 01 0:0 0:0 0 0 0 1", "0: 7F:1 7F:1 01 0 0 0 0 0 1",
        "0: 0100007F:145D 0100007F:9C40 01", "0: 0100007F:145D0 0100007F:1 01 0 0 0 0 0 1",
        "0: 0100007G:145D 0100007F:1 01 0 0 0 0 0 1"})
    EXPECT_TRUE(parse_tcp_sockets(std::string("head\n") + bad + "\n").empty()) << bad;
}

TEST_F(InfoSockets, APeerElsewhereIsTheReason) {
  for (const std::uint64_t inode : {1065U, 2002U, 2003U}) {
    const TcpConnection c = connection(inode);
    EXPECT_FALSE(c.this_host) << inode;
    EXPECT_EQ(c.reason, "the peer is on another host, or in another network namespace");
  }
}

TEST_F(InfoSockets, AnAddressOfThisHostIsKnownByWhoeverHasIt) {
  tables_.tcp.push_back({3000, {"192.0.2.3", 22}, {"0.0.0.0", 0}, "listening"});
  EXPECT_TRUE(connection(2002).this_host);
}

TEST_F(InfoSockets, WhoConnectedAndWhoWasAskedHaveReasonsOfTheirOwn) {
  EXPECT_TRUE(connection(1063).this_host);
  EXPECT_EQ(connection(1063).reason, "the peer chose TCP, or offers nothing else");
  EXPECT_EQ(connection(1064).reason, "no process of this host offers shared memory there");
  tables_.names.push_back({1, true, "@datum/1/*/5213"});
  EXPECT_EQ(connection(1064).reason,
            "shared memory is offered there; why it was not taken the program knows");
}

TEST_F(InfoSockets, ASettingOfTheProgramComesFirst) {
  EXPECT_EQ(connection(1064, "tcp").reason, "DATUM_TRANSPORT=tcp in its environment");
  EXPECT_EQ(connection(2003, "tcp").reason, "DATUM_TRANSPORT=tcp in its environment");
  EXPECT_EQ(connection(1063, "auto").reason, "the peer chose TCP, or offers nothing else");
}

TEST(InfoProc, AVariableIsFoundByItsWholeName) {
  const std::string_view environ("A=1\0DATUM_TRANSPORTS=shm\0DATUM_TRANSPORT=tcp\0LAST=x", 51);
  EXPECT_EQ(environment_value(environ, "DATUM_TRANSPORT"), "tcp");
  EXPECT_EQ(environment_value(environ, "LAST"), "x");
  EXPECT_EQ(environment_value(environ, "DATUM"), "");
  EXPECT_EQ(environment_value("", "A"), "");
}

TEST(InfoProcess, LinksAreCountedInOneLine) {
  ProcessView view;
  view.descriptors_seen = true;
  view.segments = {{"datum-link", 3, 4096}};
  view.accepted = 2;
  const std::string text = text_of(view);
  EXPECT_NE(text.find("\n  links          3 with processes of this host, over shared memory; the "
                      "peer dialled 2 of them\n"),
            std::string::npos)
      << text;
}

} // namespace
} // namespace datum::info
