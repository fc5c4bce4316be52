// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <arpa/inet.h>
#include <cstring>
#include <gtest/gtest.h>
#include <netinet/in.h>

#include "facade/address.h"

namespace datum {
namespace {

union AnyAddress {
  sockaddr any;
  sockaddr_in v4;
  sockaddr_in6 v6;
};

AnyAddress v4(const char* text, std::uint16_t port = 0) {
  AnyAddress address{};
  std::memset(&address, 0xa5, sizeof address); // sin_zero and the octets behind it do not count
  address.v4.sin_family = AF_INET;
  address.v4.sin_port = htons(port);
  EXPECT_EQ(inet_pton(AF_INET, text, &address.v4.sin_addr), 1) << text;
  return address;
}

AnyAddress v6(const char* text, std::uint32_t scope = 0) {
  AnyAddress address{};
  address.v6.sin6_family = AF_INET6;
  address.v6.sin6_port = htons(9);
  address.v6.sin6_flowinfo = 7;
  address.v6.sin6_scope_id = scope;
  EXPECT_EQ(inet_pton(AF_INET6, text, &address.v6.sin6_addr), 1) << text;
  return address;
}

TEST(Address, OneSpellingForEachAddress) {
  const Result<Address> plain = parse_address(v4("192.0.2.1").any);
  ASSERT_TRUE(plain);
  EXPECT_EQ(*plain, *parse_address(v4("192.0.2.1", 80).any)) << "the port does not count";
  EXPECT_EQ(*plain, *parse_address(v6("::ffff:192.0.2.1").any));
  EXPECT_EQ(to_sockaddr(*plain)->sa_family, 2);
  EXPECT_TRUE(parse_address(v6("2001:db8::1").any));
  EXPECT_TRUE(parse_address(v6("fe80::1", 2).any));
}

TEST(Address, WhatNobodyCanConnectTo) {
  const Status unsupported{Type::InvalidAddress, Detail::AddressUnsupported};
  const Status malformed{Type::InvalidAddress, Detail::AddressMalformed};
  EXPECT_EQ(parse_address(v4("224.0.0.1").any).error(), unsupported);
  EXPECT_EQ(parse_address(v4("255.255.255.255").any).error(), unsupported);
  EXPECT_EQ(parse_address(v4("0.0.0.0").any).error(), malformed);
  EXPECT_EQ(parse_address(v6("ff02::1").any).error(), unsupported);
  EXPECT_EQ(parse_address(v6("::").any).error(), malformed);
  EXPECT_EQ(parse_address(v6("::ffff:224.0.0.1").any).error(), unsupported);
  EXPECT_EQ(parse_address(v6("fe80::1").any).error(), malformed) << "no interface";
  AnyAddress local{};
  local.any.sa_family = AF_UNIX;
  EXPECT_EQ(parse_address(local.any).error(), unsupported);
}

} // namespace
} // namespace datum
