// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// WatchedSocket: which events the reactor watches for on the socket of a connection, and how the
// socket ended.
#include "transport/tcp/watched_socket.h"

#include "bare_socket.h"

namespace datum::test {
namespace {

class SocketWatched : public ::testing::Test, protected BareSocket {};

TEST_F(SocketWatched, TheReactorLooksForWhatIsAskedLast) {
  EXPECT_EQ(reactor.watched(socket.get()), std::uint32_t{EPOLLIN});
  EXPECT_EQ(socket.watch_for(EPOLLOUT), 0);
  EXPECT_EQ(reactor.watched(socket.get()), std::uint32_t{EPOLLOUT});
  EXPECT_EQ(socket.events(), std::uint32_t{EPOLLOUT});
}

// Rules: SANDBOX.7
TEST_F(SocketWatched, AChangeThatIsRefusedIsToldAndTriedAgain) {
  reactor.change_error = EPERM;
  EXPECT_EQ(socket.watch_for(EPOLLOUT), EPERM);
  EXPECT_EQ(socket.events(), std::uint32_t{EPOLLIN});
  reactor.change_error = 0;
  EXPECT_EQ(socket.watch_for(EPOLLOUT), 0);
  EXPECT_EQ(reactor.watched(socket.get()), std::uint32_t{EPOLLOUT});
}

TEST_F(SocketWatched, WhatIsNotWatchedIsWaitedForByNobody) {
  socket.unwatch();
  EXPECT_FALSE(socket.is_watched());
  EXPECT_EQ(socket.events(), 0U);
  EXPECT_EQ(reactor.size(), 0U);
  socket.unwatch();
}

TEST_F(SocketWatched, AResetIsKnownFromTheCallThatFoundIt) {
  socket.learn_of(ECONNRESET);
  EXPECT_TRUE(socket.was_reset());
  EXPECT_EQ(socket.error(), ECONNRESET);
}

TEST_F(SocketWatched, AnEndInOrderAndALackOfMemoryAreNone) {
  for (const int error : {EPIPE, EINTR, EAGAIN, ENOBUFS, ENOMEM}) {
    socket.learn_of(error);
    EXPECT_FALSE(socket.was_reset()) << error;
    EXPECT_EQ(socket.error(), 0) << error;
  }
}

} // namespace
} // namespace datum::test
