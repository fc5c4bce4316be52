// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// An inbox alone: which Recv a message takes, and what becomes of Recvs that no message takes.
#include <cstring>
#include <string_view>

#include "bare_world.h"
#include "core/endpoint/inbox.h"

namespace datum {
namespace {

using test::expect_completions;

class InboxOf : public testing::Test, protected test::BareWorld {
 protected:
  explicit InboxOf(SharedReceiveQueue* srq = nullptr) : inbox_(frame_, evd_.get(), srq) {
    events.async.set_evd(notices_.get(), 0);
  }
  ~InboxOf() override { events.async.drop_evd(); }

  void post(std::uint64_t cookie, std::size_t at, std::uint64_t length = 16) {
    const LocalTriplet segment = piece(at, length);
    inbox_.post({&segment, 1}, cookie, 0, length);
  }
  bool place(std::string_view text) {
    return inbox_.place_message(std::as_bytes(std::span(text)).data(), text.size(), false);
  }
  TakeResult take() { return inbox_.take_receive(into_, capacity_); }
  std::string_view text_at(std::size_t at, std::size_t length) const {
    return {reinterpret_cast<const char*>(memory.data()) + at, length};
  }

  std::unique_ptr<EventDispatcher> evd_ = make_evd();
  std::unique_ptr<EventDispatcher> notices_ = make_evd();
  test::CountingFrame frame_{services, &zone, attributes};
  std::span<const LocalTriplet> into_;
  std::uint64_t capacity_ = 0;
  Inbox inbox_;
};

class OwnRecvs : public InboxOf {};

// Rules: DTO.2
TEST_F(OwnRecvs, MessagesTakeThemInTheOrderOfPosting) {
  post(1, 0);
  post(2, 64);
  EXPECT_EQ(inbox_.held(), 2);
  ASSERT_TRUE(place("first"));
  ASSERT_TRUE(place("second"));
  EXPECT_EQ(text_at(0, 5), "first");
  EXPECT_EQ(text_at(64, 6), "second");
  Event event;
  ASSERT_TRUE(evd_->dequeue(event).ok());
  EXPECT_EQ(event.cookie, 1U);
  EXPECT_EQ(event.value, 5U);
  EXPECT_TRUE(event.receive);
  expect_completions(*evd_, {{2}});
  EXPECT_TRUE(inbox_.idle());
  EXPECT_EQ(frame_.tally().received[Opcode::Send].bytes, 11U);
}

TEST_F(OwnRecvs, AMessageThatIsNotTheUsualOneIsLeftToTheLongerWay) {
  EXPECT_FALSE(place("text")) << "there is no Recv";
  post(1, 0, 4);
  EXPECT_FALSE(place("longer")) << "it does not fit";
  ASSERT_TRUE(place("four")) << "it just fits";
  const LocalTriplet two[] = {piece(0, 8), piece(8, 8)};
  inbox_.post(two, 2, 0, 16);
  EXPECT_FALSE(place("text")) << "two segments";
  EXPECT_EQ(inbox_.held(), 1);
}

TEST_F(OwnRecvs, AMessageThatIsOpenKeepsTheOthersBack) {
  post(1, 0);
  post(2, 64);
  ASSERT_EQ(take(), TakeResult::Taken);
  EXPECT_EQ(capacity_, 16U);
  ASSERT_EQ(into_.size(), 1U);
  EXPECT_EQ(into_[0].address, address(0));
  EXPECT_FALSE(place("text"));
  inbox_.complete(3, false);
  expect_completions(*evd_, {{1}});
  EXPECT_TRUE(place("text"));
}

TEST_F(OwnRecvs, TheWholeIsToldOnceOfARecvThatAMessageWaitsFor) {
  post(1, 0);
  EXPECT_EQ(frame_.receives, 0);
  ASSERT_TRUE(place("text"));
  EXPECT_EQ(take(), TakeResult::NoReceive);
  post(2, 0);
  post(3, 0);
  EXPECT_EQ(frame_.receives, 1);
}

TEST_F(OwnRecvs, OneWhoseMemoryHasGoneFails) {
  post(1, 0);
  context.regions().revoke(stag);
  EXPECT_FALSE(place("text"));
  EXPECT_EQ(take(), TakeResult::Protection);
  expect_completions(*evd_, {{1, DtoStatus::LocalProtection}});
}

TEST_F(OwnRecvs, TheFlushBeginsWithTheOneThatIsBeingFilled) {
  for (std::uint64_t cookie = 1; cookie != 4; ++cookie) post(cookie, 0);
  ASSERT_EQ(take(), TakeResult::Taken);
  inbox_.flush();
  expect_completions(*evd_,
                     {{1, DtoStatus::Flushed}, {2, DtoStatus::Flushed}, {3, DtoStatus::Flushed}});
  inbox_.post_flushed(4, 0, 16);
  expect_completions(*evd_, {{4, DtoStatus::Flushed}});
  EXPECT_EQ(frame_.tally().recvs_posted.count, 4U);
}

TEST_F(OwnRecvs, TheSoftWatermarkIsToldOnce) {
  inbox_.set_watermarks(1, kWatermarkInfinite);
  post(1, 0);
  EXPECT_EQ(notices_->count(), 0);
  post(2, 0);
  post(3, 0);
  Event event;
  ASSERT_TRUE(notices_->dequeue(event).ok());
  EXPECT_EQ(event.kind, EventKind::AsyncWatermark);
  EXPECT_EQ(event.object, frame_.token());
  EXPECT_EQ(notices_->count(), 0);
}

TEST_F(OwnRecvs, TheHardWatermarkBreaksAConnectionOnly) {
  inbox_.set_watermarks(kWatermarkInfinite, 1);
  post(1, 0);
  post(2, 0);
  EXPECT_EQ(frame_.breaks, 0) << "there is none as yet";
  inbox_.open();
  inbox_.check_watermarks();
  EXPECT_EQ(frame_.breaks, 1);
  inbox_.flush();
  post(3, 0);
  post(4, 0);
  EXPECT_EQ(frame_.breaks, 1) << "there is none any more";
}

TEST_F(OwnRecvs, AnotherSizeKeepsWhatIsPosted) {
  post(1, 0);
  post(2, 64);
  EXPECT_FALSE(inbox_.could_hold_posted(1, 2));
  EXPECT_FALSE(inbox_.could_hold_posted(2, 1)) << "segments of what is posted";
  ASSERT_TRUE(inbox_.could_hold_posted(2, 2));
  inbox_.take_queue(inbox_.resized(2, 2));
  EXPECT_TRUE(inbox_.full());
  ASSERT_TRUE(place("text"));
  expect_completions(*evd_, {{1}});
}

TEST_F(OwnRecvs, AnInvalidateUnbindsItsWindowBeforeItIsReported) {
  MemoryWindow window(context, zone, MemoryWindow::Scope::Zone);
  windows.push_back(window);
  MemoryWindow::Binding binding;
  binding.stag = context.regions().reserve();
  const Stag bound = binding.stag;
  window.take(std::move(binding));
  post(1, 0);
  ASSERT_EQ(take(), TakeResult::Taken);
  inbox_.complete_noted(4, false, {Opcode::SendInvalidate, bound, 0});
  EXPECT_FALSE(window.bound());
  Event event;
  ASSERT_TRUE(evd_->dequeue(event).ok());
  EXPECT_EQ(event.opcode, Opcode::SendInvalidate);
  EXPECT_EQ(event.size, bound);
  window.unlink();
}

// An inbox that takes Recvs of an SRQ.
struct SharedRecvs : test::BareWorld {
  SharedReceiveQueue srq{events.async, zone, {.max_recv_dtos = 4, .max_recv_iov = 1}};
};

class SrqRecvs : public testing::Test, protected SharedRecvs {
 protected:
  SrqRecvs() {
    events.async.set_evd(notices_.get(), 0);
    EXPECT_TRUE(srq.issue_token(handles));
  }
  ~SrqRecvs() override { events.async.drop_evd(); }
  void post(std::uint64_t cookie) {
    const LocalTriplet segment = piece(0, 16);
    ASSERT_TRUE(srq.post({&segment, 1}, cookie).ok());
  }
  TakeResult take() { return inbox_.take_receive(into_, capacity_); }

