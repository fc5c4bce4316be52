// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Threads that poll before they sleep, under the scheduler of schedule_test.cc, with a peer that
// waits for each answer.
#include <algorithm>
#include <gtest/gtest.h>

#include "seeds.h"
#include "stage_world.h"

namespace datum::test {
namespace {

// The peer sends its next message as soon as the last one was taken.
void send_one_by_one(StageWorld& world, int messages) {
  for (int sent = 0; sent < messages; ++sent) {
    world.transport.send(0);
    world.stage.block([&] { return world.transport.arrived[0] > sent; }, kNever);
  }
}

// The consumer calls nothing, or polls, waits and computes, so the background thread is interrupted
// at any point.
TEST(Progress, APeerThatWaitsForEachAnswerIsServedWithoutAWakeUpEach) {
  each_seed(
      [](std::uint64_t seed) {
        StageWorld world(seed, seed % 2 == 0);
        Stage& stage = world.stage;
        constexpr int kMessages = 600;
        const bool consumer_calls = seed % 4 >= 2;
        stage.add([&] {
          world.pass(1'000'000); // by then the background thread is at the doorbell
          send_one_by_one(world, kMessages);
        });
        if (consumer_calls)
          stage.add([&] {
            for (int i = 0; i < 5; ++i) {
              world.pass_some_time();
              world.poll_until(stage.now() + static_cast<Duration>(stage.random(100'000)));
              world.pass_some_time();
              world.wait_for(0, std::min(world.transport.arrived[0] + 1, kMessages));
            }
          });
        world.start_background();
        EXPECT_EQ(stage.run(), Stage::End::Quiet);
        EXPECT_EQ(world.transport.arrived[0], kMessages);
        if (consumer_calls) {
          EXPECT_LE(world.transport.longest_delay(), 5'000'000);
        } else {
          EXPECT_LE(world.transport.longest_delay(), 20'000);
          EXPECT_LE(world.places.background_sleeps(), 200);
        }
        EXPECT_EQ(world.close(), Stage::End::Finished);
      },
      50);
}

// The same peer, and a consumer that dequeues now and then, or an agent that does. One call is no
// poller: the background thread must not leave the next message to it.
TEST(Progress, ASingleDequeueDoesNotDelayAPeerThatWaitsForEachAnswer) {
  for (const bool by_agent : {false, true}) {
    each_seed(
        [&](std::uint64_t seed) {
          StageWorld world(seed, true);
          Stage& stage = world.stage;
          constexpr int kMessages = 1'500;
          bool done = false;
          const auto dequeue = [&] {
            world.lock.acquire();
            world.engine.poll();
            world.lock.relinquish();
          };
          stage.add([&] {
            world.pass(1'000'000);
            send_one_by_one(world, kMessages);
            done = true;
          });
          int arrived = 0;
          if (by_agent)
            world.transport.on_arrival[0] = [&] {
              if (++arrived % 10 == 0) world.lock.put_off(dequeue);
            };
          else
            stage.add([&] {
              while (!done) {
                world.pass(100'000);
                dequeue();
              }
            });
          world.start_background();
          EXPECT_EQ(stage.run(), Stage::End::Quiet);
          EXPECT_LE(world.transport.longest_delay(), 20'000);
          EXPECT_EQ(world.close(), Stage::End::Finished);
        },
        10);
  }
}

// Rules: PROGRESS.5
TEST(Progress, WorkLeftBehindWhileTheBackgroundThreadLingersIsDoneWithin110us) {
  each_seed(
      [](std::uint64_t seed) {
        StageWorld world(seed, true);
        Stage& stage = world.stage;
        constexpr int kMessages = 600; // makes lingering pay
        stage.add([&] { send_one_by_one(world, kMessages); });
        stage.add([&] {
          stage.block([&] { return world.transport.arrived[0] >= kMessages; }, kNever);
          world.pass(static_cast<Duration>(stage.random(10'000)));
          world.lock.acquire();
          world.transport.leave_behind_with_a_prompt_wake();
          world.lock.relinquish();
          world.pass(500'000);
        });
        world.start_background();
        EXPECT_EQ(stage.run(), Stage::End::Quiet);
        EXPECT_FALSE(world.transport.has_left_behind());
        EXPECT_LE(world.transport.longest_left_behind(), 110'000);
        EXPECT_EQ(world.close(), Stage::End::Finished);
      },
      200);
}

} // namespace
} // namespace datum::test
