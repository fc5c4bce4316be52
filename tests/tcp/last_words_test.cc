// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The last messages of an IA arrive at its peers, although the IA is closed at once, and whatever
// the peers do.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "descriptors.h"
#include "leaver.h"
#include "raw_peer.h"
#include "two_processes.h"

namespace datum::test {
namespace {

constexpr int kRounds = 200;
constexpr std::size_t kMuch = 256 * 1024;

// A side that will leave, and a peer that stays and writes much to that side.
struct Parting {
  explicit Parting(DAT_IA_HANDLE ia) : side(ia) { establish(side, leaver.side()); }
  void write(DAT_UINT64 first, DAT_UINT64 end) {
    for (DAT_UINT64 i = first; i < end; ++i)
      EXPECT_DAT_OK(post_write(side.ep(), {source.segment()}, target.remote(), i));
  }
  void expect_disconnected() {
    expect_connection_event(side.connect_evd(), DAT_CONNECTION_EVENT_DISCONNECTED, side.ep());
  }

  Leaver leaver;
  Side side;
  const Buffer source = side.buffer(kMuch);
  const Buffer& target = leaver.buffer(kMuch);
};

// Many Writes are under way to the side that leaves. It will never read most of them.
// Rules: tcp.L1
TEST(LastWords, APeerThatIsSendingSeesDisconnected) {
  const Ia ia = open_ia();
  for (int round = 0; round < kRounds && !HasFailure(); ++round) {
    Parting parting(ia);
    parting.write(0, 8);
    parting.leaver.leave();
    parting.expect_disconnected();
  }
}

// Rules: tcp.L2
TEST(LastWords, WhatWasPlacedIsAcknowledged) {
  const Ia ia = open_ia();
  for (int round = 0; round < kRounds && !HasFailure(); ++round) {
    Parting parting(ia);
    Side& side = parting.side;
    Side& leaving = parting.leaver.side();
    EXPECT_DAT_OK(post_recv(leaving.ep(), {parting.target.segment()}, 1));
    EXPECT_DAT_OK(post_send(side.ep(), {parting.source.segment(0, 64)}, 1));
    parting.write(2, 8);
    expect_dto(leaving.recv_evd(), leaving.ep(), 1);
    parting.leaver.leave();
    EXPECT_EQ(expect_dto(side.request_evd(), side.ep(), 1), 64U);
    parting.expect_disconnected();
  }
}

// Both directions are full when one side leaves. The peer has to read much before it finds the last
// message.
// Rules: tcp.L1
TEST(LastWords, APeerThatIsSlowSeesDisconnected) {
  constexpr DAT_UINT64 kMessages = 12;
  const Ia ia = open_ia();
  for (int round = 0; round < kRounds / 4 && !HasFailure(); ++round) {
    Parting parting(ia);
    for (DAT_UINT64 i = 0; i < kMessages; ++i) {
      EXPECT_DAT_OK(post_send(parting.leaver.side().ep(), {parting.target.segment()}, i));
      parting.write(i, i + 1);
    }
    std::thread leaving([&] { parting.leaver.leave(); });
    for (DAT_UINT64 i = 0; i < kMessages; ++i)
      EXPECT_DAT_OK(post_recv(parting.side.ep(), {parting.source.segment()}, i));
    parting.expect_disconnected();
    leaving.join();
  }
}

// The last message was sent before the close, which must not take it back.
// Rules: tcp.L1
TEST(LastWords, AConnectionThatWasClosedBeforeItsIaEndsInOrder) {
  const Ia ia = open_ia();
  for (int round = 0; round < kRounds && !HasFailure(); ++round) {
    Parting parting(ia);
    parting.write(0, 8);
    EXPECT_DAT_OK(dat_ep_disconnect(parting.leaver.side().ep(), DAT_CLOSE_ABRUPT_FLAG));
    parting.leaver.leave();
    parting.expect_disconnected();
  }
}

// Rules: tcp.L3
TEST(LastWords, ARejectComesToThePeer) {
  const Ia ia = open_ia();
  for (int round = 0; round < kRounds && !HasFailure(); ++round) {
    Ia passive = open_ia();
    Side side(ia);
    {
      Listener listener(passive);
      EXPECT_DAT_OK(connect(side.ep(), listener, "please"));
      Cr cr = listener.expect_request();
      EXPECT_EQ(request_data(cr), "please");
    } // the owner rejects it
    passive.free();
    expect_connection_event(side.connect_evd(), DAT_CONNECTION_EVENT_PEER_REJECTED, side.ep());
  }
}

// Rules: tcp.L4
TEST(LastWords, AProcessThatClosesAndEndsAtOnceEndsInOrder) {
  const Ia ia = open_ia();
  for (int round = 0; round < 10 && !HasFailure(); ++round) {
    Side side(ia);
    Listener listener(ia);
    PeerProcess peer = PeerProcess::of_this_program();
    ASSERT_EQ(peer.ask("connect " + std::to_string(listener.qualifier())), "ok");
    Cr cr = listener.expect_request();
    ASSERT_DAT_OK(accept(cr, side.ep()));
    expect_connection_event(side.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, side.ep());
    EXPECT_EQ(peer.ask("wait"), "0x04001");
    const Buffer source = side.buffer(kMuch);
    for (DAT_UINT64 i = 0; i < 4; ++i)
      EXPECT_DAT_OK(post_send(side.ep(), {source.segment(0, 4096)}, i));
    EXPECT_EQ(peer.wait_for_exit(), 0);
    expect_connection_event(side.connect_evd(), DAT_CONNECTION_EVENT_DISCONNECTED, side.ep());
  }
}

// --- peers that do not let go --------------------------------------------------------------------

// An IA that is closed while a stranger is connected to it.
class Unwilling {
 public:
  Unwilling() : listener_(std::make_unique<Listener>(leaver_.ia())) {}
  RawPeer connect() {
    RawPeer peer(address_of(leaver_.ia()), listener_->qualifier(), 4096);
    EXPECT_TRUE(peer.say(plain_request()));
    Cr cr = listener_->expect_request();
    EXPECT_DAT_OK(accept(cr, leaver_.side().ep()));
    EXPECT_EQ(peer.hear_reply().size(), 20U);
    EXPECT_TRUE(peer.say(carrier(0, 0)));
    expect_connection_event(leaver_.side().connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED,
                            leaver_.side().ep());
    listener_.reset();
    return peer;
  }
  Leaver& leaver() { return leaver_; }
  // The limit that is set is one second. An end without that limit takes five seconds.
  void expect_to_leave_soon() {
    const auto before = std::chrono::steady_clock::now();
    leaver_.leave();
    EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(4));
  }

