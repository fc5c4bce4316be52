// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Transports whose data come by descriptors, under the scheduler of schedule_test.cc: which polls
// check the descriptors, and which work is left for later.
#include <gtest/gtest.h>

#include "seeds.h"
#include "stage_world.h"

namespace datum::test {
namespace {

// Data comes by descriptors from the beginning, as with connections over TCP.
class SocketWorld : public StageWorld {
 public:
  SocketWorld(std::uint64_t seed, bool core_to_spare) : StageWorld(seed, core_to_spare) {
    transport.comes_by_descriptors = true;
  }
};

// Runs the threads that were added, and the background thread, until none has anything to do.
void play(StageWorld& world) {
  world.start_background();
  EXPECT_EQ(world.stage.run(), Stage::End::Quiet);
}

void poll_slowly(StageWorld& world, int polls, Duration apart) {
  for (int i = 0; i < polls; ++i) {
    world.pass(apart);
    world.lock.acquire();
    world.engine.poll();
    world.lock.relinquish();
  }
}

// The background thread has noticed that no thread polls. Then a thread begins to poll.
void poll_until_that_is_known(StageWorld& world) {
  while (world.transport.attention_changes() < 2) world.poll_until(world.stage.now() + 1);
}

TEST(Progress, WhereDataComesByDescriptorsEveryPollLooksAtThem) {
  SocketWorld world(1, true);
  Stage& stage = world.stage;
  int looks = 0;
  stage.add([&] {
    world.poll_until(stage.now() + 1'000'000); // peers know by then that a thread polls
    world.lock.acquire();
    const int before = world.places.descriptor_looks();
    for (int i = 0; i < 100; ++i) world.engine.poll();
    looks = world.places.descriptor_looks() - before;
    world.lock.relinquish();
  });
  play(world);
  EXPECT_EQ(looks, 100);
  EXPECT_EQ(world.close(), Stage::End::Finished);
}

TEST(Progress, WhereItComesInBatchesAPollerLooksAgainAfterTheGap) {
  SocketWorld world(1, true);
  Stage& stage = world.stage;
  world.transport.gap = 4'000;
  int looks = 0;
  stage.add([&] {
    world.poll_until(stage.now() + 1'000'000);
    const int before = world.places.descriptor_looks();
    world.poll_until(stage.now() + 400'000);
    looks = world.places.descriptor_looks() - before;
  });
  play(world);
  EXPECT_GE(looks, 50); // a poll takes a part of 4 us, too
  EXPECT_LE(looks, 101);
  EXPECT_EQ(world.close(), Stage::End::Finished);
}

TEST(Progress, WhereDataComesByDescriptorsWorkLeftBehindIsLookedAtWithinAMillisecond) {
  each_seed(
      [](std::uint64_t seed) {
        SocketWorld world(seed, seed % 2 == 0);
        Stage& stage = world.stage;
        stage.add([&] {
          world.poll_until(stage.now() + static_cast<Duration>(stage.random(40'000'000)));
          world.lock.acquire();
          world.transport.leave_behind();
          world.lock.relinquish();
        });
        play(world);
        EXPECT_LE(world.transport.longest_left_behind(), 1'100'000);
        EXPECT_EQ(world.close(), Stage::End::Finished);
      },
      20);
}

// The work left may be an acknowledgement. If the consumer answers the event, the answer carries
// the acknowledgement along.
// Rules: PROGRESS.5
TEST(Progress, WhereDataComesByDescriptorsAWaiterLeavesWhatItsEventHasLeftToDo) {
  each_seed(
      [](std::uint64_t seed) {
        SocketWorld world(seed, true);
        Stage& stage = world.stage;
        world.transport.on_arrival[0] = [&] { world.transport.leave_behind(); };
        bool left = false;
        bool left_by_the_next_call = false;
        const bool calls_again = seed % 2 == 0;
        stage.add([&] {
          world.lock.acquire();
          WaitPoint point;
          world.transport.waiting[0] = &point;
          EXPECT_EQ(world.engine.wait(point, kNever), WaitResult::Signalled);
          world.transport.waiting[0] = nullptr;
          left = world.transport.has_left_behind();
          if (calls_again) world.engine.poll();
          left_by_the_next_call = world.transport.has_left_behind();
          world.lock.relinquish();
        });
        stage.add([&] {
          world.pass(1'000'000); // the waiter sleeps by then
          world.transport.send(0);
        });
        play(world);
        EXPECT_TRUE(left);
        EXPECT_EQ(left_by_the_next_call, !calls_again);
        EXPECT_FALSE(world.transport.has_left_behind());
        EXPECT_LE(world.transport.longest_left_behind(), 1'100'000);
        EXPECT_EQ(world.close(), Stage::End::Finished);
      },
      20);
}

// The thread polls too seldom to count as a poller, and too often for the background thread to take
// its place.
// Rules: PROGRESS.8
TEST(Progress, WhereDataComesByDescriptorsASlowDequeuerLooksAtThem) {
  each_seed(
      [](std::uint64_t seed) {
        SocketWorld world(seed, true);
        Stage& stage = world.stage;
        const Duration apart = 10'000 + static_cast<Duration>(stage.random(60'000));
        int looks = 0;
        stage.add([&] {
          world.wait_for(0, 1); // then the background thread backs off
          const int before = world.places.descriptor_looks();
          poll_slowly(world, 160, apart);
          looks = world.places.descriptor_looks() - before;
        });
        stage.add([&] {
          world.pass(1'000'000);
          world.transport.send(0);
        });
        play(world);
        EXPECT_GE(looks, 160 * apart / (50'000 + apart) - 1);
        EXPECT_EQ(world.close(), Stage::End::Finished);
      },
      20);
}

// Each poll may move a megabyte of another connection. Data that arrive for a third connection must
// not wait for 64 such polls.
// Rules: PROGRESS.3
TEST(Progress, WhereDataComesByDescriptorsWhoeverBeginsToPollLooksWithTheNextPoll) {
  each_seed(
      [](std::uint64_t seed) {
        SocketWorld world(seed, true);
        Stage& stage = world.stage;
        int looks = 0;
        stage.add([&] {
          poll_until_that_is_known(world);
          world.lock.acquire();
          const int before = world.places.descriptor_looks();
          for (int i = 0; i < 10; ++i) {
            world.pass(100'000);
            world.engine.poll();
          }
          looks = world.places.descriptor_looks() - before;
          world.lock.relinquish();
        });
        play(world);
        EXPECT_EQ(looks, 10);
        EXPECT_EQ(world.close(), Stage::End::Finished);
      },
      20);
}

// An adapter has no connection when it is opened.
// Rules: PROGRESS.3
TEST(Progress, WhereTheFirstConnectionComesWhileSomebodyPollsEveryPollLooksFromThenOn) {
  each_seed(
      [](std::uint64_t seed) {
        StageWorld world(seed, seed % 2 == 0);
        Stage& stage = world.stage;
        int looks = 0;
        stage.add([&] {
          poll_until_that_is_known(world);
          world.lock.acquire();
          world.transport.comes_by_descriptors = true;
          for (int i = 0; i < 64; ++i) world.engine.poll();
          const int before = world.places.descriptor_looks();
          for (int i = 0; i < 100; ++i) world.engine.poll();
          looks = world.places.descriptor_looks() - before;
          world.lock.relinquish();
        });
        play(world);
        EXPECT_EQ(looks, 100);
        EXPECT_EQ(world.close(), Stage::End::Finished);
      },
      20);
}

// With one processor no thread polls within a wait.
// Rules: PROGRESS.3
TEST(Progress, WhereTheFirstConnectionComesLateASlowDequeuerLooksAfter50us) {
  each_seed(
      [](std::uint64_t seed) {
        StageWorld world(seed, false);
        Stage& stage = world.stage;
        int looks = 0;
        stage.add([&] {
          world.pass(1'000'000);
          world.transport.comes_by_descriptors = true;
          world.wait_for(0, 1);
          poll_slowly(world, 16, 60'000);
          const int before = world.places.descriptor_looks();
          poll_slowly(world, 160, 60'000);
          looks = world.places.descriptor_looks() - before;
        });
        stage.add([&] {
          world.pass(2'000'000);
          world.transport.send(0);
        });
        play(world);
        EXPECT_GE(looks, 155);
        EXPECT_EQ(world.close(), Stage::End::Finished);
      },
      20);
}

// The background thread sleeps at the doorbell and gets no processor, so nothing ever wakes it.
// Rules: PROGRESS.3
TEST(Progress, WhereDataComesByDescriptorsASlowDequeuerLooksAfterAMillisecondThatNobodyLooked) {
  SocketWorld world(1, true);
  Stage& stage = world.stage;
  int looks = 0;
  stage.add([&] {
    world.pass(1'000'000); // the background thread sleeps at the doorbell by then
    const int before = world.places.descriptor_looks();
    poll_slowly(world, 50, 100'000);
    looks = world.places.descriptor_looks() - before;
  });
  play(world);
  EXPECT_GE(looks, 4);
  EXPECT_LE(looks, 6);
  EXPECT_EQ(world.close(), Stage::End::Finished);
}

// A thread that the doorbell wakes could run only on the consumer's processor. So the consumer's
// own polls check the descriptors.
// Rules: PROGRESS.3
TEST(Progress, WhereNoCoreIsToSpareASlowDequeuerLooksWithEachPoll) {
  each_seed(
      [](std::uint64_t seed) {
        SocketWorld world(seed, false);
        Stage& stage = world.stage;
        int looks = 0;
        stage.add([&] {
          world.pass(1'000'000); // the background thread sleeps at the doorbell by now
          const int before = world.places.descriptor_looks();
          poll_slowly(world, 100, 10'000);
          looks = world.places.descriptor_looks() - before;
        });
        play(world);
        EXPECT_GE(looks, 99); // the first few may fall into one pass
        EXPECT_EQ(world.close(), Stage::End::Finished);
      },
      20);
}

// If the dequeuer did not watch the link, a Write that the peer has not taken would wait until the
// peer polls by itself.
// Rules: PROGRESS.9
TEST(Progress, ASlowDequeuerLooksAfterWhatItsPeerLeftLying) {
  StageWorld world(1, true);
  Stage& stage = world.stage;
  int polls_that_looked = 0;
  stage.add([&] {
    world.pass(1'000'000); // the background thread sleeps at the doorbell by now
    world.transport.lying = true;
    for (int i = 0; i < 66; ++i) {
      world.pass(60'000);
      world.lock.acquire();
      const int before = world.transport.watches;
      world.engine.poll();
      if (world.transport.watches != before) ++polls_that_looked;
      world.lock.relinquish();
    }
    world.transport.lying = false;
  });
  play(world);
  EXPECT_GE(polls_that_looked, 50) << "all but the first 16";
  EXPECT_EQ(world.close(), Stage::End::Finished);
}

} // namespace
} // namespace datum::test
