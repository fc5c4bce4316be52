// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Messages that are kept until their Recvs come: how many, in which order, for how long.
#include "bare_link.h"
#include "transport/link/kept_messages.h"

namespace datum::test {
namespace {

class Kept : public ::testing::Test, protected BareLink {
 protected:
  static RecordHeader send(std::uint32_t length, std::uint8_t flags = record_flag::kLast) {
    return record(RecordType::Send, length, flags);
  }
  void keep(const RecordHeader& header) { kept_.keep(header, data_.data(), {}); }

  std::vector<std::byte> data_ = std::vector<std::byte>(kMaxPiece);
  CountingFrame frame_{transport(), open()};
  KeptMessages kept_{frame_};
};

TEST_F(Kept, AsMuchAsTheWindowAllows) {
  for (std::uint32_t octets = 0; octets < kSendWindow; octets += kMaxPiece) {
    ASSERT_TRUE(kept_.has_room_for(send(kMaxPiece)));
    keep(send(kMaxPiece));
  }
  EXPECT_FALSE(kept_.has_room_for(send(1)));
  EXPECT_TRUE(kept_.has_room_for(send(0)));
  kept_.release_first();
  EXPECT_TRUE(kept_.has_room_for(send(kMaxPiece)));
}

TEST_F(Kept, InTheOrderOfTheirArrivalWithWhatCountsBehindThem) {
  EXPECT_FALSE(kept_.count_write()) << "nothing waits: it counts at once";
  keep(send(1));
  EXPECT_TRUE(kept_.count_write());
  EXPECT_TRUE(kept_.count_write());
  keep(send(2, 0));
  EXPECT_EQ(kept_.requests(), 3U) << "the second message has not ended";
  EXPECT_EQ(kept_.front().payload.size(), 1U);
  EXPECT_EQ(kept_.release_first(), 2U);
  EXPECT_EQ(kept_.front().payload.size(), 2U);
  EXPECT_EQ(kept_.release_first(), 0U);
  EXPECT_TRUE(kept_.empty());
}

TEST_F(Kept, WhatCameLastSaysWhatMayCome) {
  EXPECT_FALSE(kept_.ends_inside_message());
  keep(send(8, 0));
  EXPECT_TRUE(kept_.ends_inside_message());
  keep(send(8));
  EXPECT_FALSE(kept_.ends_inside_message());
  EXPECT_FALSE(kept_.ends_with_fetch());
  keep(record(RecordType::SendFetch));
  EXPECT_TRUE(kept_.ends_with_fetch());
  EXPECT_FALSE(kept_.ends_inside_message());
}

TEST_F(Kept, TheSenderIsToldOnceForWhatIsNew) {
  EXPECT_FALSE(kept_.take_news());
  keep(send(8));
  EXPECT_EQ(frame_.works, 1);
  EXPECT_TRUE(kept_.take_news());
  EXPECT_FALSE(kept_.take_news());
}

TEST_F(Kept, ForLongerThanASecondIsCounted) {
  keep(send(8));
  world.advance(kSecond - 1);
  EXPECT_EQ(endpoint.long_waits, 0U);
  world.advance(1);
  EXPECT_EQ(endpoint.long_waits, 1U);
  EXPECT_FALSE(frame_.terminated) << "the endpoint lets it wait on";
}

TEST_F(Kept, NoTimerExpiresAfterTheEnd) {
  keep(send(8));
  kept_.stop();
  world.advance(2 * kSecond);
  EXPECT_EQ(endpoint.long_waits, 0U);
}

TEST(KeptNone, WhereNothingMayWaitTheConnectionEnds) {
  BareLink bare;
  LinkTransport impatient(bare.world.a->fabric, {.limits = {}, .receive_timeout = Duration{0}});
  CountingFrame frame(impatient, bare.open());
  KeptMessages kept(frame);
  kept.keep(record(RecordType::Send, 0, record_flag::kLast), nullptr, {});
  EXPECT_TRUE(kept.empty());
  EXPECT_EQ(frame.terminated, (Refusal{RequestClass::Placed, DtoStatus::ReceiverNotReady, 0}));
}

} // namespace
} // namespace datum::test
