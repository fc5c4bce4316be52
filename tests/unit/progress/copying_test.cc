// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Threads that copy, under the scheduler of schedule_test.cc: which of them count as pollers, and
// who takes what arrives during a copy.
#include <gtest/gtest.h>

#include "seeds.h"
#include "stage_world.h"

namespace datum::test {
namespace {

void copy_megabyte(StageWorld& world, Duration time) {
  world.engine.copying();
  world.pass(time);
  world.engine.copied(1024 * 1024);
}

// Copies a megabyte and polls once, again and again until `end`.
void copy_until(StageWorld& world, Duration time_of_each, Instant end) {
  do {
    world.lock.acquire();
    copy_megabyte(world, time_of_each);
    world.engine.poll();
    world.lock.relinquish();
  } while (world.stage.now() < end);
}

// The thread polls three times in a tick and copies in between. It still counts as a poller, so the
// background thread must not contend for the lock and the next turn.
// Rules: PROGRESS.8
TEST(Progress, WhoeverCopiesAllTheTimeIsAPoller) {
  each_seed(
      [](std::uint64_t seed) {
        StageWorld world(seed, true);
        Stage& stage = world.stage;
        const Duration time_of_each = 26'000 + static_cast<Duration>(stage.random(100'000));
        bool attentive = false;
        int sleeps = 0;
        stage.add([&] {
          copy_until(world, time_of_each, stage.now() + 1'000'000);
          attentive = world.transport.attentive();
          const int before = world.places.background_sleeps();
          copy_until(world, time_of_each, stage.now() + 99'000'000);
          sleeps = world.places.background_sleeps() - before;
          EXPECT_TRUE(world.transport.attentive());
        });
        world.start_background();
        EXPECT_EQ(stage.run(), Stage::End::Quiet);
        EXPECT_TRUE(attentive);
        EXPECT_LE(sleeps, 65);
        EXPECT_EQ(world.close(), Stage::End::Finished);
      },
      20);
}

// One poll may copy for several connections, and may copy a message in several pieces. The thread
// counts as a poller during each of these copies.
// Rules: PROGRESS.8
TEST(Progress, WhoeverCopiesSeveralTimesInEachPollIsAPoller) {
  each_seed(
      [](std::uint64_t seed) {
        StageWorld world(seed, true);
        Stage& stage = world.stage;
        const int copies = 2 + static_cast<int>(stage.random(3));
        const Duration time_of_each = 26'000 + static_cast<Duration>(stage.random(60'000));
        world.transport.on_arrival[0] = [&] {
          for (int i = 0; i < copies; ++i) copy_megabyte(world, time_of_each);
        };
        const auto poll_until = [&](Instant end) {
          do {
            world.lock.acquire();
            world.transport.send(0);
            world.engine.poll();
            world.lock.relinquish();
          } while (stage.now() < end);
        };
        int sleeps = 0;
        stage.add([&] {
          poll_until(stage.now() + 1'000'000);
          const int before = world.places.background_sleeps();
          poll_until(stage.now() + 99'000'000);
          sleeps = world.places.background_sleeps() - before;
        });
        world.start_background();
        EXPECT_EQ(stage.run(), Stage::End::Quiet);
        // A backoff may end between the last copy and the next poll.
        EXPECT_LE(sleeps, 130);
        EXPECT_EQ(world.close(), Stage::End::Finished);
      },
      20);
}

// If such a thread counted as a poller, no thread would take what arrives.
// Rules: PROGRESS.2
TEST(Progress, WhoeverOnlyCopiesIsNotAPoller) {
  each_seed([](std::uint64_t seed) {
    StageWorld world(seed, true);
    Stage& stage = world.stage;
    stage.add([&] {
      copy_until(world, 26'000, stage.now() + static_cast<Duration>(stage.random(400'000)));
      const Instant end = stage.now() + 2'000'000;
      const Instant write = stage.now() + static_cast<Duration>(stage.random(1'500'000));
      bool sent = false;
      while (stage.now() < end) {
        world.lock.acquire();
        copy_megabyte(world, 26'000);
        world.lock.relinquish();
        if (sent || stage.now() < write) continue;
        world.transport.send(0);
        sent = true;
      }
    });
    world.start_background();
    EXPECT_EQ(stage.run(), Stage::End::Quiet);
    EXPECT_EQ(world.transport.arrived[0], 1);
    EXPECT_LE(world.transport.longest_delay(), 400'000); // the lock is taken most of the time
    EXPECT_EQ(world.close(), Stage::End::Finished);
  });
}

// A thread that copies within its waits stays a sleeper: its peer goes on ringing, and the
// background thread is not woken.
// Rules: PROGRESS.7
TEST(Progress, WhoeverCopiesWithinItsWaitsIsNotAPoller) {
  each_seed([](std::uint64_t seed) {
    StageWorld world(seed, false);
    Stage& stage = world.stage;
    constexpr int kRounds = 8;
    world.transport.on_arrival[0] = [&] { copy_megabyte(world, 26'000); };
    bool attentive = false;
    stage.add([&] {
      for (int i = 1; i <= kRounds; ++i) {
        world.wait_for(0, i);
        world.lock.acquire();
        world.engine.poll(); // looks for another message
        attentive = attentive || world.transport.attentive();
        world.lock.relinquish();
      }
    });
    stage.add([&] {
      for (int i = 0; i < kRounds; ++i) {
        world.pass(60'000);
        world.transport.send_and_watch(0);
      }
    });
    world.start_background();
    EXPECT_EQ(stage.run(), Stage::End::Quiet);
    EXPECT_EQ(world.transport.arrived[0], kRounds);
    EXPECT_FALSE(attentive);
    EXPECT_EQ(world.close(), Stage::End::Finished);
  });
}

// Rules: PROGRESS.2
TEST(Progress, P2AfterCopiesAWriteIsSeenWithin200us) {
  each_seed([](std::uint64_t seed) {
    StageWorld world(seed, true);
    Stage& stage = world.stage;
    stage.add([&] {
      copy_until(world, 26'000, stage.now() + static_cast<Duration>(stage.random(400'000)));
      world.pass(static_cast<Duration>(stage.random(100'000)));
      world.transport.send(0);
    });
    world.start_background();
    EXPECT_EQ(stage.run(), Stage::End::Quiet);
    EXPECT_EQ(world.transport.arrived[0], 1);
    EXPECT_LE(world.transport.longest_delay(), 200'000);
    EXPECT_EQ(world.close(), Stage::End::Finished);
  });
}

} // namespace
} // namespace datum::test
