// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The engine under a scheduler that may switch threads at every step, in virtual time.
// copying_test.cc tests threads that copy. descriptors_test.cc tests transports whose data come by
// descriptors. lingering_test.cc tests threads that poll before they sleep.
#include <algorithm>
#include <gtest/gtest.h>

#include "seeds.h"
#include "stage_world.h"

namespace datum::test {
namespace {

TEST(Progress, P7NoWakeUpIsLostAmongWaitersPollersAndTheBackground) {
  each_seed([](std::uint64_t seed) {
    StageWorld world(seed, seed % 2 == 0);
    Stage& stage = world.stage;
    const int rounds = 8;
    int finished = 0;
    for (std::size_t queue = 0; queue < StageTransport::kQueues; ++queue) {
      stage.add([&, queue] {
        for (int i = 1; i <= rounds; ++i) {
          if (stage.random(3) == 0)
            world.poll_for(queue, i);
          else
            world.wait_for(queue, i);
          if (stage.random(3) == 0) world.pass_some_time();
        }
        ++finished;
      });
      stage.add([&, queue] {
        for (int i = 0; i < rounds; ++i) {
          if (stage.random(2) == 0) world.pass_some_time();
          world.transport.send_and_watch(queue);
        }
      });
    }
    stage.add([&] {
      for (int i = 0; i < 3; ++i) {
        world.pass(static_cast<Duration>(stage.random(500'000)));
        world.places.interrupt();
      }
    });
    world.start_background();
    // Quiet means that the background thread sleeps without a time limit and no work is pending.
    EXPECT_EQ(stage.run(), Stage::End::Quiet);
    EXPECT_EQ(finished, 3);
    EXPECT_LE(world.transport.longest_delay(), 200'000);
    EXPECT_FALSE(world.transport.attentive());
    EXPECT_EQ(world.close(), Stage::End::Finished);
  });
}

// The thread that finds a message calls an agent, and the agent itself waits for another message.
TEST(Progress, AnAgentMayWaitWhoeverCallsIt) {
  each_seed([](std::uint64_t seed) {
    StageWorld world(seed, seed % 2 == 0);
    Stage& stage = world.stage;
    bool agent_waits = false;
    bool agent_done = false;
    bool finished = false;
    world.transport.on_arrival[2] = [&] {
      world.lock.put_off([&] {
        agent_waits = true;
        world.wait_for(1, 1);
        agent_done = true;
      });
    };
    stage.add([&] {
      if (stage.random(2) == 0) world.poll_for(2, static_cast<int>(stage.random(2)));
      world.wait_for(0, 1);
      finished = true;
    });
    stage.add([&] {
      world.pass_some_time();
      world.transport.send(2);
      stage.block([&] { return agent_waits; }, kNever);
      world.pass_some_time();
      world.transport.send(1);
      stage.block([&] { return agent_done; }, kNever);
      world.transport.send(0);
    });
    if (stage.random(2) == 0)
      stage.add([&] {
        world.pass_some_time();
        world.lock.acquire();
        world.transport.leave_behind();
        world.lock.relinquish();
      });
    world.start_background();
    EXPECT_EQ(stage.run(), Stage::End::Quiet);
    EXPECT_TRUE(agent_waits);
    EXPECT_TRUE(agent_done);
    EXPECT_TRUE(finished);
    EXPECT_EQ(world.close(), Stage::End::Finished);
  });
}

enum class Writer { Polls, CallsNothing };

// A target polls for up to `longest` and then calls nothing any more. Up to 100 us later a Write
// comes. The adapter must take the Write within `bound`, which may depend on how long the target
// has polled.
template <class Bound>
void expect_last_write_seen(std::uint64_t seed, Duration longest, Writer writer, Bound&& bound) {
  StageWorld world(seed, true);
  Stage& stage = world.stage;
  Duration polled = 0;
  stage.add([&] {
    const Instant start = stage.now();
    world.poll_until(start +
                     static_cast<Duration>(stage.random(static_cast<std::uint64_t>(longest))));
    polled = stage.now() - start;
    world.pass(static_cast<Duration>(stage.random(100'000)));
    if (writer == Writer::Polls)
      world.transport.send_and_watch(0);
    else
      world.transport.send(0);
  });
  world.start_background();
  EXPECT_EQ(stage.run(), Stage::End::Quiet);
  EXPECT_EQ(world.transport.arrived[0], 1);
  EXPECT_LE(world.transport.longest_delay(), bound(polled));
  EXPECT_EQ(world.close(), Stage::End::Finished);
}

TEST(Progress, P2AfterAFewDequeuesAWriteIsSeenWithin200us) {
  each_seed([](std::uint64_t seed) {
    expect_last_write_seen(seed, 400'000, Writer::CallsNothing, [](Duration) { return 200'000; });
  });
}

TEST(Progress, P2AfterLongPollingAWriteOfAPeerThatPollsIsSeenWithin200us) {
  each_seed(
      [](std::uint64_t seed) {
        expect_last_write_seen(seed, 10'000'000, Writer::Polls, [](Duration) { return 200'000; });
      },
      10);
}

TEST(Progress, P2AfterLongPollingOnBothSidesAWriteIsSeenWithinAnEighthOfIt) {
  each_seed(
      [](std::uint64_t seed) {
        expect_last_write_seen(seed, 40'000'000, Writer::CallsNothing, [](Duration polled) {
          return 200'000 + std::min(polled / 8, Duration{4'000'000});
        });
      },
      20);
}

// With a core to spare, the background thread yields, since the poller may be about to poll. On a
// shared processor the background thread would run for a whole time slice before the poller.
TEST(Progress, ADoorbellInABackoffIsLeftToAPollerOnlyWhereACoreIsToSpare) {
  for (const bool core_to_spare : {false, true}) {
    int times_aside = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      StageWorld world(seed, core_to_spare);
      Stage& stage = world.stage;
      stage.add([&] {
        world.poll_until(stage.now() +
                         8'000'000); // by then backoffs are long, and the doorbell ends them
        world.transport.send_and_watch(0);
      });
      world.start_background();
      EXPECT_EQ(stage.run(), Stage::End::Quiet);
      EXPECT_EQ(world.transport.arrived[0], 1);
      times_aside += world.places.times_aside();
      EXPECT_EQ(world.close(), Stage::End::Finished);
    }
    EXPECT_EQ(times_aside > 0, core_to_spare);
  }
}

TEST(Progress, APollerIsDisturbedTheLessTheLongerItPolls) {
  each_seed(
      [](std::uint64_t seed) {
        StageWorld world(seed, true);
        Stage& stage = world.stage;
        stage.add([&] { world.poll_until(stage.now() + 100'000'000); });
        world.start_background();
        EXPECT_EQ(stage.run(), Stage::End::Quiet);
        // Backoffs take 75 us for the first 0.6 ms. Until 32 ms each is a seventh longer than the
        // one before. From then on each takes 4 ms.
        EXPECT_LE(world.places.background_sleeps(), 65);
        EXPECT_EQ(world.close(), Stage::End::Finished);
      },
      50);
}

// A poller itself drives what it posts, so no backoff ends because of a post.
TEST(Progress, APollerThatPostsAllTheTimeIsNotDisturbedMore) {
  each_seed(
      [](std::uint64_t seed) {
        StageWorld world(seed, true);
        Stage& stage = world.stage;
        stage.add([&] {
          const Instant end = stage.now() + 100'000'000;
          while (stage.now() < end) {
            world.lock.acquire();
            world.transport.leave_behind();
            world.engine.poll();
            world.lock.relinquish();
          }
        });
        world.start_background();
        EXPECT_EQ(stage.run(), Stage::End::Quiet);
        // A thread that has polled recently takes care of what was posted since.
        EXPECT_LE(world.places.background_sleeps(), 70);
        EXPECT_EQ(world.close(), Stage::End::Finished);
      },
      50);
}

// Work without end keeps a thread driving the transport, while consumers call.
// Rules: PROGRESS.3
TEST(Progress, WhoeverDrivesTheTransportLetsOthersInAfterEachTurn) {
  constexpr int kLooks = 50; // a turn makes up to two calls of progress()
  for (const bool by_a_waiter : {false, true}) {
    StageWorld world(1, false);
    Stage& stage = world.stage;
    if (by_a_waiter) stage.add([&] { world.wait_for(0, 1); });
    stage.add([&] {
      world.pass(1'000'000);
      world.lock.acquire();
      world.transport.waking_looks = kLooks;
      world.engine.wake();
      world.lock.relinquish();
      world.pass(1'000'000);
      world.transport.send(0);
    });
    world.start_background();
    EXPECT_EQ(stage.run(), Stage::End::Quiet);
    EXPECT_GE(world.lock.times_let_in(), kLooks / 2 - 1)
        << (by_a_waiter ? "a waiter" : "the thread");
    EXPECT_EQ(world.close(), Stage::End::Finished);
  }
}

TEST(Progress, P5WorkLeftBehindIsLookedAtWithin100us) {
  each_seed([](std::uint64_t seed) {
    StageWorld world(seed, seed % 2 == 0);
    Stage& stage = world.stage;
    stage.add([&] {
      for (int i = 0; i < 8; ++i) {
        world.lock.acquire();
        const int polls = static_cast<int>(stage.random(100));
        for (int n = 0; n < polls; ++n) world.engine.poll();
        world.transport.leave_behind();
        world.lock.relinquish();
        world.pass(static_cast<Duration>(stage.random(500'000)));
      }
    });
    stage.add([&] { world.wait_for(0, 3); });
    stage.add([&] {
      for (int i = 0; i < 3; ++i) {
        world.pass(static_cast<Duration>(stage.random(1'000'000)));
        world.transport.send(0);
      }
    });
    world.start_background();
    EXPECT_EQ(stage.run(), Stage::End::Quiet);
    EXPECT_LE(world.transport.longest_left_behind(), 100'000);
    EXPECT_EQ(world.close(), Stage::End::Finished);
  });
}

// The last poll before all threads sleep leaves a wake-up behind. That wake-up wakes no thread. The
// next wake() must not assume that a thread is awake because of it.
// Rules: PROGRESS.5
TEST(Progress, P5AKickFromWithinALookDoesNotHideTheNext) {
  each_seed([](std::uint64_t seed) {
    StageWorld world(seed, true);
    const bool waiter = seed % 2 == 0;
    if (waiter) world.stage.add([&] { world.wait_for(0, 1); });
    world.start_background();
    EXPECT_EQ(world.stage.run(), Stage::End::Quiet);
    world.transport.waking_looks = 1 + static_cast<int>(seed / 2 % 8);
    world.stage.add([&] { world.places.ring(); });
    EXPECT_EQ(world.stage.run(), Stage::End::Quiet);
    EXPECT_EQ(world.transport.waking_looks, 0);
    world.stage.add([&] {
      world.lock.acquire();
      world.transport.leave_behind();
      world.lock.relinquish();
    });
    EXPECT_EQ(world.stage.run(), Stage::End::Quiet);
    EXPECT_FALSE(world.transport.has_left_behind());
    EXPECT_LE(world.transport.longest_left_behind(), 100'000);
    world.stage.add([&] { world.transport.send(0); });
    EXPECT_EQ(world.stage.run(), Stage::End::Quiet);
    EXPECT_EQ(world.close(), Stage::End::Finished);
  });
}

// Rules: PROGRESS.5
TEST(Progress, P5WhatCannotWaitIsLookedAtWithin100usHoweverLongSomebodyPolled) {
  each_seed(
      [](std::uint64_t seed) {
        StageWorld world(seed, seed % 2 == 0);
        Stage& stage = world.stage;
        world.transport.comes_by_descriptors = seed % 3 == 0;
        stage.add([&] {
          for (int i = 0; i < 3; ++i) {
            world.poll_until(stage.now() + static_cast<Duration>(stage.random(20'000'000)));
            world.lock.acquire();
            world.transport.leave_behind_with_a_prompt_wake();
            world.lock.relinquish();
            if (stage.random(2) == 0) world.pass(static_cast<Duration>(stage.random(6'000'000)));
          }
        });
        world.start_background();
        EXPECT_EQ(stage.run(), Stage::End::Quiet);
        EXPECT_LE(world.transport.longest_left_behind(), 100'000);
        EXPECT_EQ(world.close(), Stage::End::Finished);
      },
      20);
}

// Work that is left to the background thread ends its backoff early by a timer. If the timer is
// refused, the backoff ends at its own time.
// Rules: PROGRESS.5
TEST(Progress, P5APromptWakeThatIsRefusedMakesOnlyTheBackoffLonger) {
  Duration longest = 0;
  each_seed(
      [&](std::uint64_t seed) {
        StageWorld world(seed, true);
        Stage& stage = world.stage;
        world.places.refuses_prompt_wakes = true;
        stage.add([&] {
          world.poll_until(stage.now() + 20'000'000);
          world.lock.acquire();
          world.transport.leave_behind_with_a_prompt_wake();
          world.lock.relinquish();
        });
        world.start_background();
        EXPECT_EQ(stage.run(), Stage::End::Quiet);
        EXPECT_FALSE(world.transport.has_left_behind());
        longest = std::max(longest, world.transport.longest_left_behind());
        EXPECT_EQ(world.close(), Stage::End::Finished);
      },
      20);
  EXPECT_GT(longest, 100'000); // otherwise no wake was refused
  EXPECT_LE(longest, 4'100'000);
}

TEST(Progress, P6NobodyRunsWhileAWaiterSleeps) {
  each_seed([](std::uint64_t seed) {
    StageWorld world(seed, true);
    world.stage.add([&] { world.wait_for(0, 1); });
    world.stage.add([&] { world.wait_for(1, 1); });
    world.start_background();
    // Quiet means that no thread sleeps with a time limit.
    EXPECT_EQ(world.stage.run(), Stage::End::Quiet);
    world.stage.add([&] { world.transport.send(0); });
    EXPECT_EQ(world.stage.run(), Stage::End::Quiet);
    world.stage.add([&] { world.transport.send(1); });
    EXPECT_EQ(world.stage.run(), Stage::End::Quiet);
    EXPECT_EQ(world.transport.arrived[0], 1);
    EXPECT_EQ(world.transport.arrived[1], 1);
    EXPECT_EQ(world.close(), Stage::End::Finished);
  });
}

class Alarm final : public Timer {
 public:
  Instant expired = 0;
  int count = 0;

 private:
  void on_expired(Instant now) override {
    expired = now;
    ++count;
  }
};

TEST(Progress, TimersExpireOnceNotEarlyAndWhoeverSleeps) {
  each_seed([](std::uint64_t seed) {
    StageWorld world(seed, true);
    Stage& stage = world.stage;
    Alarm alarm;
    Instant due = 0;
    stage.add([&] {
      world.pass(static_cast<Duration>(stage.random(300'000)));
      world.lock.acquire();
      due = stage.now() + static_cast<Duration>(stage.random(2'000'000));
      world.timers.arm(alarm, due);
      world.engine.wake();
      world.lock.relinquish();
    });
    if (seed % 3 != 0) stage.add([&] { world.wait_for(0, 1); });
    if (seed % 3 == 2) stage.add([&] { world.poll_for(1, 1); });
    stage.add([&] {
      world.pass(5'000'000);
      world.transport.send(0);
      world.transport.send(1);
    });
    world.start_background();
    EXPECT_EQ(stage.run(), Stage::End::Quiet);
    EXPECT_EQ(alarm.count, 1);
    EXPECT_GE(alarm.expired, due);
    EXPECT_LE(alarm.expired - due, 100'000);
    EXPECT_EQ(world.close(), Stage::End::Finished);
  });
}

TEST(Progress, AWaitEndsAtItsDeadlineAndNeverBefore) {
  each_seed([](std::uint64_t seed) {
    StageWorld world(seed, seed % 2 == 0);
    Stage& stage = world.stage;
    int timed_out = 0;
    for (std::size_t queue = 0; queue < 2; ++queue)
      stage.add([&, queue] {
        for (int i = 0; i < 4; ++i) {
          world.lock.acquire();
          WaitPoint point;
          world.transport.waiting[queue] = &point;
          const Instant deadline = stage.now() + static_cast<Duration>(stage.random(300'000));
          const WaitResult result = world.engine.wait(point, deadline);
          world.transport.waiting[queue] = nullptr;
          EXPECT_EQ(result, WaitResult::TimedOut);
          EXPECT_GE(stage.now(), deadline);
          EXPECT_LE(stage.now() - deadline, 50'000);
          ++timed_out;
          world.lock.relinquish();
        }
      });
    // Wake-ups for other threads must not restart the time limit.
    stage.add([&] {
      for (int i = 0; i < 20; ++i) {
        world.pass(static_cast<Duration>(stage.random(50'000)));
        world.transport.send(2);
      }
    });
    world.start_background();
    EXPECT_EQ(stage.run(), Stage::End::Quiet);
    EXPECT_EQ(timed_out, 8);
    EXPECT_EQ(world.close(), Stage::End::Finished);
  });
}

TEST(Progress, ASlowDequeuerDoesNotMakePeersStopRinging) {
  StageWorld world(1, true);
  world.stage.add([&] {
    for (int i = 0; i < 100; ++i) {
      world.lock.acquire();
      world.engine.poll();
      world.lock.relinquish();
      world.pass(50'000);
    }
  });
  world.start_background();
  EXPECT_EQ(world.stage.run(), Stage::End::Quiet);
  EXPECT_EQ(world.transport.attention_changes(), 1); // only the change at the beginning
  EXPECT_EQ(world.close(), Stage::End::Finished);
}

// The background thread leaves the lock to the poller, which remains the lock's bias owner
// (base/biased_mutex.h).
TEST(Progress, ADoorbellWhileAnotherThreadPollsIsLeftToThatThread) {
  each_seed(
      [](std::uint64_t seed) {
        constexpr int kDoorbells = 50;
        StageWorld world(seed, true);
        int polls = 0;
        bool over = false;
        world.stage.add([&] {
          while (!over) {
            world.lock.acquire();
            world.engine.poll();
            world.lock.relinquish();
            ++polls;
          }
        });
        world.stage.add([&] {
          for (int i = 0; i < kDoorbells; ++i) {
            world.pass(1'000'000);
            world.places.ring();
          }
          over = true;
        });
        world.start_background();
        EXPECT_EQ(world.stage.run(), Stage::End::Quiet);
        EXPECT_LE(world.lock.acquisitions() - polls, 20);
        EXPECT_EQ(world.close(), Stage::End::Finished);
      },
      50);
}

TEST(Progress, P8ATightPollerMakesPeersStopRingingOnce) {
  StageWorld world(1, true);
  world.stage.add([&] { world.poll_for(0, 1); });
  world.stage.add([&] {
    world.pass(3'000'000);
    EXPECT_TRUE(world.transport.attentive());
    EXPECT_EQ(world.transport.attention_changes(), 2);
    world.transport.send(0);
  });
  world.start_background();
  EXPECT_EQ(world.stage.run(), Stage::End::Quiet);
  EXPECT_EQ(world.transport.attention_changes(), 3);
  EXPECT_EQ(world.close(), Stage::End::Finished);
}

} // namespace
} // namespace datum::test
