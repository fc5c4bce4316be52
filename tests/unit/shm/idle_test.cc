// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// ShmFabric ends links that carry no connection. Peers that have come and gone leave no descriptor
// and no mapping behind.
#include <gtest/gtest.h>

#include "tests/unit/shm/child.h"
#include "tests/unit/shm/test_world.h"

namespace datum::test {
namespace {

class IdleShmLink : public testing::Test {
 protected:
  static ShmOptions impatient() {
    ShmOptions options;
    options.idle_link_limit = 20 * kMillisecond;
    return options;
  }
  void SetUp() override {
    dial_now(world, a, "127.0.0.1", name->qualifier(), dialled);
    ASSERT_NE(dialled.port, nullptr);
  }
  World world;
  Adapter a{world, "127.0.0.1", impatient()};
  Adapter b{world, "127.0.0.1"};
  std::unique_ptr<PublishedName> name = publish_any(b);
  Dialled dialled;
};

TEST_F(IdleShmLink, EndsOnBothSides) {
  ASSERT_TRUE(world.run_until([&] { return a.lost == 1 && b.lost == 1; }));
  EXPECT_EQ(a.fabric->links(), 0U);
  EXPECT_EQ(b.fabric->links(), 0U);
  EXPECT_EQ(b.judged, 0) << "it would have waited longer";
  Dialled again;
  dial_now(world, a, "127.0.0.1", name->qualifier(), again);
  EXPECT_NE(again.port, nullptr);
}

TEST_F(IdleShmLink, StaysWhileItIsInUseAndIsAskedForOnce) {
  a.idle = IdleLink::InUse;
  ASSERT_TRUE(world.run_until([&] { return a.judged == 1; }));
  const Instant later = world.time.now() + 100 * kMillisecond;
  ASSERT_TRUE(world.run_until([&] { return world.time.now() > later; }));
  EXPECT_EQ(a.judged, 1);
  EXPECT_EQ(a.fabric->links(), 1U);
  a.idle = IdleLink::Drop;
  a.fabric->on_idle(*dialled.port); // the link's last connection has ended
  ASSERT_TRUE(world.run_until([&] { return a.lost == 1; }));
}

TEST_F(IdleShmLink, IsAskedForAgainWhenSomethingHasJustCome) {
  a.idle = IdleLink::Later;
  ASSERT_TRUE(world.run_until([&] { return a.judged == 3; }));
  EXPECT_EQ(a.fabric->links(), 1U);
}

// The hub lives while its peers come and go. Afterwards leftovers_main.cc checks for descriptors
// and mappings.
TEST(ShortLivedPeers, TwoThousandLeaveNothing) {
  constexpr int kBatches = 80;
  constexpr int kAtOnce = 25;
  World world;
  Adapter hub(world, "127.0.0.1");
  const auto name = publish_any(hub);
  const std::size_t watched = world.reactor.size();
  for (int batch = 1; batch <= kBatches; ++batch) {
    std::vector<std::unique_ptr<Child>> peers;
    for (int i = 0; i < kAtOnce; ++i)
      peers.push_back(std::make_unique<Child>([&](Numbers&) {
        World own;
        Adapter adapter(own, "127.0.0.1");
        Dialled dialled;
        dial_now(own, adapter, "127.0.0.1", name->qualifier(), dialled);
        for (;;) ::pause();
      }));
    ASSERT_TRUE(world.run_until([&] { return hub.links.size() == kAtOnce; }));
    peers.clear();
    ASSERT_TRUE(world.run_until([&] { return hub.lost == batch * kAtOnce; }));
    ASSERT_EQ(hub.fabric->links(), 0U);
    ASSERT_EQ(hub.fabric->half_open(), 0U);
    ASSERT_EQ(world.reactor.size(), watched);
  }
}

} // namespace
} // namespace datum::test
