// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A link between two adapters in one thread: what arrives, in which order, and when the sender's
// requests end.
#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "core/endpoint/attribute_rules.h"
#include "pair.h"

namespace datum::test {
namespace {

class Transfer : public ::testing::TestWithParam<bool> {
 protected:
  Transfer() : pair(GetParam()) { pair.connect(); }
  Pair pair;
  Side& a = pair.active;
  Side& p = pair.passive;
};

void fill(Side& side, std::size_t length, unsigned seed) {
  for (std::size_t i = 0; i < length; ++i)
    side.memory[i] = static_cast<std::byte>((i * 31 + seed) & 0xff);
}

bool same(const Side& from, const Side& to, std::size_t to_offset, std::size_t length) {
  return std::memcmp(from.memory.data(), to.memory.data() + to_offset, length) == 0;
}

TEST_P(Transfer, SendOfEverySizeArrivesWhole) {
  for (const std::size_t size :
       {0UL, 1UL, 39UL, 40UL, 41UL, 64UL, 4096UL, 8192UL, 8193UL, 16384UL, 65536UL, 100000UL}) {
    fill(a, size, static_cast<unsigned>(size));
    ASSERT_TRUE(p.receive(100000, 100000, size).ok());
    ASSERT_TRUE(a.send(0, size, size + 1).ok());
    pair.world.settle();
    const Event received = p.next();
    EXPECT_EQ(received.status, DtoStatus::Success);
    EXPECT_EQ(received.cookie, size);
    EXPECT_EQ(received.value, size);
    EXPECT_TRUE(received.receive);
    EXPECT_TRUE(same(a, p, 100000, size)) << size;
    const Event sent = a.next();
    EXPECT_EQ(sent.status, DtoStatus::Success);
    EXPECT_EQ(sent.cookie, size + 1);
    EXPECT_EQ(sent.value, size);
  }
}

TEST_P(Transfer, WriteAndReadOfEverySize) {
  for (const std::size_t size : {0UL, 1UL, 7UL, 8UL, 24UL, 25UL, 8192UL, 8193UL, 100000UL}) {
    fill(a, size, static_cast<unsigned>(size) + 5);
    const LocalTriplet source = a.local(0, size);
    ASSERT_TRUE(a.ep.post_rdma(Opcode::RdmaWrite, {&source, 1}, 1, p.remote(1000, size), 0).ok());
    pair.world.settle();
    EXPECT_EQ(a.next().status, DtoStatus::Success);
    EXPECT_TRUE(same(a, p, 1000, size)) << size;
    const LocalTriplet sink = a.local(120000, size);
    ASSERT_TRUE(a.ep.post_rdma(Opcode::RdmaRead, {&sink, 1}, 2, p.remote(1000, size), 0).ok());
    pair.world.settle();
    const Event read = a.next();
    EXPECT_EQ(read.status, DtoStatus::Success);
    EXPECT_EQ(read.value, size);
    EXPECT_EQ(std::memcmp(a.memory.data(), a.memory.data() + 120000, size), 0) << size;
  }
}

TEST_P(Transfer, AReadOverTheRingEndsBeforeALaterDirectOne) {
  constexpr std::size_t kSize = 300000; // more than one turn of a direct copy
  fill(p, 2 * kSize, 9);
  ASSERT_TRUE(a.send(0, 8, 1).ok()); // waits for a receive, so the first Read takes the ring
  const LocalTriplet first = a.local(0, kSize);
  const LocalTriplet second = a.local(kSize, kSize);
  ASSERT_TRUE(a.ep.post_rdma(Opcode::RdmaRead, {&first, 1}, 2, p.remote(0, kSize), 0).ok());
  ASSERT_TRUE(p.receive(700000, 8, 3).ok());
  std::size_t ended = 0;
  bool second_posted = false;
  for (int steps = 0; ended != 3 && steps != 1000; ++steps) {
    pair.world.step();
    Event event;
    while (a.evd.dequeue(event).ok()) {
      EXPECT_EQ(event.status, DtoStatus::Success);
      ++ended;
      // The Send has been placed: from here on a Read could go direct.
      if (event.cookie == 1) {
        second_posted =
            a.ep.post_rdma(Opcode::RdmaRead, {&second, 1}, 4, p.remote(kSize, kSize), 0).ok();
      }
      if (event.cookie == 2) {
        EXPECT_TRUE(same(p, a, 0, kSize)) << "ended before its data came";
      }
      if (event.cookie == 4) {
        EXPECT_TRUE(same(p, a, 0, 2 * kSize));
      }
    }
  }
  EXPECT_TRUE(second_posted);
  EXPECT_EQ(ended, 3U);
}

// Two sides may exchange only Writes, and watch their own memory without polling an EVD. One Send
// before the Writes must not put all of them into the ring.
TEST(DirectWrite, ReadsThatEarlierRequestsWerePlacedBeforeItChoosesItsWay) {
  constexpr std::size_t kSize = 100000;
  Pair pair(true);
  pair.connect();
  ASSERT_TRUE(pair.passive.receive(700000, 8, 1).ok());
  ASSERT_TRUE(pair.active.send(0, 8, 2).ok());
  while (pair.world.b->transport.progress()) continue;
  fill(pair.active, kSize, 7);
  const LocalTriplet source = pair.active.local(0, kSize);
  ASSERT_TRUE(
      pair.active.ep.post_rdma(Opcode::RdmaWrite, {&source, 1}, 3, pair.passive.remote(0, kSize), 0)
          .ok());
  EXPECT_TRUE(same(pair.active, pair.passive, 0, kSize));
  EXPECT_EQ(pair.active.next().cookie, 2U);
  EXPECT_EQ(pair.active.next().cookie, 3U);
}

// The post that copies holds the lock, so no other thread could help. If a Write has more than a
// megabyte, a prompt wake makes a thread copy the rest. The copied octets count as polls.
// Rules: PROGRESS.5
TEST(DirectWrite, IsDoneByThePostUpToAMegabyte) {
  constexpr std::size_t kAlone = 1024 * 1024;
  Pair pair(true);
  pair.connect();
  Side& a = pair.active;
  WorldProgress& progress = pair.world.a->progress;
  progress.prompt_wakes = 0;
  const LocalTriplet most = a.local(0, kAlone);
  ASSERT_TRUE(
      a.ep.post_rdma(Opcode::RdmaWrite, {&most, 1}, 1, pair.passive.remote(0, kAlone), 0).ok());
  EXPECT_EQ(a.evd.count(), 1);
  EXPECT_EQ(progress.prompt_wakes, 0);
  EXPECT_EQ(progress.octets_copied, kAlone);
  const LocalTriplet more = a.local(0, kAlone + 1);
  ASSERT_TRUE(
      a.ep.post_rdma(Opcode::RdmaWrite, {&more, 1}, 2, pair.passive.remote(0, kAlone + 1), 0).ok());
  EXPECT_EQ(a.evd.count(), 1);
  EXPECT_EQ(progress.prompt_wakes, 1);
  pair.world.settle();
  EXPECT_EQ(a.next().cookie, 1U);
  EXPECT_EQ(a.next().cookie, 2U);
}

// The Writes wait for the Send before them. After the Send all of them may go, but each call copies
// only one turn.
// Rules: PROGRESS.3
TEST(DirectWrite, ThoseThatWaitedAreCopiedInTurns) {
  constexpr std::size_t kSize = 1024 * 1024;
  Pair pair(true);
  pair.connect();
  Side& a = pair.active;
  ASSERT_TRUE(a.send(0, 8, 0).ok()); // there is no Recv for it yet
  fill(a, kSize, 3);
  const LocalTriplet source = a.local(0, kSize);
  for (const std::uint64_t cookie : {1UL, 2UL, 3UL, 4UL})
    ASSERT_TRUE(
        a.ep.post_rdma(Opcode::RdmaWrite, {&source, 1}, cookie, pair.passive.remote(0, kSize), 0)
            .ok());
  ASSERT_TRUE(pair.passive.receive(kSize, 8, 5).ok());
  int& copies = pair.world.a->fabric.ports[0]->access.copies;
  ASSERT_EQ(copies, 0);
  for (int turns = 0; copies != 4 && turns != 100; ++turns) {
    const int before = copies;
    pair.world.a->transport.progress();
    EXPECT_LE(copies - before, 1) << "others wait for that";
  }
  EXPECT_TRUE(same(a, pair.passive, 0, kSize));
  pair.world.settle();
  for (const std::uint64_t cookie : {0UL, 1UL, 2UL, 3UL, 4UL}) EXPECT_EQ(a.next().cookie, cookie);
}

// The memory of a Write may be freed between its turns, or before the first turn.
// Rules: PROGRESS.3
TEST(DirectWrite, ThatWaitedForItsTurnReadsNoMemoryThatHasGone) {
  constexpr std::size_t kSize = 1024 * 1024 + 1; // more than one turn
  Pair pair(true);
  pair.connect();
  Side& a = pair.active;
  ASSERT_TRUE(a.send(0, 8, 0).ok()); // there is no Recv for it yet
  const LocalTriplet source = a.local(0, kSize);
  ASSERT_TRUE(
      a.ep.post_rdma(Opcode::RdmaWrite, {&source, 1}, 1, pair.passive.remote(0, kSize), 0).ok());
  ASSERT_TRUE(pair.passive.receive(kSize, 8, 5).ok());
  int& copies = pair.world.a->fabric.ports[0]->access.copies;
  pair.world.a->transport.progress(); // the Send is placed: the Write may go
  const int before = copies;
  ASSERT_TRUE(a.adapter.free(*a.region).ok());
  pair.world.settle();
  EXPECT_EQ(copies, before);
  EXPECT_EQ(a.next().cookie, 0U);
  EXPECT_EQ(a.next().status, DtoStatus::LocalProtection);
  EXPECT_EQ(a.next(a.connect_evd).kind, EventKind::Broken);
}

// Rules: PROGRESS.3
TEST_P(Transfer, ALongCopyLetsOtherEndpointsThrough) {
  Side second(*pair.world.a);
  Side its_peer(*pair.world.b);
  pair.connect(second, its_peer);
  ASSERT_TRUE(its_peer.receive(0, 8, 1).ok());
  const LocalTriplet all = a.local(0, a.memory.size());
  for (const std::uint64_t cookie : {2UL, 3UL})
    ASSERT_TRUE(
        a.ep.post_rdma(Opcode::RdmaWrite, {&all, 1}, cookie, p.remote(0, p.memory.size()), 0).ok());
  ASSERT_TRUE(second.send(0, 8, 4).ok());
  for (int turns = 0; second.evd.count() == 0 && turns != 100; ++turns) pair.world.step();
  EXPECT_EQ(second.next().cookie, 4U);
  EXPECT_LT(a.evd.count(), 2) << "it waited for all of the copying";
  pair.world.settle();
  EXPECT_EQ(a.next().cookie, 2U);
  EXPECT_EQ(a.next().cookie, 3U);
}

// In one call of progress(), all connections that copy share one turn. Over several calls each
// connection gets a turn, for a Write that is longer than a turn and for a fetch.
// Rules: PROGRESS.3
TEST(Fairness, ManyThatCopyTakeOneTurnTogether) {
  constexpr std::uint64_t kTurn = 1024 * 1024;
  constexpr std::size_t kEndpoints = 6;
  Pair pair(true);
  std::vector<std::unique_ptr<Side>> from;
  std::vector<std::unique_ptr<Side>> to;
  for (std::size_t i = 0; i < kEndpoints; ++i) {
    from.push_back(std::make_unique<Side>(*pair.world.a));
    to.push_back(std::make_unique<Side>(*pair.world.b));
    pair.connect(*from.back(), *to.back());
  }
  for (std::size_t i = 0; i < kEndpoints; ++i) {
    const LocalTriplet source = from[i]->local(0, 3 * kTurn);
    ASSERT_TRUE(
        from[i]
            ->ep.post_rdma(Opcode::RdmaWrite, {&source, 1}, 1, to[i]->remote(0, 3 * kTurn), 0)
            .ok());
  }
  const int& writes = pair.world.a->fabric.ports[0]->access.copies;
  for (std::size_t done = kEndpoints; done < 3 * kEndpoints;) {
    const int before = writes;
    pair.world.a->transport.progress();
    ASSERT_EQ(writes - before, 1) << "others wait for that";
    // No connection gets its next turn before each has had one.
    ++done;
    std::size_t ended = 0;
    for (const auto& side : from) ended += static_cast<std::size_t>(side->evd.count());
    ASSERT_EQ(ended, done - std::min(done, 2 * kEndpoints));
  }
  pair.world.settle();
  for (std::size_t i = 0; i < kEndpoints; ++i) {
    EXPECT_EQ(from[i]->next().cookie, 1U);
    ASSERT_TRUE(to[i]->receive(0, kTurn, 2).ok());
    ASSERT_TRUE(from[i]->send(0, kTurn, 3).ok());
  }
  const int& fetches = pair.world.b->fabric.ports[0]->access.copies;
  for (std::size_t i = 0; i < kEndpoints; ++i) {
    const int before = fetches;
    pair.world.b->transport.progress();
    EXPECT_LE(fetches - before, 1) << "others wait for that";
  }
  pair.world.settle();
  for (std::size_t i = 0; i < kEndpoints; ++i) {
    EXPECT_EQ(to[i]->next().cookie, 2U);
    EXPECT_EQ(from[i]->next().cookie, 3U);
  }
}

TEST_P(Transfer, ASendWaitsForItsReceive) {
  fill(a, 100, 1);
  ASSERT_TRUE(a.send(0, 100, 1).ok());
  ASSERT_TRUE(a.send(0, 50, 2).ok());
  pair.world.settle();
  Event none;
  EXPECT_EQ(p.evd.dequeue(none).type(), Type::QueueEmpty);
  EXPECT_EQ(a.evd.dequeue(none).type(), Type::QueueEmpty);
  ASSERT_TRUE(p.receive(1000, 100, 7).ok());
  pair.world.settle();
  EXPECT_EQ(p.next().cookie, 7U);
  EXPECT_EQ(a.next().cookie, 1U);
  ASSERT_TRUE(p.receive(2000, 100, 8).ok());
  pair.world.settle();
  EXPECT_EQ(p.next().value, 50U);
  EXPECT_EQ(a.next().cookie, 2U);
}

TEST_P(Transfer, ATooLongSendEndsBothSides) {
  ASSERT_TRUE(p.receive(0, 10, 1).ok());
  ASSERT_TRUE(a.send(0, 11, 2).ok());
  pair.world.settle();
  EXPECT_EQ(p.next().status, DtoStatus::LocalLength);
  EXPECT_EQ(p.next(p.connect_evd).kind, EventKind::Broken);
  EXPECT_EQ(a.next().status, DtoStatus::RemoteResponder);
  EXPECT_EQ(a.next(a.connect_evd).kind, EventKind::Broken);
}

TEST_P(Transfer, AForeignStagIsARemoteAccessError) {
  const LocalTriplet source = a.local(0, 8);
  RemoteTriplet target = p.remote(0, 8);
  target.stag ^= 1;
  ASSERT_TRUE(a.ep.post_rdma(Opcode::RdmaWrite, {&source, 1}, 1, target, 0).ok());
  ASSERT_TRUE(a.send(0, 8, 2).ok());
  pair.world.settle();
  EXPECT_EQ(a.next().status, DtoStatus::RemoteAccess);
  EXPECT_EQ(a.next().status, DtoStatus::Flushed);
  EXPECT_EQ(a.next(a.connect_evd).kind, EventKind::Broken);
  EXPECT_EQ(p.next(p.connect_evd).kind, EventKind::Broken);
}

TEST_P(Transfer, GracefulDisconnectCarriesEverythingThrough) {
  for (std::uint64_t i = 0; i < 4; ++i) ASSERT_TRUE(p.receive(i * 64, 64, i).ok());
  for (std::uint64_t i = 0; i < 4; ++i) ASSERT_TRUE(a.send(0, 64, i).ok());
  ASSERT_TRUE(a.ep.disconnect(true).ok());
  EXPECT_EQ(a.ep.state(), EpState::DisconnectPending);
  pair.world.settle();
  for (std::uint64_t i = 0; i < 4; ++i) {
    EXPECT_EQ(p.next().status, DtoStatus::Success);
    EXPECT_EQ(a.next().status, DtoStatus::Success);
  }
  EXPECT_EQ(a.next(a.connect_evd).kind, EventKind::Disconnected);
  EXPECT_EQ(p.next(p.connect_evd).kind, EventKind::Disconnected);
}

TEST_P(Transfer, ALostLinkBreaksAndFlushes) {
  ASSERT_TRUE(p.receive(0, 64, 1).ok());
  ASSERT_TRUE(a.receive(0, 64, 2).ok());
  pair.world.cut();
  EXPECT_EQ(a.next().status, DtoStatus::Flushed);
  EXPECT_EQ(p.next().status, DtoStatus::Flushed);
  EXPECT_EQ(a.next(a.connect_evd).kind, EventKind::Broken);
  EXPECT_EQ(p.next(p.connect_evd).kind, EventKind::Broken);
}

// Rules: PROGRESS.5
TEST(AFullRing, IsLookedAfterSoon) {
  EndpointAttributes attributes = default_attributes(*Pair().world.a->adapter);
  attributes.max_request_dtos = 2 * kRingSlots;
  Pair pair(false, &attributes);
  pair.connect();
  WorldProgress& progress = pair.world.a->progress;
  progress.prompt_wakes = 0;
  const LocalTriplet word = pair.active.local(0, 8);
  const RemoteTriplet target = pair.passive.remote(0, 8);
  std::uint64_t posted = 0;
  const auto post = [&] {
    ASSERT_TRUE(
        pair.active.ep.post_rdma(Opcode::RdmaWrite, {&word, 1}, posted++, target, kSuppress).ok());
  };
  while (progress.prompt_wakes == 0 && posted < 2 * kRingSlots) post();
  EXPECT_EQ(progress.prompt_wakes, 1);
  EXPECT_GT(posted, kRingSlots / 2);
  post();
  EXPECT_EQ(progress.prompt_wakes, 1) << "once is enough";
  pair.world.settle();
}

// The peer has filled most of the ring and has then ended. This side has not polled since.
TEST(LostLink, IsReadToItsEnd) {
  constexpr std::size_t kWrites = 1000;
  EndpointAttributes attributes = default_attributes(*Pair().world.a->adapter);
  attributes.max_request_dtos = kWrites;
  Pair pair(false, &attributes);
  pair.connect();
  Side& a = pair.active;
  fill(a, 8 * kWrites, 5);
  Node& b = *pair.world.b;
  b.transport.progress();
  for (std::size_t i = 0; i < kWrites; ++i) {
    const LocalTriplet source = a.local(8 * i, 8);
    ASSERT_TRUE(
        a.ep.post_rdma(Opcode::RdmaWrite, {&source, 1}, i, pair.passive.remote(8 * i, 8), kSuppress)
            .ok());
  }
  b.fabric.events()->on_link_lost(*b.fabric.ports.front());
  EXPECT_TRUE(same(a, pair.passive, 0, 8 * kWrites));
}

TEST(DirectWrite, ThatHasBegunFailsWhenTheWayToThePeersMemoryIsClosed) {
  Pair pair(true);
  pair.connect();
  Side& a = pair.active;
  const LocalTriplet all = a.local(0, a.memory.size());
  const RemoteTriplet target = pair.passive.remote(0, a.memory.size());
  ASSERT_TRUE(a.ep.post_rdma(Opcode::RdmaWrite, {&all, 1}, 1, target, 0).ok());
  EXPECT_EQ(a.evd.count(), 0) << "it takes one turn only";
  pair.world.a->fabric.direct = false; // as after the port was condemned
  pair.world.settle();
  EXPECT_EQ(a.next().status, DtoStatus::Transport);
  EXPECT_EQ(a.next(a.connect_evd).kind, EventKind::Broken);
}

TEST(DirectFetch, OfAPeerThatDiedIsNoNonsense) {
  Pair pair(true);
  pair.connect();
  ASSERT_TRUE(pair.passive.receive(0, 100000, 1).ok());
  ASSERT_TRUE(pair.active.send(0, 100000, 2).ok());
  pair.world.a->fabric.direct = pair.world.b->fabric.direct = false;
  pair.world.cut();
  for (const auto& port : pair.world.b->fabric.ports) EXPECT_FALSE(port->condemned);
  EXPECT_EQ(pair.passive.next().status, DtoStatus::Flushed);
  EXPECT_EQ(pair.passive.next(pair.passive.connect_evd).kind, EventKind::Broken);
}

TEST_P(Transfer, ManyRequestsCompleteInPostingOrder) {
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  for (std::uint64_t posted = 0; received < 500;) {
    while (p.receive(150000, 20000, posted).ok()) ++posted;
    while (a.send(0, (sent * 977) % 20000, sent).ok()) ++sent;
    pair.world.settle();
    Event event;
    while (p.evd.dequeue(event).ok()) {
      ASSERT_EQ(event.status, DtoStatus::Success);
      ASSERT_EQ(event.cookie, received);
      ASSERT_EQ(event.value, (received * 977) % 20000);
      ++received;
    }
    while (a.evd.dequeue(event).ok()) ASSERT_EQ(event.status, DtoStatus::Success);
  }
}

// The link reports the failure while it walks its list of work. Within that report the channel
// leaves the link.
TEST_P(Transfer, AFailedConnectionIsForgottenByItsLink) {
  const LocalTriplet source = a.local(0, 100000);
  RemoteTriplet target = p.remote(0, 100000);
  target.stag ^= 1;
  ASSERT_TRUE(a.ep.post_rdma(Opcode::RdmaWrite, {&source, 1}, 1, target, 0).ok());
  pair.world.settle();
  EXPECT_EQ(a.next().status, DtoStatus::RemoteAccess);
  ASSERT_TRUE(a.adapter.free(a.ep).ok());
  a.adapter.destroy_retired();
  pair.world.settle();
  EXPECT_EQ(p.next(p.connect_evd).kind, EventKind::Broken);
}

INSTANTIATE_TEST_SUITE_P(RingOnlyAndDirect, Transfer, ::testing::Bool(),
                         [](const auto& flavour) { return flavour.param ? "direct" : "ring"; });

} // namespace
} // namespace datum::test