 private:
  Leaver leaver_;
  std::unique_ptr<Listener> listener_;
};

// Rules: tcp.L5
TEST(LastWords, APeerThatDoesNotCloseIsNotWaitedForLong) {
  const std::size_t before = open_descriptors();
  Unwilling unwilling;
  RawPeer peer = unwilling.connect();
  unwilling.expect_to_leave_soon();
  EXPECT_EQ(open_descriptors(), before + 1);
  EXPECT_EQ(peer.hear_the_end(), "none");
}

// Rules: tcp.L5
TEST(LastWords, APeerThatTakesNothingIsNotWaitedForLong) {
  const std::size_t before = open_descriptors();
  Unwilling unwilling;
  const RawPeer peer = unwilling.connect();
  const Buffer& much = unwilling.leaver().buffer(std::size_t{8} * 1024 * 1024);
  for (DAT_UINT64 i = 0; i < 4; ++i)
    EXPECT_DAT_OK(post_send(unwilling.leaver().side().ep(), {much.segment()}, i));
  unwilling.expect_to_leave_soon();
  EXPECT_EQ(open_descriptors(), before + 1);
}

// Rules: tcp.L5
TEST(LastWords, APeerThatNeverStopsIsNotWaitedForLong) {
  const std::size_t before = open_descriptors();
  Unwilling unwilling;
  RawPeer peer = unwilling.connect();
  std::thread talking([&] {
    const Octets much(65536);
    while (peer.say(much)) {
    }
  });
  unwilling.expect_to_leave_soon();
  talking.join();
  EXPECT_EQ(open_descriptors(), before + 1);
}

} // namespace
} // namespace datum::test
