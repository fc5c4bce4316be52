// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Records that no honest peer sends in this order, although each alone would be valid. They end the
// link, and the consumer gets no message that was not sent.
#include <array>
#include <cstring>

#include "pair.h"
#include "transport/link/link.h"

namespace datum::test {
namespace {

class HostileRecords : public ::testing::Test {
 protected:
  HostileRecords() : pair(true) { pair.connect(); }

  Link& peer_link() {
    return *pair.world.b->transport.find_link(*pair.world.b->fabric.ports.front());
  }
  bool condemned() { return pair.world.a->fabric.ports.front()->condemned; }
  // Only the victim polls. Its peer only writes.
  void let_victim_look() {
    while (pair.world.a->transport.progress()) pair.world.a->adapter->destroy_retired();
  }
  void put(RecordHeader header, std::span<const FetchSegment> segments = {}) {
    header.acked = header.returned = 0;
    header.length = static_cast<std::uint32_t>(segments.size_bytes());
    RecordHeader* to = peer_link().reserve(lines_of(header));
    ASSERT_NE(to, nullptr);
    std::memcpy(reinterpret_cast<std::byte*>(to) + 4, reinterpret_cast<std::byte*>(&header) + 4,
                sizeof header - 4);
    if (!segments.empty())
      std::memcpy(peer_link().payload(), segments.data(), segments.size_bytes());
    peer_link().publish();
  }
  void put_send(std::uint8_t flags) {
    RecordHeader header{};
    header.type = RecordType::Send;
    header.flags = flags;
    header.connection = kFirstConnection;
    put(header);
  }
  void put_fetch() {
    RecordHeader header{};
    header.type = RecordType::SendFetch;
    header.connection = kFirstConnection;
    header.fetch = {100, 1};
    const FetchSegment segment{pair.passive.region->local_stag(), 0,
                               reinterpret_cast<std::uint64_t>(pair.passive.memory.data()), 100};
    put(header, {&segment, 1});
  }
  void put_read() {
    RecordHeader header{};
    header.type = RecordType::ReadRequest;
    header.connection = kFirstConnection;
    header.read.rdma = {victim.region->remote_stag(), 0,
                        reinterpret_cast<std::uint64_t>(victim.memory.data())};
    header.read.length = victim.memory.size();
    put(header);
  }
  void put_connect(std::int32_t reads_in) {
    RecordHeader header{};
    header.type = RecordType::Connect;
    header.connect = {4001, 77, 1, 1, reads_in, 0, 50000};
    put(header);
  }

  // Slot 0 of the victim's link, in its first generation.
  static constexpr std::uint32_t kFirstConnection = 1U << 18U;
  Pair pair;
  Side& victim = pair.active;
};

TEST_F(HostileRecords, OneMessageToFetchArrivesOnceWhenItsRecvComes) {
  put_fetch();
  let_victim_look();
  EXPECT_FALSE(condemned());
  ASSERT_TRUE(victim.receive(0, 4096, 1).ok());
  const Event event = victim.next();
  EXPECT_EQ(event.cookie, 1U);
  EXPECT_EQ(event.value, 100U);
}

TEST_F(HostileRecords, NothingMayFollowAMessageThatIsToBeFetched) {
  put_fetch();
  put_fetch();
  let_victim_look();
  EXPECT_TRUE(condemned());
}

TEST_F(HostileRecords, NoSendMayFollowAMessageThatIsToBeFetched) {
  put_fetch();
  put_send(record_flag::kLast);
  let_victim_look();
  EXPECT_TRUE(condemned());
}

TEST_F(HostileRecords, NoMessageIsFetchedInTheMiddleOfOneThatWaits) {
  put_send(0);
  put_fetch();
  let_victim_look();
  EXPECT_TRUE(condemned());
}

TEST_F(HostileRecords, NothingIsSentBeforeTheRequestIsAnswered) {
  const ConnQual qualifier = 4002;
  Side& peer = pair.passive;
  ASSERT_TRUE(peer.adapter.create_psp(&qualifier, peer.cr_evd, ServicePoint::EpSource::Consumer)
                  .has_value());
  Side requester(*pair.world.a);
  ASSERT_TRUE(requester.ep.connect({}, qualifier, 0xffffffff, {}).ok());
  let_victim_look();
  EXPECT_FALSE(condemned());
  RecordHeader header{};
  header.type = RecordType::Send;
  header.flags = record_flag::kLast;
  header.connection = kFirstConnection + 1; // the next slot
  put(header);
  let_victim_look();
  EXPECT_TRUE(condemned());
}

TEST_F(HostileRecords, ARequestThatServesLessThanNoReadsIsRefused) {
  put_connect(-1);
  let_victim_look();
  EXPECT_TRUE(condemned());
}

// Rules: ERR.11
TEST_F(HostileRecords, MoreReadsThanAreServedBreakTheConnectionOnly) {
  for (int reads = 0; reads < 4; ++reads) put_read(); // an EP serves four at a time by default
  let_victim_look(); // the first answer fills the ring, and the peer does not read it
  EXPECT_EQ(victim.ep.state(), EpState::Connected);
  EXPECT_EQ(victim.connect_evd.count(), 0);
  put_read();
  let_victim_look();
  EXPECT_EQ(victim.next(victim.connect_evd).kind, EventKind::Broken);
  EXPECT_EQ(victim.ep.state(), EpState::Disconnected);
  EXPECT_FALSE(condemned()) << "the link and its other connections live on";
}

TEST_F(HostileRecords, EmptyMessagesWithoutRecvAreKeptUpToABound) {
  constexpr int kMore = 65536 + 8 + 1; // the most Sends of one EP, a window of pieces, and one
  for (int sent = 0; sent < kMore && !condemned(); sent += 64) {
    for (int i = 0; i < 64; ++i) put_send(record_flag::kLast);
    let_victim_look();
  }
  EXPECT_TRUE(condemned());
}

TEST_F(HostileRecords, APeerThatReadsNoAnswersIsCutOff) {
  constexpr int kMore = (1 << 17) + 4096; // the bound, and what the ring holds
  for (int asked = 0; asked < kMore && !condemned(); asked += 64) {
    for (int i = 0; i < 64; ++i) put_connect(0); // no service point listens, so each is refused
    let_victim_look();
  }
  EXPECT_TRUE(condemned());
}

TEST_F(HostileRecords, ARequesterHasANumberOnceAtATime) {
  const ConnQual qualifier = 4001;
  ASSERT_TRUE(victim.adapter.create_psp(&qualifier, victim.cr_evd, ServicePoint::EpSource::Consumer)
                  .has_value());
  put_connect(4);
  let_victim_look();
  EXPECT_EQ(victim.cr_evd.count(), 1);
  RecordHeader taken_back{};
  taken_back.type = RecordType::Close;
  taken_back.connect.number = 77;
  put(taken_back);
  put_connect(4);
  let_victim_look();
  EXPECT_FALSE(condemned()) << "the first one was taken back";
  EXPECT_EQ(victim.cr_evd.count(), 2);
  put_connect(4);
  let_victim_look();
  EXPECT_TRUE(condemned());
  EXPECT_EQ(victim.cr_evd.count(), 2);
}

} // namespace
} // namespace datum::test
