// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The ring under a scheduler that lets the other side go on at every access to a shared word, and
// lets stores arrive late. DATUM_SEEDS=first-last chooses other seeds than those run by default.
#include <memory>

#include "../progress/seeds.h"
#include "ring_script.h"
#include "store_buffers.h"

namespace datum::test {
namespace {

constexpr std::uint32_t kRecords = 1500; // more than the slots

// How a consumer behaves; the seed chooses.
enum class Manner { AtOnce, Pausing, OnlyWhenFull, TellingEach };

struct Play {
  explicit Play(std::uint64_t seed_) : seed(seed_), stage(seed_), processors(stage) {}

  void produce() {
    RingProducer producer(memory->ring, memory->tail);
    for (std::uint32_t number = 0; number < kRecords;) {
      stuck = !put_record(producer, number, ring_lines(seed, number));
      if (stuck) {
        ++times_full;
        processors.step();
      } else {
        ++number;
      }
    }
    done = true;
    EXPECT_FALSE(producer.peer_misbehaved());
  }
  void consume() {
    RingConsumer consumer(memory->ring, memory->tail);
    for (std::uint32_t number = 0; number < kRecords && !testing::Test::HasFailure();) {
      if (waits()) {
        processors.step();
        continue;
      }
      if (!take_record(consumer, number, ring_lines(seed, number))) {
        // What a consumer does that finds nothing while its peer may be starving.
        if (stuck) consumer.tell();
        continue;
      }
      ++number;
      if (manner == Manner::TellingEach) consumer.tell();
    }
    EXPECT_FALSE(consumer.ready());
  }
  bool waits() {
    if (manner == Manner::Pausing) return stage.random(4) != 0;
    return manner == Manner::OnlyWhenFull && !stuck && !done;
  }

  std::uint64_t seed;
  Stage stage;
  Processors processors;
  std::unique_ptr<RingMemory> memory = std::make_unique<RingMemory>();
  Manner manner = static_cast<Manner>(seed % 4);
  bool stuck = false;
  bool done = false;
  int times_full = 0;
};

TEST(RingSchedule, EveryRecordArrivesOnceWholeAndInOrder) {
  each_seed(1, 40, [](std::uint64_t seed) {
    Play play(seed);
    play.processors.add([&] { play.produce(); });
    play.processors.add([&] { play.consume(); });
    ASSERT_EQ(play.stage.run(), Stage::End::Finished);
    if (play.manner == Manner::OnlyWhenFull) {
      EXPECT_GT(play.times_full, 0);
    }
  });
}

} // namespace
} // namespace datum::test
