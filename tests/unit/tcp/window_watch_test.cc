// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// WindowWatch: when a connection checks the peer's window, and what it does if that window is
// closed.
#include "transport/tcp/window_watch.h"

// Not <netinet/tcp.h>, which has an older tcp_info of the same name.
#include <linux/tcp.h>

#include "bare_socket.h"

namespace datum::test {
namespace {

class WindowWatched : public ::testing::Test, protected BareSocket {
 protected:
  static constexpr Duration kDeadAfter = 8 * kSecond;
  WindowWatched() { tune(socket.get(), kDeadAfter); }
  int user_timeout() const {
    int value = -1;
    socklen_t length = sizeof value;
    EXPECT_EQ(::getsockopt(socket.get(), IPPROTO_TCP, TCP_USER_TIMEOUT, &value, &length), 0);
    return value;
  }
  void send_some(std::size_t size) const {
    const Bytes some(size);
    EXPECT_EQ(::send(socket.get(), some.data(), some.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(size));
  }
  void await_acknowledgement() const {
    while (unacknowledged(socket.get()) != 0) continue;
  }
  void close_window() const {
    const Bytes much(1024 * 1024);
    while (!tcp_state(socket.get()).window_closed)
      ::send(socket.get(), much.data(), much.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  WindowWatch window_{kDeadAfter};
};

// Rules: ENV.9
TEST_F(WindowWatched, ItIsLookedAtWhileSomethingIsOnItsWay) {
  EXPECT_FALSE(window_.under_way());
  window_.begin(100 * kSecond);
  EXPECT_TRUE(window_.under_way());
  EXPECT_EQ(window_.next_look(), 102 * kSecond);
  send_some(10);
  await_acknowledgement();
  EXPECT_TRUE(window_.look(socket.get(), 102 * kSecond));
  EXPECT_FALSE(window_.under_way());
}

// Rules: ENV.9
TEST_F(WindowWatched, BehindAClosedOneThePeerIsExcusedUntilItOpens) {
  close_window();
  window_.begin(0);
  EXPECT_TRUE(window_.look(socket.get(), 2 * kSecond));
  EXPECT_EQ(window_.next_look(), 4 * kSecond);
  EXPECT_EQ(user_timeout(), 0);
  while (unacknowledged(socket.get()) != 0) hear();
  EXPECT_TRUE(window_.look(socket.get(), 4 * kSecond));
  EXPECT_EQ(user_timeout(), kDeadAfter / kMillisecond);
  EXPECT_FALSE(window_.under_way());
}

TEST_F(WindowWatched, APeerStandsStillThatHasEverythingAndTookNothingSince) {
  EXPECT_TRUE(window_.peer_stands_still(socket.get(), false));
  send_some(10);
  await_acknowledgement();
  EXPECT_FALSE(window_.peer_stands_still(socket.get(), false)) << "ten octets since";
  EXPECT_TRUE(window_.peer_stands_still(socket.get(), false));
  EXPECT_FALSE(window_.peer_stands_still(socket.get(), true)) << "its window is open";
}

TEST_F(WindowWatched, OrOneWhoseWindowIsClosed) {
  close_window();
  window_.peer_stands_still(socket.get(), true);
  EXPECT_TRUE(window_.peer_stands_still(socket.get(), true));
}

} // namespace
} // namespace datum::test
