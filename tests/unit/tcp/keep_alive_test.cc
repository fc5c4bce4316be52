// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tune(): when TCP probes a silent host, for each setting of the time after which a silent host
// counts as dead.
#include <gtest/gtest.h>

#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "base/time.h"
#include "base/unique_fd.h"
#include "transport/tcp/inet_socket.h"

namespace datum::test {
namespace {

int option(const UniqueFd& socket, int name) {
  int value = 0;
  socklen_t length = sizeof value;
  EXPECT_EQ(::getsockopt(socket.get(), IPPROTO_TCP, name, &value, &length), 0);
  return value;
}

// The kernel sends a probe after `idle`, then one each `interval`. It gives the connection up when
// a probe is due after the user timeout, but not at the very first probe.
// Rules: ENV.9
TEST(KeepAlive, EndsInTheSecondBehindTheTimeSetOrInA600thOfIt) {
  const UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  for (int seconds = 1; seconds <= 86'400; seconds = seconds < 1'000 ? seconds + 1 : seconds * 2) {
    SCOPED_TRACE(seconds);
    tune(socket.get(), seconds * kSecond + 999 * kMillisecond);
    EXPECT_EQ(option(socket, TCP_USER_TIMEOUT), seconds * 1'000 + 999);
    const int idle = option(socket, TCP_KEEPIDLE);
    const int interval = option(socket, TCP_KEEPINTVL);
    EXPECT_LE(idle + interval, seconds + 1);
    EXPECT_LE(interval, seconds <= 600 ? 1 : seconds / 600);
    EXPECT_GE(idle + 600 * interval, seconds / 2); // at most 600 probes in half of the time
    excuse_peer(socket.get(), true, seconds * kSecond);
    EXPECT_EQ(option(socket, TCP_USER_TIMEOUT), 0);
    excuse_peer(socket.get(), false, seconds * kSecond);
    EXPECT_EQ(option(socket, TCP_USER_TIMEOUT), seconds * 1'000);
  }
}

} // namespace
} // namespace datum::test
