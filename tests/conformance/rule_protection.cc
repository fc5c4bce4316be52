// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What a peer can reach: exactly the permitted bytes, for exactly as long as they are registered.
#include <cstring>
#include <functional>

#include "fixture.h"

namespace datum::test {
namespace {

// Every violation ends the connection, so each test makes its own.
class RuleProtection : public testing::Test {
 protected:
  Side& active() { return pair.active(); }
  Side& passive() { return pair.passive(); }

  // One RDMA operation of the active side that must fail and break both ends.
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
  // The buffer behind is ours as well: the bytes exist, but are not in the region.
  std::vector<char> memory(128, 'x');
  Lmr lmr;
  DAT_RMR_CONTEXT context = 0;
  DAT_REGION_DESCRIPTION region{};
  region.for_va = memory.data();
  ASSERT_DAT_OK(dat_lmr_create(passive().ia(), DAT_MEM_TYPE_VIRTUAL, region, 64, passive().pz(),
                               DAT_MEM_PRIV_ALL_FLAG, lmr.out(), nullptr, &context, nullptr,
                               nullptr));
  const DAT_RMR_TRIPLET past{context, 0, reinterpret_cast<DAT_VADDR>(memory.data()) + 1, 64};
  expect_write_refused(mine.segment(), past);
  EXPECT_EQ(memory[64], 'x') << "nothing past the end";
}

// Rules: MEM.7
TEST_F(RuleProtection, OneByteBeforeTheStart) {
  Buffer region = passive().buffer(64);
  DAT_RMR_TRIPLET before = region.remote();
  --before.target_address;
  expect_write_refused(mine.segment(), before);
}

// Rules: MEM.8
TEST_F(RuleProtection, ARangeThatWraps) {
  Buffer region = passive().buffer(64);
  DAT_RMR_TRIPLET wraps = region.remote();
  wraps.target_address = ~DAT_VADDR{0} - 15;
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
  const DAT_RMR_TRIPLET stale{context, 0, reinterpret_cast<DAT_VADDR>(memory.data()), 64};
  expect_write_refused(mine.segment(), stale);
  EXPECT_EQ(memory, std::vector<char>(64, 'x'));
}

// Rules: PROTECT.4
TEST_F(RuleProtection, FreeWaitsForWhatIsUnderWay) {
  constexpr std::size_t kSize = 4 << 20;
  Buffer source = active().buffer(kSize);
  std::memset(source.bytes().data(), 'w', kSize);
  Buffer region = passive().buffer(kSize);
  ASSERT_DAT_OK(post_write(active().ep(), {source.segment()}, region.remote(), 1));
  region.lmr().free();
  // From here on the memory is the consumer's alone.
  std::memset(region.bytes().data(), 'c', kSize);
  next_event(active().request_evd()); // however it ended
  EXPECT_EQ(region.text(0, kSize), std::string(kSize, 'c'));
}

// A large Write goes through a window that is taken away meanwhile, by `shut`.
class RuleProtectionOfWindows : public RuleProtection {
 protected:
  void expect_quiet_after(const std::function<void(Rmr&)>& shut) {
    constexpr std::size_t kSize = 4 << 20;
    Buffer source = active().buffer(kSize);
    std::memset(source.bytes().data(), 'w', kSize);
    Buffer region = passive().buffer(kSize, static_cast<DAT_MEM_PRIV_FLAGS>(0x11));
    Rmr rmr = create_rmr(passive().pz());
    DAT_RMR_CONTEXT context = 0;
    ASSERT_DAT_OK(
        post_bind(passive().ep(), rmr, region.segment(), DAT_MEM_PRIV_ALL_FLAG, 1, &context));
    expect_bind(passive().request_evd(), rmr, 1);
    ASSERT_DAT_OK(
        post_write(active().ep(), {source.segment()}, {context, 0, region.address(), kSize}, 1));
    shut(rmr);
    // From here on the memory is the consumer's alone.
    std::memset(region.bytes().data(), 'c', kSize);
    next_event(active().request_evd()); // however it ended
    EXPECT_EQ(region.text(0, kSize), std::string(kSize, 'c'));
  }
};

// Rules: PROTECT.5
TEST_F(RuleProtectionOfWindows, RmrFreeWaitsForWhatIsUnderWay) {
  expect_quiet_after([](Rmr& rmr) { rmr.free(); });
}

// Rules: PROTECT.5
TEST_F(RuleProtectionOfWindows, UnbindWaitsForWhatIsUnderWay) {
  expect_quiet_after([&](Rmr& rmr) {
    ASSERT_DAT_OK(post_bind(passive().ep(), rmr, {}, DAT_MEM_PRIV_ALL_FLAG, 2, nullptr));
    expect_bind(passive().request_evd(), rmr, 2);
  });
}

} // namespace
} // namespace datum::test
