// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A sender alone: the records of each request, what holds a request back, what ends it.
#include <array>

#include "bare_link.h"
#include "transport/link/link_sender.h"

namespace datum::test {
namespace {

class Sender : public ::testing::Test, protected BareLink {
 protected:
  WorkRequest request(Opcode opcode, std::uint64_t length) {
    segment_ = triplet(std::span(memory_).first(length));
    WorkRequest work;
    work.opcode = opcode;
    work.length = length;
    work.local = {&segment_, 1};
    work.remote = {5, 1000, length};
    return work;
  }
  void acknowledge(std::uint32_t placed, std::uint32_t octets) {
    RecordHeader word = record(RecordType::Ack);
    word.acked = placed;
    word.returned = octets;
    EXPECT_TRUE(sender_.take_counters(word));
  }

  std::vector<std::byte> memory_ = std::vector<std::byte>(200'000);
  LocalTriplet segment_;
  CountingFrame frame_{transport(), open()};
  LinkSender sender_{frame_};
};

TEST_F(Sender, AShortSendIsOneRecord) {
  memory_[0] = std::byte{7};
  EXPECT_EQ(sender_.start_now(request(Opcode::Send, 8)), StartResult::Started);
  const RecordHeader sent = next();
  EXPECT_EQ(sent.type, RecordType::Send);
  EXPECT_EQ(sent.flags, record_flag::kLast);
  EXPECT_EQ(sent.connection, kPeerNumber);
  EXPECT_EQ(sent.length, 8U);
  EXPECT_EQ(sent.payload[0], std::byte{7});
  acknowledge(1, 8);
  EXPECT_EQ(endpoint.placed, 1U);
}

TEST_F(Sender, ALargeSendIsCutIntoPiecesOf8KiB) {
  const WorkRequest large = request(Opcode::Send, 2 * kMaxPiece + 1);
  EXPECT_EQ(sender_.start_now(large), StartResult::Later);
  EXPECT_EQ(sender_.start(large), StartResult::Started);
  EXPECT_EQ(next().length, kMaxPiece);
  EXPECT_EQ(next().flags, 0);
  const RecordHeader last = next();
  EXPECT_EQ(last.flags, record_flag::kLast);
  EXPECT_EQ(last.length, 1U);
}

TEST_F(Sender, NoMoreThanTheWindowIsUnderWay) {
  const WorkRequest large = request(Opcode::Send, kSendWindow + kMaxPiece);
  ASSERT_EQ(sender_.start(large), StartResult::Started);
  std::uint32_t octets = 0;
  for (RecordHeader sent = next(); sent.type != RecordType::None; sent = next())
    octets += sent.length;
  EXPECT_EQ(octets, kSendWindow);
  EXPECT_FALSE(sender_.continue_partial());
  acknowledge(0, kMaxPiece);
  EXPECT_EQ(frame_.works, 1) << "it may go on";
  EXPECT_TRUE(sender_.continue_partial());
  EXPECT_EQ(next().flags, record_flag::kLast);
}

TEST_F(Sender, AShortSendWaitsForTheWindowToo) {
  const WorkRequest send = request(Opcode::Send, kMaxPiece);
  for (std::uint32_t octets = 0; octets < kSendWindow; octets += kMaxPiece)
    ASSERT_EQ(sender_.start_now(send), StartResult::Started);
  EXPECT_EQ(sender_.start_now(send), StartResult::Later);
  EXPECT_EQ(sender_.start_now(request(Opcode::RdmaWrite, 8)), StartResult::Started)
      << "nothing of it is kept";
  acknowledge(0, kMaxPiece);
  EXPECT_EQ(sender_.start_now(request(Opcode::Send, kMaxPiece)), StartResult::Started);
}

TEST_F(Sender, ThePeerHasNotPlacedMoreThanWasSent) {
  ASSERT_EQ(sender_.start_now(request(Opcode::Send, 8)), StartResult::Started);
  RecordHeader word = record(RecordType::Ack);
  word.acked = 2;
  EXPECT_FALSE(sender_.take_counters(word));
  word.acked = 1;
  word.returned = 9;
  EXPECT_FALSE(sender_.take_counters(word));
  EXPECT_EQ(endpoint.placed, 0U);
}

TEST_F(Sender, WhatFindsAFullRingHearsOfRoom) {
  fill_ring();
  EXPECT_EQ(sender_.start(request(Opcode::Send, 8)), StartResult::Later);
  EXPECT_EQ(frame_.rooms, 1);
  sender_.give_room();
  EXPECT_EQ(endpoint.rooms, 1);
  sender_.give_room();
  EXPECT_EQ(endpoint.rooms, 1) << "it was told already";
}

TEST_F(Sender, AReadEndsWithItsLastPiece) {
  const WorkRequest read = request(Opcode::RdmaRead, 10);
  ASSERT_EQ(sender_.start(read), StartResult::Started);
  EXPECT_EQ(next().read.length, 10U);
  const std::array<std::byte, 10> data{std::byte{1}, std::byte{2}};
  EXPECT_TRUE(sender_.on_read_data(record(RecordType::ReadData, 1), data.data()));
  EXPECT_EQ(endpoint.reads_done, 0);
  EXPECT_TRUE(
      sender_.on_read_data(record(RecordType::ReadData, 9, record_flag::kLast), data.data() + 1));
  EXPECT_EQ(endpoint.reads_done, 1);
  EXPECT_EQ(memory_[1], std::byte{2});
}

TEST_F(Sender, AnswersThatNoReadAskedForAreRefused) {
  const std::byte data[16] = {};
  EXPECT_FALSE(sender_.on_read_data(record(RecordType::ReadData, 8, record_flag::kLast), data));
  const WorkRequest read = request(Opcode::RdmaRead, 10);
  ASSERT_EQ(sender_.start(read), StartResult::Started);
  EXPECT_FALSE(sender_.on_read_data(record(RecordType::ReadData, 11, record_flag::kLast), data));
  EXPECT_FALSE(sender_.on_read_data(record(RecordType::ReadData, 9, record_flag::kLast), data));
  EXPECT_FALSE(sender_.on_read_data(record(RecordType::ReadData, 10), data));
}

TEST_F(Sender, ARequestWhoseMemoryHasGoneEndsTheConnection) {
  const WorkRequest large = request(Opcode::RdmaWrite, kMaxPiece + 1);
  endpoint.memory_stays = false;
  EXPECT_EQ(sender_.start(large), StartResult::Started);
  ASSERT_TRUE(sender_.failed());
  EXPECT_FALSE(endpoint.failed) << "not from within the call";
  sender_.report_failure();
  EXPECT_EQ(endpoint.failed, (Refusal{RequestClass::Placed, DtoStatus::LocalProtection, 0}));
  EXPECT_EQ(next().type, RecordType::Close);
  EXPECT_EQ(frame_.ended, CloseReason::Broken);
}

TEST_F(Sender, NothingIsPlacedBeforeAConfirmThatWaitsForRoom) {
  fill_ring();
  link->send_control(frame_.header(RecordType::Confirm));
  sender_.hold_behind_confirm();
  EXPECT_EQ(frame_.rooms, 1);
  EXPECT_FALSE(sender_.confirm_has_left());
  empty_ring();
  transport().progress();
  EXPECT_TRUE(sender_.confirm_has_left());
}

TEST_F(Sender, AMessageThatThePeerReadAndDidNotPlaceWaitsForARecv) {
  ASSERT_EQ(sender_.start_now(request(Opcode::Send, 8)), StartResult::Started);
  EXPECT_FALSE(sender_.waits_for_receive(true)) << "asked for the first time";
  EXPECT_FALSE(sender_.waits_for_receive(true)) << "the peer has not read it";
  empty_ring();
  EXPECT_TRUE(sender_.waits_for_receive(true));
  EXPECT_FALSE(sender_.waits_for_receive(false)) << "it is no message";
  acknowledge(1, 8);
  EXPECT_FALSE(sender_.waits_for_receive(true));
}

} // namespace
} // namespace datum::test
