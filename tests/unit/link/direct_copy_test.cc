// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Copies between own memory and the peer's: the checks and the turns. Both kinds of copies may take
// several turns, for requests of this side and for messages of the peer.
#include <array>

#include "bare_link.h"
#include "transport/link/direct_request.h"
#include "transport/link/message_fetch.h"

namespace datum::test {
namespace {

constexpr std::uint64_t kTwoTurns = kDirectQuantum + 1;

class Direct : public ::testing::Test, protected BareLink {
 protected:
  Direct() : BareLink(true) {}
  CountingFrame::Start start() {
    CountingFrame::Start start = open();
    start.peer.zone = peer_side_.zone.id();
    start.peer.endpoint = peer_side_.ep.number();
    return start;
  }
  WorkRequest request(Opcode opcode, std::uint64_t length) {
    segment_ = triplet(std::span(memory_).first(length));
    WorkRequest work;
    work.opcode = opcode;
    work.length = length;
    work.local = {&segment_, 1};
    work.remote = peer_side_.remote(0, length);
    return work;
  }
  // A message of two segments, one behind the other.
  RecordHeader message(std::uint64_t length, std::uint64_t first, std::uint64_t second) {
    segments_ = {
        FetchSegment{peer_side_.region->local_stag(), 0, peer_side_.local(0, 0).address, first},
        FetchSegment{peer_side_.region->local_stag(), 0, peer_side_.local(first, 0).address,
                     second}};
    RecordHeader header = record(RecordType::SendFetch, sizeof segments_);
    header.fetch = {length, 2};
    return header;
  }
  void begin(const RecordHeader& header) {
    fetch_.begin(header, reinterpret_cast<const std::byte*>(segments_.data()), {});
  }
  int copies() { return port().access.copies; }

