// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The peer's Reads and Atomics: their answers, how many at a time, and which are refused.
#include "bare_link.h"
#include "transport/link/read_responder.h"

namespace datum::test {
namespace {

class Responder : public ::testing::Test, protected BareLink {
 protected:
  static std::uint64_t address(const void* of) { return reinterpret_cast<std::uint64_t>(of); }
  void ask(std::uint64_t length) {
    RecordHeader header = record(RecordType::ReadRequest);
    header.read = {{5, 0, address(memory_.data())}, length};
    responder_.on_read_request(header);
  }
  void ask_atomic(std::uint64_t& word, const AtomicOperands& operands, std::uint8_t flags = 0) {
    RecordHeader header = record(RecordType::Atomic, 0, flags);
    header.atomic = {{5, 0, address(&word)}, operands.operand, operands.compare};
    responder_.on_atomic(header);
  }
  std::uint64_t answer() {
    const RecordHeader header = next();
    EXPECT_EQ(header.type, RecordType::ReadData);
    std::uint64_t value = 0;
    std::memcpy(&value, header.payload, sizeof value);
    return value;
  }

  std::vector<std::byte> memory_ = std::vector<std::byte>(1024 * 1024);
  CountingFrame frame_{transport(), open()};
  ReadResponder responder_{frame_};
};

TEST_F(Responder, AReadIsAnsweredInPieces) {
  ask(kMaxPiece + 1);
  const RecordHeader first = next();
  EXPECT_EQ(first.type, RecordType::ReadData);
  EXPECT_EQ(first.length, kMaxPiece);
  EXPECT_EQ(first.flags, 0);
  const RecordHeader last = next();
  EXPECT_EQ(last.length, 1U);
  EXPECT_EQ(last.flags, record_flag::kLast);
  EXPECT_FALSE(responder_.respond()) << "there is nothing left";
}

TEST_F(Responder, AReadOfNothingIsAnswered) {
  ask(0);
  EXPECT_EQ(next().flags, record_flag::kLast);
}

TEST_F(Responder, AnAnswerGoesOnWhenThereIsRoom) {
  ask(memory_.size());
  EXPECT_EQ(frame_.rooms, 1);
  EXPECT_FALSE(responder_.respond());
  empty_ring();
  EXPECT_TRUE(responder_.respond());
}

TEST_F(Responder, MoreThanAreServedAtATimeEndTheConnection) {
  for (int reads = 0; reads < 2; ++reads) ask(memory_.size());
  EXPECT_FALSE(frame_.terminated);
  ask(8);
  EXPECT_EQ(frame_.terminated, (Refusal{RequestClass::Read, DtoStatus::RemoteResponder, 2}));
}

TEST_F(Responder, AReadThatMayNotBeIsRefusedBehindThoseBeforeIt) {
  ask(memory_.size());
  endpoint.fault = AccessFault::OutOfBounds;
  ask(8);
  EXPECT_EQ(frame_.terminated, (Refusal{RequestClass::Read, DtoStatus::RemoteAccess, 1}));
}

TEST_F(Responder, MemoryThatGoesMeanwhileEndsTheAnswer) {
  ask(memory_.size());
  empty_ring();
  endpoint.fault = AccessFault::BadStag;
  EXPECT_TRUE(responder_.respond());
  EXPECT_EQ(frame_.terminated, (Refusal{RequestClass::Read, DtoStatus::RemoteAccess, 0}));
}

TEST_F(Responder, AnAtomicAnswersWhatWasThere) {
  std::uint64_t word = 40;
  ask_atomic(word, {2, 0});
  EXPECT_EQ(word, 42U);
  EXPECT_EQ(answer(), 40U);
  ask_atomic(word, {7, 41}, record_flag::kCompare);
  EXPECT_EQ(word, 42U) << "something else was there";
  EXPECT_EQ(answer(), 42U);
  ask_atomic(word, {7, 42}, record_flag::kCompare);
  EXPECT_EQ(word, 7U);
}

TEST_F(Responder, AnAtomicOfAWordThatIsNotAlignedIsRefused) {
  std::uint64_t words[2] = {1, 2};
  RecordHeader header = record(RecordType::Atomic);
  header.atomic = {{5, 0, address(words) + 4}, 1, 0};
  responder_.on_atomic(header);
  EXPECT_EQ(frame_.terminated, (Refusal{RequestClass::Read, DtoStatus::RemoteAccess, 0}));
  EXPECT_EQ(words[0], 1U);
}

} // namespace
} // namespace datum::test
