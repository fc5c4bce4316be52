// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A stream of requests alone: the order in which requests start, end and are reported.
#include "bare_world.h"
#include "core/endpoint/request_stream.h"

namespace datum {
namespace {

using test::expect_completions;

class Requests : public testing::Test, protected test::BareWorld {
 protected:
  void open(std::int32_t reads_out = 4) { stream_.open(channel_, reads_out); }
  void submit(Opcode opcode, std::uint64_t cookie, CompletionFlags flags = 0) {
    segment_ = piece(0, 8);
    WorkRequest work;
    work.opcode = opcode;
    work.length = 8;
    work.local = {&segment_, 1};
    stream_.submit(work, cookie, flags);
  }

  std::unique_ptr<EventDispatcher> evd_ = make_evd();
  test::CountingFrame frame_{services, &zone, attributes};
  test::ScriptedChannel channel_;
  LocalTriplet segment_;
  RequestStream stream_{frame_, evd_.get()};
};

// Rules: DTO.1
TEST_F(Requests, EndInTheOrderOfPostingWhateverEndsFirst) {
  open();
  submit(Opcode::RdmaRead, 1);
  submit(Opcode::Send, 2);
  submit(Opcode::RdmaWrite, 3);
  stream_.on_placed(2);
  EXPECT_EQ(evd_->count(), 0) << "the Read before them has not ended";
  EXPECT_EQ(stream_.held(), 3U);
  stream_.on_read_done();
  expect_completions(*evd_, {{1}, {2}, {3}});
  EXPECT_TRUE(stream_.empty());
}

// Rules: DAT2.68
TEST_F(Requests, ABarrierFenceWaitsForTheReadsBeforeIt) {
  open();
  submit(Opcode::RdmaRead, 1);
  submit(Opcode::SendInvalidate, 2, kBarrierFence);
  submit(Opcode::Send, 3);
  EXPECT_EQ(channel_.started, std::vector{Opcode::RdmaRead});
  stream_.on_read_done();
  EXPECT_EQ(channel_.started,
            (std::vector{Opcode::RdmaRead, Opcode::SendInvalidate, Opcode::Send}));
}

// Rules: READ.1
TEST_F(Requests, TheLimitOfReadsHoldsBackWhatIsBehindThem) {
  open(1);
  EXPECT_EQ(stream_.reads_out(), 1);
  submit(Opcode::RdmaRead, 1);
  submit(Opcode::FetchAdd, 2);
  submit(Opcode::Send, 3);
  EXPECT_EQ(channel_.started, std::vector{Opcode::RdmaRead});
  stream_.on_read_done();
  EXPECT_EQ(channel_.started, (std::vector{Opcode::RdmaRead, Opcode::FetchAdd, Opcode::Send}));
}

TEST_F(Requests, WhatFindsNoRoomStartsWhenThereIsSome) {
  open();
  channel_.answer = StartResult::Later;
  submit(Opcode::Send, 1);
  submit(Opcode::Send, 2);
  EXPECT_TRUE(channel_.started.empty());
  EXPECT_EQ(frame_.tally().stalls, 1U) << "the second is not tried before the first";
  channel_.answer = StartResult::Finished;
  stream_.on_room();
  expect_completions(*evd_, {{1}, {2}});
}

TEST_F(Requests, TheOldestFourFillTheQueue) {
  open();
  for (std::uint64_t cookie = 1; cookie != 5; ++cookie) {
    EXPECT_FALSE(stream_.full());
    submit(Opcode::Send, cookie);
  }
  EXPECT_TRUE(stream_.full());
  EXPECT_EQ(stream_.oldest(), Opcode::Send);
  stream_.on_placed(1);
  EXPECT_FALSE(stream_.full());
  EXPECT_EQ(stream_.retired(), 1U);
}

TEST_F(Requests, AFailureIsReportedByTheFlushAndFailsWhatIsBehindIt) {
  open();
  submit(Opcode::Send, 1);
  submit(Opcode::Send, 2);
  submit(Opcode::Send, 3);
  stream_.on_failed(RequestClass::Placed, DtoStatus::RemoteAccess, 1);
  EXPECT_EQ(context.tally().own_access_faults, 1U);
  stream_.on_placed(1);
  EXPECT_EQ(evd_->count(), 1);
  stream_.flush();
  expect_completions(*evd_, {{1}, {2, DtoStatus::RemoteAccess}, {3, DtoStatus::Flushed}});
}

TEST_F(Requests, WhatWasCarriedOutBehindAFailureIsFlushedToo) {
  open();
  submit(Opcode::RdmaRead, 1);
  submit(Opcode::Send, 2);
  stream_.on_placed(1);
  stream_.flush();
  expect_completions(*evd_, {{1, DtoStatus::Flushed}, {2, DtoStatus::Flushed}});
}

// The first of two completions overflows the EVD. The overflow breaks the connection.
TEST_F(Requests, WhatHasSucceededStaysSoInTheFlush) {
  for (std::uint64_t cookie = 0; cookie != 16; ++cookie)
    ASSERT_TRUE(evd_->post_software(cookie).ok());
  on_lost_completion = [this] {
    while (evd_->count() != 0) evd_->pop();
    stream_.flush();
  };
  open();
  submit(Opcode::Send, 1);
  submit(Opcode::Send, 2);
  submit(Opcode::Send, 3);
  stream_.on_placed(2);
  expect_completions(*evd_, {{2}, {3, DtoStatus::Flushed}});
}

TEST_F(Requests, WhatIsPostedAfterTheEndIsFlushedAtOnce) {
  open();
  stream_.flush();
  submit(Opcode::Send, 1);
  submit(Opcode::RdmaRead, 2, kSuppress);
  expect_completions(*evd_, {{1, DtoStatus::Flushed}, {2, DtoStatus::Flushed}});
  EXPECT_TRUE(channel_.started.empty());
}

TEST_F(Requests, SuccessThatIsSuppressedIsNotReported) {
  open();
  submit(Opcode::Send, 1, kSuppress);
  submit(Opcode::Send, 2);
  stream_.on_placed(2);
  expect_completions(*evd_, {{2}});
}

TEST_F(Requests, WhoseMemoryHasGoneFailsAfterWhatWasStarted) {
  open();
  submit(Opcode::Send, 1);
  channel_.answer = StartResult::Later;
  submit(Opcode::Send, 2);
  context.regions().revoke(stag);
  frame_.on_break = [this] { stream_.flush(); };
  stream_.on_room();
  EXPECT_EQ(frame_.breaks, 0) << "the first can still end";
  stream_.on_placed(1);
  EXPECT_EQ(frame_.breaks, 1);
  expect_completions(*evd_, {{1}, {2, DtoStatus::LocalProtection}});
}

TEST_F(Requests, TheWholeIsToldOfRetirementsWhileItDrains) {
  open();
  submit(Opcode::Send, 1);
  submit(Opcode::Send, 2);
  stream_.on_placed(1);
  EXPECT_EQ(frame_.retirements, 0);
  stream_.drain();
  stream_.on_placed(1);
  EXPECT_EQ(frame_.retirements, 1);
  stream_.flush();
  EXPECT_EQ(frame_.retirements, 1) << "it has ended by then";
}

TEST_F(Requests, APairIsReportedOnceWithTheLengthOfItsWrite) {
  open();
  stream_.begin_pair();
  submit(Opcode::RdmaWrite, 1, kHalf);
  WorkRequest message;
  message.opcode = Opcode::WriteImmediate;
  stream_.submit(message, 1, kHalf);
  stream_.on_placed(1);
  EXPECT_EQ(evd_->count(), 0);
  stream_.on_placed(1);
  Event event;
  ASSERT_TRUE(evd_->dequeue(event).ok());
  EXPECT_EQ(event.opcode, Opcode::WriteImmediate);
  EXPECT_EQ(event.value, 8U);
  EXPECT_EQ(evd_->count(), 0);
}

// Binds among other requests.
class Binds : public Requests {
 protected:
  Binds() {
    window_.issue_token(handles);
    region_.issue_token(handles);
    index.make_room_for(region_.local_stag());
    index.add(region_);
    used_ = context.regions().used();
  }
  void submit_bind(std::uint64_t cookie, CompletionFlags flags = 0) {
    BindRequest bind;
    const LocalTriplet range{region_.local_stag(), address(16), 32};
    ASSERT_TRUE(bind.make(frame_, window_, range, kRemoteRead, false).ok());
    ASSERT_TRUE(bind.reserve(context.regions()));
    stag_ = bind.binding.stag;
    stream_.submit_bind(std::move(bind), cookie, flags);
  }
  RegionRequest whole() const {
    RegionRequest request;
    request.address = address(0);
    request.length = kSize;
    request.access = kLocalRead | kLocalWrite;
    return request;
  }

