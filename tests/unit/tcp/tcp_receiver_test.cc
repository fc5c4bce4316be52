// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// TcpReceiver: what arrives on the socket of a connection.
#include "transport/tcp/tcp_receiver.h"

#include <algorithm>

#include "bare_socket.h"

namespace datum::test {
namespace {

iwarp::SessionSettings staging(std::size_t octets) {
  iwarp::SessionSettings settings;
  settings.most_unexpected = octets;
  return settings;
}

class Receiver : public ::testing::Test, protected BareSocket {
 protected:
  explicit Receiver(const TcpOptions& options = {}, const iwarp::SessionSettings& settings = {})
      : BareSocket(PeerIs::Foreign, options, settings) {}
  TcpReceiver receiver_{context, socket, session};
};

// Log lines name the peer, also after its reset, when the kernel no longer knows its address.
TEST_F(Receiver, APeerHasANameAfterItsEnd) {
  EXPECT_TRUE(text_of_peer(socket.get()).starts_with("127.0.0.1 port "));
  reset();
  EXPECT_EQ(text_of_peer(socket.get()), "a peer that has ended");
}

TEST_F(Receiver, OctetsGoToTheSession) {
  events.post_receive(10);
  say(message(1, 10));
  EXPECT_TRUE(receiver_.receive(TcpTurn::kAll));
  EXPECT_EQ(events.log(), Log{"received 10"});
  EXPECT_TRUE(receiver_.reading());
  EXPECT_EQ(receiver_.awaited(), std::uint32_t{EPOLLIN});
}

TEST_F(Receiver, ALookInVainIsNoTurn) {
  const std::uint64_t before = context.turns;
  EXPECT_FALSE(receiver_.receive(TcpTurn::kAll));
  EXPECT_EQ(context.turns, before);
  events.post_receive(1);
  say(message(1, 1));
  EXPECT_TRUE(receiver_.receive(TcpTurn::kAll));
  EXPECT_EQ(context.turns, before + 1);
}

TEST_F(Receiver, WhatCameInBatchesIsKnown) {
  for (int i = 0; i < 16; ++i) events.post_receive(1);
  for (std::uint32_t msn = 1; msn <= 15; ++msn) say(message(msn, 1));
  EXPECT_TRUE(receiver_.receive(TcpTurn::kAll));
  EXPECT_FALSE(context.in_batches);
  for (int i = 0; i < 16; ++i) events.post_receive(1);
  Bytes all;
  for (std::uint32_t msn = 16; msn <= 31; ++msn) {
    const Bytes one = message(msn, 1);
    all.insert(all.end(), one.begin(), one.end());
  }
  say(all);
  EXPECT_TRUE(receiver_.receive(TcpTurn::kAll));
  EXPECT_TRUE(context.in_batches);
}

// The receiver reads the payload straight to its place, past the staging buffer.
TEST_F(Receiver, LargePayloadIsReadToItsPlace) {
  constexpr std::size_t kSize = 20'000;
  events.post_receive(kSize);
  const Bytes all = message(1, kSize);
  say(iwarp::Octets(all).first(100));
  EXPECT_TRUE(receiver_.receive(TcpTurn::kAll));
  std::fill(context.staging.begin(), context.staging.end(), std::byte{0xee});
  say(iwarp::Octets(all).subspan(100));
  EXPECT_TRUE(receiver_.receive(TcpTurn::kAll));
  EXPECT_EQ(events.log(), Log{"received 20000"});
  EXPECT_EQ(events.received(0), iwarp::test::pattern(kSize, 3, 1));
  EXPECT_TRUE(std::all_of(context.staging.begin(), context.staging.end(),
                          [](std::byte each) { return each == std::byte{0xee}; }));
}

TEST_F(Receiver, ThePeersEndIsTheLastThing) {
  ::shutdown(peer.get(), SHUT_WR);
  await(POLLRDHUP);
  EXPECT_TRUE(receiver_.receive(TcpTurn::kAll));
  EXPECT_EQ(events.log(), Log{"disconnected"});
  EXPECT_FALSE(receiver_.reading());
  EXPECT_EQ(receiver_.awaited(), 0U);
}

// Rules: iwarp.E4
TEST_F(Receiver, BehindAResetThatIsKnownAnEndIsNoneInOrder) {
  socket.learn_of(ECONNRESET);
  ::shutdown(peer.get(), SHUT_WR);
  await(POLLRDHUP);
  EXPECT_TRUE(receiver_.receive(TcpTurn::kAll));
  EXPECT_EQ(events.log(), Log{"broken"});
  EXPECT_FALSE(socket.is_watched());
  EXPECT_EQ(socket.error(), ECONNRESET);
}

TEST_F(Receiver, AResetLosesTheConnection) {
  reset();
  EXPECT_TRUE(receiver_.receive(TcpTurn::kAll));
  EXPECT_EQ(events.log(), Log{"broken"});
  EXPECT_EQ(socket.error(), ECONNRESET);
  EXPECT_FALSE(receiver_.receive(TcpTurn::kAll)) << "nobody watches it any more";
}

TEST_F(Receiver, WhatNobodyReadsCanBeThrownAway) {
  say(message(1, 10'000));
  receiver_.throw_away();
  std::byte one{};
  EXPECT_EQ(::recv(socket.get(), &one, 1, MSG_DONTWAIT), -1);
  EXPECT_EQ(errno, EAGAIN);
  EXPECT_EQ(events.log(), Log{});
}

class ReceiverInPieces : public Receiver {
 protected:
  static TcpOptions little() {
    TcpOptions options;
    options.read_size = 64;
    return options;
  }
  ReceiverInPieces() : Receiver(little()) {}
};

TEST_F(ReceiverInPieces, NoMoreThanItsShareIsRead) {
  events.post_receive(40);
  events.post_receive(40);
  for (const std::uint32_t msn : {1U, 2U}) say(message(msn, 40));
  EXPECT_TRUE(receiver_.receive(64));
  EXPECT_EQ(events.log(), Log{"received 40"}) << "it was whole within 64 octets";
  EXPECT_TRUE(receiver_.receive(TcpTurn::kAll));
  EXPECT_EQ(events.log(), (Log{"received 40", "received 40"}));
}

// The receiver of a session that keeps no unexpected messages.
class ReceiverThatHolds : public Receiver {
 protected:
  ReceiverThatHolds() : Receiver({}, staging(0)) {
    say(message(1, 10));
    EXPECT_TRUE(receiver_.receive(TcpTurn::kAll));
  }
};

// Rules: tcp.O4
TEST_F(ReceiverThatHolds, NothingMoreIsReadWhileTheSessionDoesNotTakeIt) {
  EXPECT_TRUE(receiver_.holds());
  EXPECT_FALSE(receiver_.reading());
  say(message(2, 10));
  EXPECT_FALSE(receiver_.receive(TcpTurn::kAll));
  EXPECT_EQ(events.log(), Log{});
  events.post_receive(10);
  session.on_receive_posted(0);
  receiver_.feed_held();
  EXPECT_EQ(events.log(), Log{"received 10"});
  EXPECT_FALSE(receiver_.holds());
  EXPECT_TRUE(receiver_.reading());
}

// Rules: tcp.O4
TEST_F(ReceiverThatHolds, BehindItOnlyThePeersEndIsLookedForOnce) {
  EXPECT_EQ(receiver_.awaited(), std::uint32_t{EPOLLRDHUP});
  receiver_.on_end_behind();
  EXPECT_EQ(receiver_.awaited(), 0U);
}

TEST_F(ReceiverThatHolds, WhatNobodyTakesAnyMoreIsForgotten) {
  receiver_.drop_held();
  EXPECT_FALSE(receiver_.holds());
  events.post_receive(10);
  receiver_.feed_held();
  EXPECT_EQ(events.log(), Log{});
}

} // namespace
} // namespace datum::test
