// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The memory that a peer can reach: exactly the permitted bytes, for exactly as long as they are
// registered.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <thread>

#include "fixture.h"

namespace datum::test {
namespace {

// Every violation ends the connection, so each test makes its own.
class RuleProtection : public testing::Test {
 protected:
  Side& active() { return pair.active(); }
  Side& passive() { return pair.passive(); }

  // One RDMA operation of the active side. It must fail and break both ends.
  void expect_write_refused(const DAT_LMR_TRIPLET& source, const DAT_RMR_TRIPLET& target) {
    ASSERT_DAT_OK(post_write(active().ep(), {source}, target, 1));
    expect_refused();
  }
  void expect_read_refused(const DAT_LMR_TRIPLET& sink, const DAT_RMR_TRIPLET& source) {
    ASSERT_DAT_OK(post_read(active().ep(), {sink}, source, 1));
    expect_refused();
  }

  void expect_refused() {
    expect_dto(active().request_evd(), active().ep(), 1, DAT_DTO_ERR_REMOTE_ACCESS);
    expect_connection_event(active().connect_evd(), DAT_CONNECTION_EVENT_BROKEN, active().ep());
    expect_connection_event(passive().connect_evd(), DAT_CONNECTION_EVENT_BROKEN, passive().ep());
    EXPECT_EQ(ep_state(active().ep()), DAT_EP_STATE_DISCONNECTED);
    EXPECT_EQ(ep_state(passive().ep()), DAT_EP_STATE_DISCONNECTED);
  }

  ConnectedPair pair;
  Buffer mine = active().buffer(64);
};

constexpr auto kNoRemoteWrite = static_cast<DAT_MEM_PRIV_FLAGS>(0x13);
constexpr auto kNoRemoteRead = static_cast<DAT_MEM_PRIV_FLAGS>(0x31);

// Rules: MEM.7
TEST_F(RuleProtection, FirstAndLastByteAreReachable) {
  Buffer region = passive().buffer(64);
  mine.fill(5);
  ASSERT_DAT_OK(post_write(active().ep(), {mine.segment(0, 1)}, region.remote(0, 1), 1));
  ASSERT_DAT_OK(post_write(active().ep(), {mine.segment(63, 1)}, region.remote(63, 1), 2));
  ASSERT_DAT_OK(post_read(active().ep(), {mine.segment(1, 1)}, region.remote(63, 1), 3));
  for (DAT_UINT64 i = 1; i <= 3; ++i) expect_dto(active().request_evd(), active().ep(), i);
  EXPECT_TRUE(region.holds(5, 0, 1));
  EXPECT_TRUE(region.holds(5, 63, 1));
}

// Rules: MEM.7 MEM.4 dat_ep_post_rdma_write.R10 ERR.7 ERR.6 PATH.2
TEST_F(RuleProtection, OneBytePastTheEnd) {
  // The buffer behind the region belongs to this process, too: the bytes exist, but they are not in
  // the region.
  std::vector<char> memory(128, 'x');
  Lmr lmr;
  DAT_RMR_CONTEXT context = 0;
  DAT_REGION_DESCRIPTION region{};
  region.for_va = memory.data();
  ASSERT_DAT_OK(dat_lmr_create(passive().ia(), DAT_MEM_TYPE_VIRTUAL, region, 64, passive().pz(),
                               DAT_MEM_PRIV_ALL_FLAG, lmr.out(), nullptr, &context, nullptr,
                               nullptr));
  const DAT_RMR_TRIPLET past =
      remote_part(context, reinterpret_cast<DAT_VADDR>(memory.data()) + 1, 64);
  expect_write_refused(mine.segment(), past);
  EXPECT_EQ(memory[64], 'x') << "nothing past the end";
}

// Rules: MEM.7
TEST_F(RuleProtection, OneByteBeforeTheStart) {
  Buffer region = passive().buffer(64);
  DAT_RMR_TRIPLET before = region.remote();
  --address_in(before);
  expect_write_refused(mine.segment(), before);
}

// Rules: MEM.8
TEST_F(RuleProtection, ARangeThatWraps) {
  Buffer region = passive().buffer(64);
  DAT_RMR_TRIPLET wraps = region.remote();
  address_in(wraps) = ~DAT_VADDR{0} - 15;
  expect_write_refused(mine.segment(), wraps);
}

// Rules: PROTECT.3 dat_ep_post_rdma_write.R8
TEST_F(RuleProtection, WritesNeedRemoteWrite) {
  Buffer region = passive().buffer(64, kNoRemoteWrite);
  region.fill(9);
  expect_write_refused(mine.segment(), region.remote());
  EXPECT_TRUE(region.holds(9, 0, 64));
}

// Rules: dat_ep_post_rdma_read.R10
TEST_F(RuleProtection, ReadsNeedRemoteRead) {
  Buffer region = passive().buffer(64, kNoRemoteRead);
  region.fill(9);
  mine.fill(1);
  expect_read_refused(mine.segment(), region.remote());
  EXPECT_TRUE(mine.holds(1, 0, 64));
}

// Rules: MEM.2 dat_ep_post_rdma_write.R21
TEST_F(RuleProtection, ARegionOfAnotherZone) {
  const Pz other = create_pz(passive().ia());
  Buffer region(passive().ia(), other, 64);
  expect_write_refused(mine.segment(), region.remote());
}

// Rules: dat_ep_post_rdma_write.R9
TEST_F(RuleProtection, AContextThatNeverWas) {
  Buffer region = passive().buffer(64);
  DAT_RMR_TRIPLET unknown = region.remote();
  unknown.rmr_context = ~unknown.rmr_context;
  expect_write_refused(mine.segment(), unknown);
}

// Rules: dat_lmr_free.R8 PROTECT.2
TEST_F(RuleProtection, TheContextOfAFreedRegion) {
  std::vector<char> memory(64, 'x');
  DAT_RMR_CONTEXT context = 0;
  DAT_REGION_DESCRIPTION region{};
  region.for_va = memory.data();
  const auto register_it = [&](Lmr& lmr, DAT_RMR_CONTEXT* remote) {
    ASSERT_DAT_OK(dat_lmr_create(passive().ia(), DAT_MEM_TYPE_VIRTUAL, region, 64, passive().pz(),
                                 DAT_MEM_PRIV_ALL_FLAG, lmr.out(), nullptr, remote, nullptr,
                                 nullptr));
  };
  Lmr first;
  register_it(first, &context);
  first.free();
  Lmr second; // the same bytes under a new registration
  DAT_RMR_CONTEXT new_context = 0;
  register_it(second, &new_context);
  const DAT_RMR_TRIPLET stale =
      remote_part(context, reinterpret_cast<DAT_VADDR>(memory.data()), 64);
  expect_write_refused(mine.segment(), stale);
  EXPECT_EQ(memory, std::vector<char>(64, 'x'));
}

// A peer that goes on writing while the memory that it writes to is freed.
class RuleProtectionUnderWay : public testing::Test {
 protected:
  static constexpr std::size_t kSize = 1 << 20;

