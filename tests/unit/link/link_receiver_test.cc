// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A receiver alone: where a message goes, which records may follow which, what is counted.
#include <array>

#include "bare_link.h"
#include "transport/link/link_receiver.h"

namespace datum::test {
namespace {

class Receiver : public ::testing::Test, protected BareLink {
 protected:
  explicit Receiver(bool direct = false) : BareLink(direct) {}
  bool send(std::uint32_t length, std::uint8_t flags = record_flag::kLast) {
    return receiver_.on_send(record(RecordType::Send, length, flags), data_.data());
  }
  // The counts that the next record carries to the peer.
  void expect_acknowledged(std::uint32_t messages, std::uint32_t octets) {
    EXPECT_TRUE(frame_.flush_ack());
    const RecordHeader word = next();
    EXPECT_EQ(word.acked, messages);
    EXPECT_EQ(word.returned, octets);
  }

  std::array<std::byte, 64> memory_{};
  std::vector<std::byte> data_ = std::vector<std::byte>(kMaxPiece, std::byte{3});
  CountingFrame frame_{transport(), open()};
  LinkReceiver receiver_{frame_};
};

class ReceiverThatFetches : public Receiver {
 protected:
  ReceiverThatFetches() : Receiver(true) {}
  bool fetch(std::uint64_t length) {
    RecordHeader header = record(RecordType::SendFetch, sizeof(FetchSegment));
    header.fetch = {length, 1};
    const FetchSegment nothing{0xffffff00, 0, 0, length};
    return receiver_.on_fetch(header, reinterpret_cast<const std::byte*>(&nothing));
  }
};

TEST_F(Receiver, AWholeMessageIsPlacedInOneStep) {
  endpoint.post(memory_);
  RecordHeader header = record(RecordType::Send, 8, record_flag::kLast);
  header.payload[0] = std::byte{9};
  ASSERT_TRUE(receiver_.can_place_whole(header));
  EXPECT_TRUE(receiver_.place_whole(header, nullptr));
  EXPECT_EQ(memory_[0], std::byte{9});
  expect_acknowledged(1, 8);
}

TEST_F(Receiver, WithoutARecvNothingIsCounted) {
  EXPECT_FALSE(receiver_.place_whole(record(RecordType::Send, 8, record_flag::kLast), nullptr));
  EXPECT_TRUE(frame_.flush_ack());
  EXPECT_EQ(next().type, RecordType::None) << "there is nothing to tell";
}

TEST_F(Receiver, PiecesFillOneRecvInTheirOrder) {
  endpoint.post(memory_);
  EXPECT_TRUE(send(8, 0));
  EXPECT_FALSE(receiver_.can_place_whole(record(RecordType::Send, 8))) << "another is under way";
  expect_acknowledged(0, 8);
  EXPECT_TRUE(send(4));
  EXPECT_EQ(endpoint.messages, std::vector<std::uint64_t>{12});
  EXPECT_EQ(memory_[11], std::byte{3});
  EXPECT_EQ(memory_[12], std::byte{0});
  expect_acknowledged(1, 12);
}

TEST_F(Receiver, AMessageThatWaitsGoesToTheNextRecv) {
  EXPECT_TRUE(send(8));
  EXPECT_TRUE(send(5));
  EXPECT_FALSE(receiver_.can_place_whole(record(RecordType::Send, 8))) << "others were first";
  endpoint.post(memory_);
  receiver_.deliver_kept();
  EXPECT_EQ(endpoint.messages, std::vector<std::uint64_t>{8});
  expect_acknowledged(1, 8);
}

TEST_F(Receiver, AMessageThatIsTooLongEndsTheConnection) {
  endpoint.post(memory_);
  EXPECT_TRUE(send(65));
  EXPECT_EQ(endpoint.recv_failed, DtoStatus::LocalLength);
  EXPECT_EQ(frame_.terminated, (Refusal{RequestClass::Placed, DtoStatus::RemoteResponder, 0}));
}

TEST_F(Receiver, AWriteCountsBehindTheMessagesThatWait) {
  std::uint64_t target = 0;
  RecordHeader write = record(RecordType::Write, 8, record_flag::kLast);
  write.rdma.address = reinterpret_cast<std::uint64_t>(&target);
  EXPECT_TRUE(receiver_.on_write(write, data_.data()));
  EXPECT_NE(target, 0U);
  expect_acknowledged(1, 0);
  EXPECT_TRUE(send(8));
  EXPECT_TRUE(receiver_.on_write(write, data_.data()));
  EXPECT_TRUE(frame_.flush_ack());
  EXPECT_EQ(next().type, RecordType::None) << "the message before it has not been placed";
  endpoint.post(memory_);
  receiver_.deliver_kept();
  expect_acknowledged(3, 8);
}

TEST_F(Receiver, AWriteThatMayNotBeEndsTheConnectionBehindWhatWaits) {
  EXPECT_TRUE(send(8));
  endpoint.fault = AccessFault::OutOfBounds;
  EXPECT_TRUE(receiver_.on_write(record(RecordType::Write, 8, record_flag::kLast), data_.data()));
  EXPECT_EQ(frame_.terminated, (Refusal{RequestClass::Placed, DtoStatus::RemoteAccess, 1}));
}

TEST_F(Receiver, ANoteGoesWithTheMessageThatFollows) {
  RecordHeader note = record(RecordType::Note);
  note.note = {0, 1234, static_cast<std::uint32_t>(Opcode::WriteImmediate)};
  EXPECT_TRUE(receiver_.on_note(note));
  EXPECT_FALSE(receiver_.can_place_whole(record(RecordType::Send, 8)));
  endpoint.post(memory_);
  EXPECT_TRUE(send(0));
  EXPECT_EQ(endpoint.noted, 1234U);
  EXPECT_TRUE(receiver_.can_place_whole(record(RecordType::Send, 8))) << "it was used up";
  note.note.by = static_cast<std::uint32_t>(Opcode::RdmaRead);
  EXPECT_FALSE(receiver_.on_note(note));
}

TEST_F(ReceiverThatFetches, NothingFollowsAMessageThatWaitsToBeFetched) {
  EXPECT_TRUE(fetch(100));
  EXPECT_FALSE(fetch(100));
  EXPECT_FALSE(send(8));
}

TEST_F(ReceiverThatFetches, NoMessageIsFetchedInTheMiddleOfAnother) {
  EXPECT_TRUE(send(8, 0));
  EXPECT_FALSE(fetch(100));
}

TEST_F(ReceiverThatFetches, AMessageThatCannotBeFetchedIsTheSendersFault) {
  endpoint.post(memory_);
  EXPECT_TRUE(fetch(8));
  EXPECT_FALSE(receiver_.fetching());
  EXPECT_EQ(frame_.terminated, (Refusal{RequestClass::Placed, DtoStatus::LocalProtection, 0}));
}

} // namespace
} // namespace datum::test
