// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// ShmFabric with many links and many dials: each dial has exactly one outcome.
#include <algorithm>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "tests/unit/shm/test_world.h"

namespace datum::test {
namespace {

TEST(Many, AThousandLinks) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur < 12000)
    GTEST_SKIP() << "a thousand links in one process need 10000 descriptors, allowed are "
                 << limit.rlim_cur;
  World world;
  // A thousand handshakes are under way at once in one thread. On a busy machine one of them might
  // exceed the usual limit of time and begin again. That would make a second link.
  ShmOptions patient;
  patient.half_open_limit = 300 * kSecond;
  Adapter hub(world, "127.0.0.1", patient);
  const auto name = publish_any(hub);
  std::vector<std::unique_ptr<Adapter>> spokes;
  std::vector<Dialled> dials(1000);
  for (Dialled& dial : dials) {
    spokes.push_back(std::make_unique<Adapter>(world, "127.0.0.1", patient));
    start_dial(*spokes.back(), "127.0.0.1", name->qualifier(), dial);
  }
  ASSERT_TRUE(world.run_until([&] {
    return std::all_of(dials.begin(), dials.end(), [](const Dialled& d) { return d.over(); });
  }));
  EXPECT_EQ(hub.links.size(), 1000U);
  for (const Dialled& dial : dials) EXPECT_NE(dial.port, nullptr);
  dials.clear();
  spokes.clear();
  ASSERT_TRUE(world.run_until([&] { return hub.lost == 1000; })) << hub.lost << " of 1000 noticed";
  EXPECT_EQ(hub.fabric->links(), 0U);
}

TEST(Many, NoDialIsLostWhileListenersComeAndGo) {
  constexpr int kDials = 10000;
  constexpr std::size_t kAtOnce = 40;
  World world;
  Adapter a(world, "127.0.0.1");
  Adapter b(world, "127.0.0.1");
  std::unique_ptr<PublishedName> name = publish_any(b);
  const ConnQual qualifier = name->qualifier();
  std::vector<std::unique_ptr<Dialled>> under_way;
  int started = 0;
  int linked = 0;
  int refused = 0;
  for (int turn = 0; linked + refused < kDials; ++turn) {
    ASSERT_LT(turn, 2000000);
    if (turn % 7 == 0) name.reset();
    if (turn % 7 == 2 && !name) {
      auto again = b.fabric->publish(qualifier);
      if (again) name = std::move(*again);
    }
    if (turn % 50 == 49 && !a.links.empty()) a.links[0]->condemn("the test wants a stale answer");
    while (started < kDials && under_way.size() < kAtOnce) {
      under_way.push_back(std::make_unique<Dialled>());
      start_dial(a, "127.0.0.1", qualifier, *under_way.back());
      ++started;
    }
    world.turn(1);
    std::erase_if(under_way, [&](const auto& dial) {
      EXPECT_LE(dial->outcomes, 1);
      if (!dial->over()) return false;
      ++(dial->port != nullptr ? linked : refused);
      return true;
    });
  }
  EXPECT_TRUE(under_way.empty());
  EXPECT_GT(linked, 0);
  EXPECT_GT(refused, 0);
}

} // namespace
} // namespace datum::test