  struct Target {
    explicit Target(Side& owner) : side(owner), rmr(create_rmr(owner.pz())) {}
    Side& side;
    Buffer region = side.buffer(kSize);
    Rmr rmr;
  };

  // Writes again and again until a Write is refused.
  static void write_until_refused(Side& writer, DAT_RMR_TRIPLET target, std::atomic<int>& written) {
    Buffer source = writer.buffer(kSize);
    std::memset(source.bytes().data(), 'w', kSize);
    DAT_DTO_COMPLETION_STATUS status = DAT_DTO_SUCCESS;
    for (; status == DAT_DTO_SUCCESS; ++written) {
      EXPECT_DAT_OK(post_write(writer.ep(), {source.segment()}, target, 1));
      status = poll_event(writer.request_evd()).event_data.dto_completion_event_data.status;
    }
    EXPECT_TRUE(status == DAT_DTO_ERR_REMOTE_ACCESS || status == DAT_DTO_ERR_FLUSHED) << status;
  }

  // open() returns the context that the peer writes to. Once shut() has returned, no Write of the
  // peer may change the memory.
  void expect_quiet_after(const std::function<DAT_RMR_CONTEXT(Target&)>& open,
                          const std::function<void(Target&)>& shut) {
    for (int round = 0; round < 20 && !HasFailure(); ++round) {
      ConnectedPair pair;
      Target target(pair.passive());
      const DAT_RMR_TRIPLET remote = remote_part(open(target), target.region.address(), kSize);
      std::atomic<int> written = 0;
      std::thread writer([&] { write_until_refused(pair.active(), remote, written); });
      while (written == 0) std::this_thread::yield();
      shut(target);
      const std::span<std::byte> bytes = target.region.bytes();
      std::memset(bytes.data(), 'c', kSize);
      writer.join();
      const auto written_over =
          std::find_if(bytes.begin(), bytes.end(), [](std::byte b) { return b != std::byte{'c'}; });
      EXPECT_EQ(written_over - bytes.begin(), static_cast<std::ptrdiff_t>(kSize))
          << "written after it was taken away";
    }
  }

  static DAT_RMR_CONTEXT bind(Target& target, DAT_LMR_TRIPLET range) {
    DAT_RMR_CONTEXT context = 0;
    EXPECT_DAT_OK(
        post_bind(target.side.ep(), target.rmr, range, DAT_MEM_PRIV_ALL_FLAG, 2, &context));
    expect_bind(target.side.request_evd(), target.rmr, 2);
    return context;
  }
  static DAT_RMR_CONTEXT window(Target& target) { return bind(target, target.region.segment()); }
};

// Rules: PROTECT.4
TEST_F(RuleProtectionUnderWay, LmrFreeWaits) {
  expect_quiet_after([](Target& target) { return target.region.rmr_context(); },
                     [](Target& target) { target.region.lmr().free(); });
}

// Rules: PROTECT.5
TEST_F(RuleProtectionUnderWay, RmrFreeWaits) {
  expect_quiet_after(window, [](Target& target) { target.rmr.free(); });
}

// Rules: PROTECT.5
TEST_F(RuleProtectionUnderWay, UnbindWaits) {
  expect_quiet_after(window, [](Target& target) { bind(target, {}); });
}

} // namespace
} // namespace datum::test