  Side peer_side_{*world.b};
  std::vector<std::byte> memory_ = std::vector<std::byte>(2 * kDirectQuantum);
  LocalTriplet segment_;
  std::array<FetchSegment, 2> segments_{};
  CountingFrame frame_{transport(), start()};
  DirectCopy copy_{frame_};
  DirectRequest request_{copy_};
  MessageFetch fetch_{copy_};
};

TEST_F(Direct, AShortWriteToAPeerThatPollsSuitsTheRingBetter) {
  EXPECT_FALSE(copy_.suits(request(Opcode::RdmaWrite, 8)));
  EXPECT_TRUE(copy_.suits(request(Opcode::RdmaWrite, 8192)));
  segment->side[1].sleep_epoch.store(1);
  EXPECT_TRUE(copy_.suits(request(Opcode::RdmaWrite, 8)));
}

TEST_F(Direct, ARequestOfNothingOrOfTooManySegmentsDoesNotSuit) {
  WorkRequest read = request(Opcode::RdmaRead, 8);
  EXPECT_TRUE(copy_.suits(read));
  const std::vector<LocalTriplet> many(kMaxFetchSegments + 1);
  read.local = many;
  EXPECT_FALSE(copy_.suits(read));
  EXPECT_FALSE(copy_.suits(request(Opcode::RdmaRead, 0)));
}

TEST_F(Direct, WithoutAccessNothingSuits) {
  world.a->fabric.direct = false;
  EXPECT_FALSE(copy_.suits(request(Opcode::RdmaWrite, 8192)));
  const WorkRequest write = request(Opcode::RdmaWrite, 8);
  EXPECT_EQ(copy_.copy(write.remote, kRemoteWrite, write.local, 0, 8), DtoStatus::Transport)
      << "it went away between two turns";
}

TEST_F(Direct, ThePeersRegionIsChecked) {
  memory_[0] = std::byte{7};
  WorkRequest write = request(Opcode::RdmaWrite, 8);
  EXPECT_EQ(copy_.copy(write.remote, kRemoteWrite, write.local, 0, 8), DtoStatus::Success);
  EXPECT_EQ(peer_side_.memory[0], std::byte{7});
  write.remote.length = peer_side_.memory.size() + 1;
  EXPECT_EQ(copy_.copy(write.remote, kRemoteWrite, write.local, 0, 8), DtoStatus::RemoteAccess);
  write.remote = {0xffffff00, 0, 8};
  EXPECT_EQ(copy_.copy(write.remote, kRemoteWrite, write.local, 0, 8), DtoStatus::RemoteAccess);
  EXPECT_EQ(copies(), 1);
}

TEST_F(Direct, AnEndpointOfAnotherZoneMayNotCopy) {
  CountingFrame::Start other = start();
  ++other.peer.zone;
  CountingFrame frame(transport(), other);
  const WorkRequest read = request(Opcode::RdmaRead, 8);
  EXPECT_EQ(DirectCopy(frame).copy(read.remote, kRemoteRead, read.local, 0, 8),
            DtoStatus::RemoteAccess);
}

TEST_F(Direct, ACallOfTheConsumersNeedsNoTurn) {
  transport().progress();
  EXPECT_TRUE(transport().take_turn(kDirectQuantum));
  EXPECT_FALSE(transport().take_turn(1));
  EXPECT_TRUE(copy_.has_turn(kDirectQuantum));
}

TEST_F(Direct, ALargeRequestTakesTurns) {
  peer_side_.memory[kDirectQuantum] = std::byte{5};
  const WorkRequest read = request(Opcode::RdmaRead, kTwoTurns);
  request_.begin(read);
  EXPECT_EQ(request_.take_turn(), DtoStatus::Success);
  EXPECT_EQ(request_.left(), 1U);
  EXPECT_EQ(memory_[kDirectQuantum], std::byte{0});
  EXPECT_EQ(request_.take_turn(), DtoStatus::Success);
  EXPECT_FALSE(request_.under_way());
  EXPECT_EQ(memory_[kDirectQuantum], std::byte{5});
}

TEST_F(Direct, NothingIsWrittenWhenTheEndIsOutOfBounds) {
  WorkRequest write = request(Opcode::RdmaWrite, kTwoTurns);
  write.remote.address += peer_side_.memory.size() - kDirectQuantum;
  request_.begin(write);
  EXPECT_EQ(request_.take_turn(), DtoStatus::RemoteAccess);
  EXPECT_FALSE(request_.under_way());
  EXPECT_EQ(copies(), 0);
}

TEST_F(Direct, AMessageIsFetchedFromAllItsSegments) {
  peer_side_.memory[kDirectQuantum] = std::byte{5};
  begin(message(kTwoTurns, 100, kTwoTurns - 100));
  const LocalTriplet recv = triplet(memory_);
  EXPECT_EQ(fetch_.take_turn({&recv, 1}), DtoStatus::Success);
  EXPECT_EQ(fetch_.left(), 1U);
  EXPECT_EQ(fetch_.take_turn({&recv, 1}), DtoStatus::Success);
  EXPECT_FALSE(fetch_.under_way());
  EXPECT_EQ(fetch_.length(), kTwoTurns);
  EXPECT_EQ(memory_[kDirectQuantum], std::byte{5});
}

TEST_F(Direct, SegmentsThatAreShorterThanTheirMessageAreRefused) {
  begin(message(100, 60, 39));
  const LocalTriplet recv = triplet(memory_);
  EXPECT_EQ(fetch_.take_turn({&recv, 1}), DtoStatus::RemoteResponder);
  EXPECT_FALSE(fetch_.under_way());
}

TEST_F(Direct, ARecordThatDoesNotHoldItsSegmentsIsNotSound) {
  RecordHeader header = message(100, 60, 40);
  EXPECT_TRUE(MessageFetch::is_sound(header));
  header.fetch.segments = 3;
  EXPECT_FALSE(MessageFetch::is_sound(header));
  header.fetch.segments = kMaxFetchSegments + 1;
  header.length = header.fetch.segments * sizeof(FetchSegment);
  EXPECT_FALSE(MessageFetch::is_sound(header));
}

} // namespace
} // namespace datum::test