  std::unique_ptr<EventDispatcher> evd_ = make_evd();
  std::unique_ptr<EventDispatcher> notices_ = make_evd();
  test::CountingFrame frame_{services, &zone, attributes};
  std::span<const LocalTriplet> into_;
  std::uint64_t capacity_ = 0;
  Inbox inbox_{frame_, evd_.get(), &srq};
};

TEST_F(SrqRecvs, AMessageTakesTheOldestWhichIsOutstandingUntilReaped) {
  post(1);
  post(2);
  EXPECT_TRUE(inbox_.idle());
  ASSERT_EQ(take(), TakeResult::Taken);
  EXPECT_EQ(inbox_.held(), 1);
  EXPECT_EQ(srq.available(), 1);
  inbox_.complete(5, false);
  EXPECT_EQ(srq.outstanding(), 2);
  expect_completions(*evd_, {{1}});
  EXPECT_EQ(srq.outstanding(), 1);
}

TEST_F(SrqRecvs, AMessageThatWaitsIsToldOfTheNextRecvOfTheSrq) {
  EXPECT_EQ(take(), TakeResult::NoReceive);
  post(1);
  EXPECT_EQ(frame_.receives, 1);
}

TEST_F(SrqRecvs, TheFlushTakesOnlyWhatAMessageWasFilling) {
  post(1);
  post(2);
  ASSERT_EQ(take(), TakeResult::Taken);
  inbox_.flush();
  expect_completions(*evd_, {{1, DtoStatus::Flushed}});
  EXPECT_EQ(srq.available(), 1);
}

TEST_F(SrqRecvs, ItIsLeftOncePerConnection) {
  inbox_.leave_srq();
  EXPECT_EQ(notices_->count(), 0) << "no connection";
  inbox_.open();
  inbox_.leave_srq();
  inbox_.leave_srq();
  Event event;
  ASSERT_TRUE(notices_->dequeue(event).ok());
  EXPECT_EQ(event.kind, EventKind::AsyncSrqLeft);
  EXPECT_EQ(event.object, frame_.token());
  EXPECT_EQ(notices_->count(), 0);
}

TEST_F(SrqRecvs, EndpointsOfDatagramsDoNotLeaveIt) {
  inbox_.open_for_datagrams();
  inbox_.leave_srq();
  EXPECT_EQ(notices_->count(), 0);
}

} // namespace
} // namespace datum
