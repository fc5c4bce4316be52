// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What dat-info reads in /proc, and whose names the ports have that it finds there.
#include <gtest/gtest.h>

#include <sys/socket.h>

#include "info/check.h"
#include "info/proc.h"

namespace datum::info {
namespace {

// Rules: PROTECT.13
TEST(InfoHeldNames, AreComparedWithWhoHasThePort) {
  const auto tcp = [](const char* host, uid_t user) {
    return TcpSocket{0, {host, 5000}, {"0.0.0.0", 0}, "listening", user};
  };
  constexpr unsigned kUnprivileged = 1024;
  const std::vector<PortName> every = {{"*", 5000, 1001}}, one = {{"192.0.2.1", 5000, 1001}};
  const auto held = [&](const std::vector<PortName>& names, const std::vector<TcpSocket>& at) {
    return held_by_others(names, at, kUnprivileged).size();
  };
  EXPECT_EQ(held(every, {tcp("::", 1000)}), 1U);
  EXPECT_EQ(held(every, {tcp("::", 1001)}), 0U);
  EXPECT_EQ(held(every, {}), 0U) << "nobody has the port";
  EXPECT_EQ(held(one, {tcp("192.0.2.1", 1000)}), 1U);
  EXPECT_EQ(held(one, {tcp("192.0.2.2", 1000), tcp("192.0.2.1", 1001)}), 0U);
  EXPECT_EQ(held(one, {tcp("192.0.2.2", 1000)}), 0U) << "another address";
  EXPECT_EQ(held(one, {tcp("::", 1000)}), 0U) << "its service point has the name of every address";
  EXPECT_EQ(held(every, {tcp("192.0.2.1", 1000)}), 0U) << "its service point has another name";
}

// Rules: PROTECT.13
TEST(InfoHeldNames, AtAPrivilegedPortAreOfEveryForm) {
  const auto held = [](std::vector<PortName> names, const char* host) {
    const TcpSocket tcp{0, {host, 610}, {"0.0.0.0", 0}, "listening", 0};
    return held_by_others(names, {tcp}, 1024).size();
  };
  EXPECT_EQ(held({{"7", 610, 1001, "datum/m"}}, "::"), 1U);
  EXPECT_EQ(held({{"7", 610, 1001, "datum/m"}}, "192.0.2.1"), 0U) << "63 are free";
  EXPECT_EQ(held(std::vector<PortName>(64, {"7", 610, 1001, "datum/m"}), "192.0.2.1"), 64U);
  for (const char* family : {"datum/s", "datum/q"}) {
    EXPECT_EQ(held({{"*", 610, 1001, family}}, "192.0.2.1"), 1U);
    EXPECT_EQ(held({{"192.0.2.1", 610, 1001, family}}, "::"), 0U) << "its mark is";
  }
  EXPECT_EQ(held({{"*", 610, 1001, "datum/s"}}, "::"), 1U);
  EXPECT_EQ(held({{"*", 610, 1001, "datum/q"}}, "::"), 0U) << "it takes the other claim";
  EXPECT_EQ(held({{"192.0.2.1", 610, 1001}}, "::"), 1U);
  EXPECT_EQ(held({{"*", 610, 1001}}, "192.0.2.1"), 1U);
  EXPECT_EQ(held({{"7", 610, 1001, "datum/m"}, {"*", 610, 0, "datum/1", true}}, "::"), 0U)
      << "a service point that has its names loses nothing";
}

// Any process can choose such names.
TEST(InfoHeldNames, AreAddressesAndPortsOrNothing) {
  const auto name = parse_port_name("datum/1/fe80::1%2/5000", SOCK_SEQPACKET, 7);
  ASSERT_TRUE(name.has_value());
  EXPECT_EQ(name->host, "fe80::1%2");
  EXPECT_EQ(name->port, 5000);
  EXPECT_EQ(name->holder, 7U);
  for (const char* other :
       {"datum/1/*/70000", "datum/1/\x1b[2J/5000", "datum/1//5000", "datum/1/*/", "datum/1/5000",
        "datum/s/*/5000", "x/datum/1/*/5000", "datum/1/*/5000 "})
    EXPECT_FALSE(parse_port_name(other, SOCK_SEQPACKET, 7).has_value()) << other;
  for (const char* claim : {"datum/s/*/5000", "datum/q/192.0.2.1/5000", "datum/m/63/5000"})
    EXPECT_TRUE(parse_port_name(claim, SOCK_DGRAM, 7).has_value()) << claim;
  for (const char* other : {"datum/m/64/5000", "datum/m/*/5000", "datum/s/63/5000",
                            "datum/1/*/5000", "datum/m/\x1b[2J/5000", "datum/q/*/70000"})
    EXPECT_FALSE(parse_port_name(other, SOCK_DGRAM, 7).has_value()) << other;
}

TEST(InfoProc, MappingsAreReadWithSizeRightsAndDeletion) {
  const auto maps = parse_maps("7f00-8f00 rw-s 00000000 00:01 42   /memfd:datum-link (deleted)\n"
                               "nonsense\n"
                               "1000-3000 r-xp 00000000 08:01 7  /usr/lib/libdat.so.1.2.0\n");
  ASSERT_EQ(maps.size(), 2U);
  EXPECT_EQ(maps[0].size, 0x1000U);
  EXPECT_TRUE(maps[0].writable);
  EXPECT_TRUE(maps[0].deleted);
  EXPECT_EQ(maps[0].inode, 42U);
  EXPECT_EQ(maps[0].path, "/memfd:datum-link");
  EXPECT_FALSE(maps[1].writable);
  EXPECT_FALSE(maps[1].deleted);
}

TEST(InfoProc, NamedUnixSocketsAreReadWithTheirInode) {
  const auto sockets =
      parse_unix_sockets("Num       RefCount Protocol Flags    Type St Inode Path\n"
                         "0000: 00000002 00000000 00010000 0005 01 99 @datum/1/*/5000\n"
                         "0000: 00000003 00000000 00000000 0005 03 98 @datum/1/*/5000\n"
                         "0000: 00000003 00000000 00000000 0001 03 97\n"
                         "0000: 00000002 00000000 00000000 0005 01 96 @datum/1/*/70000\n");
  ASSERT_EQ(sockets.size(), 3U);
  EXPECT_TRUE(sockets[0].listening);
  EXPECT_EQ(sockets[0].inode, 99U);
  EXPECT_EQ(sockets[0].name, "@datum/1/*/5000");
  EXPECT_FALSE(sockets[1].listening);
  EXPECT_TRUE(sockets[1].connected);
  EXPECT_FALSE(sockets[2].listening || sockets[2].connected) << "a name that is only held";
}

TEST(InfoProc, OnlySocketLinksHaveASocketInode) {
  EXPECT_EQ(process_of_memory("/proc/4711/mem"), 4711);
  for (const char* other : {"/proc/4711/maps", "/proc//mem", "/proc/mem", "/proc/self/mem", "/mem"})
    EXPECT_FALSE(process_of_memory(other).has_value()) << other;
  EXPECT_EQ(socket_inode("socket:[4711]"), 4711U);
  EXPECT_FALSE(socket_inode("pipe:[4711]").has_value());
  EXPECT_FALSE(socket_inode("socket:[]").has_value());
}

TEST(InfoProc, AStatusFieldIsFoundByItsWholeName) {
  const char* const status = "Name:\tdat-cp\nState:\tS (sleeping)\nUid:\t1000\t1000\n";
  EXPECT_EQ(status_field(status, "State"), "S (sleeping)");
  EXPECT_EQ(status_field(status, "Stat"), "");
}

} // namespace
} // namespace datum::info
