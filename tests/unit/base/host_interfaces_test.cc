// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/host_interfaces.h"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <cerrno>
#include <netinet/in.h>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "tests/filter.h"

namespace datum::test {
namespace {

std::string to_text(const InterfaceAddress& each) {
  char text[INET6_ADDRSTRLEN] = "?";
  std::string scope;
  if (each.address.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(each.address);
    ::inet_ntop(AF_INET, &v4.sin_addr, text, sizeof text);
  } else {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(each.address);
    ::inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof text);
    scope = "%" + std::to_string(v6.sin6_scope_id);
  }
  return each.interface + " " + text + scope + (each.is_up ? " up" : "") +
         (each.is_loopback ? " loopback" : "");
}

std::set<std::string> listed() {
  std::set<std::string> lines;
  const auto all = interface_addresses();
  if (!all) return {"errno " + std::to_string(all.error())};
  for (const InterfaceAddress& each : *all) lines.insert(to_text(each));
  return lines;
}

// Lists the interfaces in a thread of its own, so that only that thread has the filter. Returns
// nothing if the filter cannot be installed.
std::optional<std::set<std::string>> listed_without_netlink(int error) {
  std::optional<std::set<std::string>> found;
  std::thread([&] {
    if (forbid_family(AF_NETLINK, error)) found = listed();
  }).join();
  return found;
}

TEST(HostInterfaces, LoopbackIsAmongThem) {
  EXPECT_EQ(listed().count("lo 127.0.0.1 up loopback"), 1U);
}

// Each errno by which a kernel or a filter says that there is no netlink.
// Rules: ENV.21
TEST(HostInterfaces, AreTheSameWithoutNetlink) {
  const std::set<std::string> expected = listed();
  for (const int error : {EAFNOSUPPORT, EPROTONOSUPPORT, EPERM, EACCES}) {
    SCOPED_TRACE(error);
    const auto found = listed_without_netlink(error);
    if (!found) GTEST_SKIP() << "no filter of system calls here";
    EXPECT_EQ(*found, expected);
  }
}

// A shortage passes, so it is no reason to list the interfaces without netlink.
TEST(HostInterfaces, AShortageIsNoRefusal) {
  const auto found = listed_without_netlink(EMFILE);
  if (!found) GTEST_SKIP() << "no filter of system calls here";
  EXPECT_EQ(*found, std::set<std::string>{"errno " + std::to_string(EMFILE)});
}

} // namespace
} // namespace datum::test
