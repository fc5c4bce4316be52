// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The simulator itself.
#include <gtest/gtest.h>

#include "failure.h"
#include "search.h"
#include "transport/link/ring.h"
#include "transport/sim/sim_options.h"
#include "transport/sim/sim_wire.h"

namespace datum::test {
namespace {

TEST(SimOptions, AreReadFromInstanceData) {
  const std::optional<SimOptions> options =
      parse_sim_options("  seed=77 direct=1  share=1 wire=0 delay_us=3-40 ");
  ASSERT_TRUE(options.has_value());
  EXPECT_EQ(options->seed, 77U);
  EXPECT_TRUE(options->direct);
  EXPECT_TRUE(options->share);
  EXPECT_FALSE(options->wire);
  EXPECT_EQ(options->shortest_delay, 3'000);
  EXPECT_EQ(options->longest_delay, 40'000);
}

TEST(SimOptions, HaveDefaults) {
  const std::optional<SimOptions> options = parse_sim_options("");
  ASSERT_TRUE(options.has_value());
  EXPECT_EQ(options->seed, 1U);
  EXPECT_FALSE(options->direct);
}

TEST(SimOptions, AnythingElseIsNotUnderstood) {
  for (const char* text : {"seed", "seed=", "seed=x", "direct=2", "delay_us=5", "delay_us=9-3",
                           "delay_us=1-99999999", "colour=red", "seed=1x"})
    EXPECT_FALSE(parse_sim_options(text).has_value()) << text;
}

TEST(SimWire, CarriesRecordsInOrderWhenTheyAreDue) {
  const auto from = std::make_unique<LinkSegment>();
  const auto to = std::make_unique<LinkSegment>();
  SimWire wire(*from, *to, 0);
  RingProducer producer(from->ring[0], &from->side[1].tail);
  RingConsumer consumer(to->ring[0], &to->side[1].tail);
  std::uint32_t lines = 0;

  producer.reserve(3)->rest[0] = std::byte{7};
  producer.publish();
  producer.reserve(1)->rest[0] = std::byte{8};
  producer.publish();
  ASSERT_TRUE(wire.find());
  wire.arrive(100);
  ASSERT_TRUE(wire.find());
  wire.arrive(50); // not before the first
  EXPECT_FALSE(wire.find());

  EXPECT_EQ(wire.next(), 100);
  EXPECT_FALSE(wire.carry(99));
  EXPECT_EQ(consumer.front(lines), nullptr);
  EXPECT_TRUE(wire.carry(100));
  const RingLine* first = consumer.front(lines);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(lines, 3U);
  EXPECT_EQ(first->rest[0], std::byte{7});
  consumer.pop(lines);
  const RingLine* second = consumer.front(lines);
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(second->rest[0], std::byte{8});
  EXPECT_EQ(wire.next(), kNever);
}

TEST(SimWire, GoesAroundTheRing) {
  const auto from = std::make_unique<LinkSegment>();
  const auto to = std::make_unique<LinkSegment>();
  SimWire wire(*from, *to, 1);
  RingProducer producer(from->ring[1], &from->side[0].tail);
  RingConsumer consumer(to->ring[1], &to->side[0].tail);
  for (std::uint32_t i = 0; i < 1000; ++i) {
    const std::uint32_t size = 1 + i * 7 % 200;
    RingLine* record = producer.reserve(size);
    ASSERT_NE(record, nullptr) << i;
    record->rest[0] = static_cast<std::byte>(i);
    producer.publish();
    while (wire.find()) wire.arrive(i);
    wire.carry(i);
    std::uint32_t lines = 0;
    const RingLine* arrived = consumer.front(lines);
    ASSERT_NE(arrived, nullptr) << i;
    EXPECT_EQ(lines, size);
    EXPECT_EQ(arrived->rest[0], static_cast<std::byte>(i));
    consumer.pop(lines);
    consumer.tell();
    from->side[0].tail.released.store(to->side[0].tail.released.load());
  }
}

// Everything that happens, in order, as text.
std::string story_of(std::uint64_t seed) {
  testing::internal::CaptureStdout();
  tracing = true;
  Search(seed).run();
  tracing = false;
  std::fflush(stdout);
  return testing::internal::GetCapturedStdout();
}

TEST(Search, TheSameSeedTellsTheSameStory) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const std::string first = story_of(seed);
    EXPECT_FALSE(first.empty());
    EXPECT_EQ(first, story_of(seed)) << "seed " << seed;
  }
}

TEST(Search, AnotherSeedTellsAnotherStory) {
  EXPECT_NE(story_of(3), story_of(4));
}

} // namespace
} // namespace datum::test
