// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Visibility, order, and progress without calls. Programs rely on more of these than the manual
// promises.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <sched.h>
#include <set>
#include <string>
#include <thread>

#include "fixture.h"
#include "registration.h"

namespace datum::test {
namespace {

class RuleDataPaths : public testing::Test {
 protected:
  Side& active() { return pair.active(); }
  Side& passive() { return pair.passive(); }

  // Spins until the byte at `last` has the value. Makes no DAT calls other than those in `between`.
  static bool spin_for(
      const std::byte* last, std::byte value, const std::function<void()>& between = [] {}) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(kPatience);
    const auto* seen = reinterpret_cast<const volatile std::byte*>(last);
    while (*seen != value) {
      if (std::chrono::steady_clock::now() > end) return false;
      between();
    }
    std::atomic_thread_fence(std::memory_order_acquire);
    return true;
  }

  ConnectedPair pair;
};

constexpr std::size_t kSizes[] = {0, 1, 7, 64, 65, 4095, 4096, 4097, 65536, 1048576};

// Rules: PATH.1 PATH.4 DTO.7
TEST_F(RuleDataPaths, AWriteIsThereWhenItCompletes) {
  Buffer source = active().buffer(1048576);
  Buffer target = passive().buffer(1048576);
  std::uint8_t seed = 1;
  for (const std::size_t size : kSizes) {
    source.fill(++seed);
    ASSERT_DAT_OK(
        post_write(active().ep(), {source.segment(0, size)}, target.remote(0, size), seed));
    EXPECT_EQ(expect_dto(active().request_evd(), active().ep(), seed), size);
    EXPECT_TRUE(target.holds(seed, 0, size)) << size;
  }
}

// Rules: DTO.14 PATH.4
TEST_F(RuleDataPaths, MessagesOfEverySize) {
  Buffer source = active().buffer(1048576);
  Buffer sink = passive().buffer(1048576);
  std::uint8_t seed = 1;
  for (const std::size_t size : kSizes) {
    source.fill(++seed);
    ASSERT_DAT_OK(post_recv(passive().ep(), {sink.segment()}, seed));
    ASSERT_DAT_OK(post_send(active().ep(), {source.segment(0, size)}, seed));
    EXPECT_EQ(expect_dto(passive().recv_evd(), passive().ep(), seed), size);
    EXPECT_EQ(expect_dto(active().request_evd(), active().ep(), seed), size);
    EXPECT_TRUE(sink.holds(seed, 0, size)) << size;
  }
}

// Rules: PATH.5 PROGRESS.4
TEST_F(RuleDataPaths, WritesOfAlternatingSizesLandInOrder) {
  constexpr std::size_t kLarge = 200'000;
  Buffer source = active().buffer(kLarge);
  Buffer target = passive().buffer(kLarge);
  DAT_UINT64 number = 0;
  for (int round = 0; round < 20; ++round) {
    // Both Writes store into the first bytes. The bytes of the later Write must stay.
    source.fill(static_cast<std::uint8_t>(round));
    ASSERT_DAT_OK(post_write(active().ep(), {source.segment()}, target.remote(), number));
    expect_dto(active().request_evd(), active().ep(), number++);
    Buffer small = active().buffer(8);
    small.fill(static_cast<std::uint8_t>(100 + round));
    ASSERT_DAT_OK(post_write(active().ep(), {source.segment()}, target.remote(), number));
    ASSERT_DAT_OK(post_write(active().ep(), {small.segment()}, target.remote(0, 8), number + 1));
    expect_dto(active().request_evd(), active().ep(), number++);
    expect_dto(active().request_evd(), active().ep(), number++);
    ASSERT_TRUE(target.holds(static_cast<std::uint8_t>(100 + round), 0, 8)) << round;
    ASSERT_TRUE(target.holds(static_cast<std::uint8_t>(round), 8, kLarge - 8)) << round;
  }
}

// Rules: PATH.6 PATH.7 PROGRESS.1 PROGRESS.5
TEST_F(RuleDataPaths, ATargetThatOnlySpinsSeesTheWrite) {
  for (const std::size_t size : {std::size_t{8}, std::size_t{300}, std::size_t{100'000}}) {
    Buffer source = active().buffer(size);
    Buffer target = passive().buffer(size);
    std::memset(source.bytes().data(), 0x5a, size);
    ASSERT_DAT_OK(post_write(active().ep(), {source.segment()}, target.remote(), size));
    // Neither side makes a DAT call until the last byte is there.
    ASSERT_TRUE(spin_for(&target.bytes()[size - 1], std::byte{0x5a})) << size;
    EXPECT_EQ(target.text(0, size), std::string(size, 0x5a)) << "the last byte came last";
    expect_dto(active().request_evd(), active().ep(), size);
  }
}

// Rules: PROGRESS.9 PATH.6
TEST_F(RuleDataPaths, ATargetThatSpinsAndYieldsSeesTheWrite) {
  Buffer source = active().buffer(8);
  Buffer target = passive().buffer(8);
  for (DAT_UINT64 i = 1; i <= 100; ++i) {
    const std::byte value{static_cast<unsigned char>(i)};
    source.bytes()[7] = value;
    ASSERT_DAT_OK(post_write(active().ep(), {source.segment()}, target.remote(), i));
    ASSERT_TRUE(spin_for(&target.bytes()[7], value, sched_yield)) << i;
    expect_dto(active().request_evd(), active().ep(), i);
  }
}

// The usual form of a flag that follows its data. One thread plays both sides.
// Rules: PROGRESS.9 PATH.8
TEST_F(RuleDataPaths, ATargetPollsForTheFirstWriteAndSpinsForTheSecond) {
  Buffer source = active().buffer(16);
  Buffer target = passive().buffer(16);
  for (DAT_UINT64 i = 1; i <= 200; ++i) {
    const std::byte value{static_cast<unsigned char>(i)};
    source.bytes()[7] = source.bytes()[11] = value;
    ASSERT_DAT_OK(post_write(active().ep(), {source.segment(0, 8)}, target.remote(0, 8), 2 * i));
    ASSERT_DAT_OK(
        post_write(active().ep(), {source.segment(8, 4)}, target.remote(8, 4), 2 * i + 1));
    const auto poll = [&] {
      DAT_EVENT none{};
      EXPECT_NE(dat_evd_dequeue(passive().recv_evd(), &none), DAT_SUCCESS);
    };
    ASSERT_TRUE(spin_for(&target.bytes()[7], value, poll)) << i;
    ASSERT_TRUE(spin_for(&target.bytes()[11], value)) << i;
    poll_dto(active().request_evd(), active().ep(), 2 * i);
    poll_dto(active().request_evd(), active().ep(), 2 * i + 1);
  }
}

// Rules: PATH.8 DTO.3
TEST_F(RuleDataPaths, ASendBehindAWriteFindsTheData) {
  Buffer source = active().buffer(100'000);
  Buffer target = passive().buffer(100'000);
  Buffer note = passive().buffer(8);
  for (std::uint8_t i = 1; i < 20; ++i) {
    source.fill(i);
    ASSERT_DAT_OK(post_recv(passive().ep(), {note.segment()}, i));
    ASSERT_DAT_OK(post_write(active().ep(), {source.segment()}, target.remote(), i));
    ASSERT_DAT_OK(post_send(active().ep(), {source.segment(0, 8)}, i));
    expect_dto(passive().recv_evd(), passive().ep(), i);
    ASSERT_TRUE(target.holds(i, 0, 100'000)) << i;
    expect_dto(active().request_evd(), active().ep(), i);
    expect_dto(active().request_evd(), active().ep(), i);
  }
}

// Rules: DTO.4
TEST_F(RuleDataPaths, AReadBehindAWriteSeesTheNewData) {
  Buffer source = active().buffer(5000);
  Buffer target = passive().buffer(5000);
  Buffer back = active().buffer(5000);
  for (std::uint8_t i = 1; i < 10; ++i) {
    source.fill(i);
    ASSERT_DAT_OK(post_write(active().ep(), {source.segment()}, target.remote(), 1));
    ASSERT_DAT_OK(post_read(active().ep(), {back.segment()}, target.remote(), 2));
    expect_dto(active().request_evd(), active().ep(), 1);
    EXPECT_EQ(expect_dto(active().request_evd(), active().ep(), 2), 5000U);
    ASSERT_TRUE(back.holds(i, 0, 5000)) << i;
  }
}

// Rules: PATH.10
TEST_F(RuleDataPaths, SeveralThreadsDequeueOneEvd) {
  constexpr DAT_UINT64 kWrites = 600;
  Buffer source = active().buffer(64);
  Buffer target = passive().buffer(64);
  std::atomic<DAT_UINT64> taken = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20 * times_as_patient());
  std::vector<DAT_UINT64> numbers[3];
  const auto dequeue = [&](std::vector<DAT_UINT64>& mine) {
    DAT_EVENT event{};
    while (taken < kWrites && std::chrono::steady_clock::now() < end) {
      if (dat_evd_dequeue(active().request_evd(), &event) != DAT_SUCCESS) continue;
      EXPECT_EQ(event.event_data.dto_completion_event_data.status, DAT_DTO_SUCCESS);
      mine.push_back(event.event_data.dto_completion_event_data.user_cookie.as_64);
      ++taken;
    }
  };
  std::vector<std::thread> threads;
  for (std::vector<DAT_UINT64>& mine : numbers) threads.emplace_back(dequeue, std::ref(mine));
  for (DAT_UINT64 posted = 0; posted < kWrites && std::chrono::steady_clock::now() < end;) {
    if (posted >= taken + 12) continue;
    EXPECT_DAT_OK(post_write(active().ep(), {source.segment()}, target.remote(), posted++));
  }
  for (std::thread& thread : threads) thread.join();
  std::set<DAT_UINT64> all;
  for (const std::vector<DAT_UINT64>& mine : numbers) {
    EXPECT_TRUE(std::is_sorted(mine.begin(), mine.end())) << "one thread sees the stream's order";
    all.insert(mine.begin(), mine.end());
  }
  EXPECT_EQ(taken, kWrites);
  EXPECT_EQ(all.size(), kWrites) << "each once";
}

// One direction of traffic: messages of many sizes. As many messages are under way as there are
// buffers.
class Traffic {
 public:
  static constexpr DAT_UINT64 kMessages = 300;

  Traffic(Side& from, Side& to) : from_(from), to_(to) {
    for (std::size_t i = 0; i < kSlots; ++i) {
      sources_.push_back(from.buffer(kLargest));
      sinks_.push_back(to.buffer(kLargest));
    }
  }
  bool done() const { return sent_ == kMessages && received_ == kMessages; }
  void turn() {
    for (; offered_ < kMessages && offered_ < received_ + kSlots; ++offered_) {
      EXPECT_DAT_OK(post_recv(to_.ep(), {sinks_[offered_ % kSlots].segment()}, offered_));
    }
    for (; posted_ < kMessages && posted_ < sent_ + kSlots; ++posted_) {
      Buffer& source = sources_[posted_ % kSlots];
      source.fill(static_cast<std::uint8_t>(posted_));
      EXPECT_DAT_OK(post_send(from_.ep(), {source.segment(0, size(posted_))}, posted_));
    }
    DAT_EVENT event{};
    while (dat_evd_dequeue(from_.request_evd(), &event) == DAT_SUCCESS) check(event, sent_++);
    while (dat_evd_dequeue(to_.recv_evd(), &event) == DAT_SUCCESS) {
      check(event, received_);
      EXPECT_TRUE(sinks_[received_ % kSlots].holds(static_cast<std::uint8_t>(received_), 0,
                                                   size(received_)))
          << received_;
      ++received_;
    }
  }

 private:
  static constexpr std::size_t kSlots = 8;
  static constexpr std::size_t kLargest = 20'000;
  static std::size_t size(DAT_UINT64 number) {
    static constexpr std::size_t kTraffic[] = {8, 0, 20'000, 40, 41, 8192, 8193};
    return kTraffic[number % 7];
  }
  static void check(const DAT_EVENT& event, DAT_UINT64 number) {
    const DAT_DTO_COMPLETION_EVENT_DATA& dto = event.event_data.dto_completion_event_data;
    EXPECT_EQ(dto.status, DAT_DTO_SUCCESS);
    EXPECT_EQ(dto.user_cookie.as_64, number);
    EXPECT_EQ(dto.transfered_length, size(number));
  }

  Side& from_;
  Side& to_;
  std::vector<Buffer> sources_;
  std::vector<Buffer> sinks_;
  DAT_UINT64 offered_ = 0;
  DAT_UINT64 posted_ = 0;
  DAT_UINT64 sent_ = 0;
  DAT_UINT64 received_ = 0;
};

// Rules: DTO.15
TEST_F(RuleDataPaths, ManyMessagesBothWaysAtOnce) {
  Traffic there(active(), passive());
  Traffic back(passive(), active());
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20 * times_as_patient());
  while ((!there.done() || !back.done()) && !HasFailure()) {
    ASSERT_LT(std::chrono::steady_clock::now(), end);
    there.turn();
    back.turn();
  }
}

// Rules: CONV.19
TEST_F(RuleDataPaths, TwoPostsWithOneCookie) {
  Buffer source = active().buffer(64);
  Buffer target = passive().buffer(64);
  ASSERT_DAT_OK(post_write(active().ep(), {source.segment()}, target.remote(), 5));
  ASSERT_DAT_OK(post_read(active().ep(), {source.segment(0, 8)}, target.remote(0, 8), 5));
  EXPECT_EQ(expect_dto(active().request_evd(), active().ep(), 5), 64U);
  EXPECT_EQ(expect_dto(active().request_evd(), active().ep(), 5), 8U);
}

// Rules: PATH.9
TEST_F(RuleDataPaths, AnEvdIsResizedDuringTraffic) {
  Buffer source = active().buffer(64);
  Buffer target = passive().buffer(64);
  constexpr DAT_UINT64 kWrites = 400;
  DAT_UINT64 posted = 0;
  DAT_UINT64 completed = 0;
  while (completed < kWrites) {
    while (posted < kWrites && posted < completed + 12) {
      ASSERT_DAT_OK(post_write(active().ep(), {source.segment()}, target.remote(), posted++));
    }
    ASSERT_DAT_OK(dat_evd_resize(active().request_evd(), completed % 2 == 0 ? 100 : 40));
    expect_dto(active().request_evd(), active().ep(), completed++);
  }
}

// Rules: DTO.16 ERR.4
TEST_F(RuleDataPaths, TheFirstSendMayComeBeforeTheRecv) {
  Buffer source = active().buffer(64);
  Buffer sink = passive().buffer(64);
  source.fill(9);
  ASSERT_DAT_OK(post_send(active().ep(), {source.segment()}, 1));
  EXPECT_NO_EVENT(active().request_evd());
  ASSERT_DAT_OK(post_recv(passive().ep(), {sink.segment()}, 2));
  EXPECT_EQ(expect_dto(passive().recv_evd(), passive().ep(), 2), 64U);
  expect_dto(active().request_evd(), active().ep(), 1);
  EXPECT_TRUE(sink.holds(9, 0, 64));
}

// Rules: PATH.12
TEST_F(RuleDataPaths, OtherWorkProceedsWhileASendWaits) {
  Buffer mine = active().buffer(64);
  Buffer theirs = passive().buffer(64);
  theirs.fill(3);
  ASSERT_DAT_OK(post_send(active().ep(), {mine.segment(0, 8)}, 1));
  EXPECT_NO_EVENT(active().request_evd());
  // The other direction is free: the peer can write to the waiting side and read from it.
  ASSERT_DAT_OK(post_write(passive().ep(), {theirs.segment()}, mine.remote(), 2));
  expect_dto(passive().request_evd(), passive().ep(), 2);
  EXPECT_TRUE(mine.holds(3, 0, 64));
  ASSERT_DAT_OK(post_read(passive().ep(), {theirs.segment()}, mine.remote(), 3));
  expect_dto(passive().request_evd(), passive().ep(), 3);
  Buffer sink = passive().buffer(64);
  ASSERT_DAT_OK(post_recv(passive().ep(), {sink.segment()}, 4));
  expect_dto(passive().recv_evd(), passive().ep(), 4);
  expect_dto(active().request_evd(), active().ep(), 1);
}

// Rules: PATH.13 DTO.2
TEST_F(RuleDataPaths, LaterSendsWaitBehindTheFirst) {
  Buffer source = active().buffer(64);
  Buffer sink = passive().buffer(64);
  for (std::size_t i = 0; i < 4; ++i) {
    source.write(i * 8, std::string(8, static_cast<char>('a' + i)));
    ASSERT_DAT_OK(post_send(active().ep(), {source.segment(i * 8, 8)}, i));
  }
  for (std::size_t i = 0; i < 4; ++i) {
    ASSERT_DAT_OK(post_recv(passive().ep(), {sink.segment(i * 8, 8)}, i));
  }
  for (std::size_t i = 0; i < 4; ++i) {
    expect_dto(passive().recv_evd(), passive().ep(), i);
    expect_dto(active().request_evd(), active().ep(), i);
  }
  EXPECT_EQ(sink.text(0, 32), "aaaaaaaabbbbbbbbccccccccdddddddd");
}

// Rules: PATH.14
TEST_F(RuleDataPaths, ADisconnectIsNoticedWhileASendWaits) {
  Buffer source = active().buffer(64);
  ASSERT_DAT_OK(post_send(active().ep(), {source.segment()}, 1));
  EXPECT_NO_EVENT(active().request_evd());
  EXPECT_DAT_OK(dat_ep_disconnect(passive().ep(), DAT_CLOSE_ABRUPT_FLAG));
  expect_dto(active().request_evd(), active().ep(), 1, DAT_DTO_ERR_FLUSHED);
  expect_connection_event(active().connect_evd(), DAT_CONNECTION_EVENT_DISCONNECTED, active().ep());
}

// Rules: PATH.16
TEST_F(RuleDataPaths, SharedAndOrdinaryMemory) {
  const Pages shared = Pages::shared_memory(4);
  const Pages ordinary = Pages::private_memory(4);
  DAT_UINT64 number = 0;
  for (const Pages* source : {&shared, &ordinary}) {
    for (const Pages* target : {&shared, &ordinary}) {
      const std::size_t half = source->size() / 2;
      std::memset(source->data(), 'a' + static_cast<int>(number), half);
      Registration from(active().ia(), active().pz(), source->data(), half);
      Registration to(passive().ia(), passive().pz(), target->data() + half, half);
      ASSERT_DAT_OK(from.create());
      ASSERT_DAT_OK(to.create());
      const DAT_LMR_TRIPLET segment =
          local_part(from.lmr_context, reinterpret_cast<DAT_VADDR>(source->data()), half);
      const DAT_RMR_TRIPLET remote =
          remote_part(to.rmr_context, reinterpret_cast<DAT_VADDR>(target->data() + half), half);
      ASSERT_DAT_OK(post_write(active().ep(), {segment}, remote, number));
      expect_dto(active().request_evd(), active().ep(), number);
      EXPECT_EQ(std::memcmp(source->data(), target->data() + half, half), 0) << number;
      ++number;
    }
  }
}

// Rules: PROGRESS.8
TEST_F(RuleDataPaths, AThreadThatPollsDrivesTheTransport) {
  Buffer source = active().buffer(64);
  Buffer sink = passive().buffer(64);
  for (DAT_UINT64 i = 0; i < 100; ++i) {
    ASSERT_DAT_OK(post_recv(passive().ep(), {sink.segment()}, i));
    ASSERT_DAT_OK(post_send(active().ep(), {source.segment()}, i));
    DAT_EVENT event{};
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(kPatience);
    while (dat_evd_dequeue(passive().recv_evd(), &event) != DAT_SUCCESS) {
      ASSERT_LT(std::chrono::steady_clock::now(), end);
    }
    while (dat_evd_dequeue(active().request_evd(), &event) != DAT_SUCCESS) {
      ASSERT_LT(std::chrono::steady_clock::now(), end);
    }
  }
}

} // namespace
} // namespace datum::test