  Stag stag_ = 0; // of the last bind
  MemoryRegion region_{context, zone, whole(), open_region(), {}};
  MemoryWindow window_{context, zone, MemoryWindow::Scope::Zone};
  std::uint32_t used_ = 0;
};

TEST_F(Binds, AreCarriedOutInTheirTurn) {
  open();
  submit(Opcode::RdmaRead, 1);
  submit_bind(2, kBarrierFence);
  EXPECT_FALSE(window_.bound());
  stream_.on_read_done();
  EXPECT_TRUE(window_.bound());
  const RegionEntry* entry = context.regions().find(stag_);
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->base, address(16));
  EXPECT_EQ(entry->length, 32U);
  expect_completions(*evd_, {{1}, {2}});
}

TEST_F(Binds, ThatAreFlushedLeaveTheirWindowUnbound) {
  open();
  submit_bind(1);
  EXPECT_TRUE(window_.bound());
  submit(Opcode::RdmaRead, 2);
  submit_bind(3, kBarrierFence);
  stream_.flush();
  EXPECT_FALSE(window_.bound());
  EXPECT_EQ(context.regions().used(), used_);
}

// Rules: dat_rmr_free.R8
TEST_F(Binds, OfAFreedWindowCompleteAsIfUnbound) {
  open();
  submit(Opcode::RdmaRead, 1);
  submit_bind(2, kBarrierFence);
  stream_.forget_window(window_);
  stream_.on_read_done();
  expect_completions(*evd_, {{1}, {2}});
  EXPECT_FALSE(window_.bound());
  EXPECT_EQ(context.regions().used(), used_);
}

TEST_F(Binds, ARangeOutsideItsRegionIsRefused) {
  BindRequest bind;
  const LocalTriplet range{region_.local_stag(), address(16), kSize - 15};
  EXPECT_EQ(bind.make(frame_, window_, range, kRemoteRead, false).type(), Type::InvalidParameter);
  EXPECT_EQ(region_.windows(), 0U);
}

} // namespace
} // namespace datum
