// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Tests of the simulator itself.
#include <cstring>

#include <gtest/gtest.h>

#include "failure.h"
#include "search.h"
#include "transport/link/record.h"
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

// Publishes a record with `length` octets of payload. Its status and its last octet are `mark`.
void publish(RingProducer& producer, std::uint32_t length, std::uint8_t mark) {
  const std::uint32_t lines = lines_for(length, 0);
  auto* header = reinterpret_cast<RecordHeader*>(producer.reserve(lines));
  ASSERT_NE(header, nullptr);
  header->type = RecordType::Connect;
  header->status = mark;
  header->length = length;
  if (length != 0) producer.payload()[length - 1] = std::byte{mark};
  producer.publish();
}

struct Carried {
  std::uint32_t length;
  std::uint8_t mark;
  bool operator==(const Carried&) const = default;
};

Carried take(RingConsumer& consumer) {
  RecordHeader header = {};
  if (!consumer.ready()) return {0, 0};
  std::memcpy(&header, consumer.front(), sizeof header);
  const std::uint32_t lines = lines_of(header);
  const std::byte* payload = consumer.payload(lines);
  if (header.length != 0) {
    EXPECT_EQ(payload[header.length - 1], std::byte{header.status});
  }
  consumer.pop(lines);
  return {header.length, header.status};
}

TEST(SimWire, CarriesRecordsInOrderWhenTheyAreDue) {
  const auto from = std::make_unique<LinkSegment>();
  const auto to = std::make_unique<LinkSegment>();
  SimWire wire(*from, *to, 0);
  RingProducer producer(from->ring[0], from->side[1].tail);
  RingConsumer consumer(to->ring[0], to->side[1].tail);

  publish(producer, 150, 7);
  publish(producer, 0, 8);
  ASSERT_TRUE(wire.find());
  wire.arrive(100);
  ASSERT_TRUE(wire.find());
  wire.arrive(50); // until the time before the first record
  EXPECT_FALSE(wire.find());

  EXPECT_EQ(wire.next(), 100);
  EXPECT_FALSE(wire.carry(99));
  EXPECT_FALSE(consumer.ready());
  EXPECT_TRUE(wire.carry(100));
  EXPECT_EQ(take(consumer), (Carried{150, 7}));
  EXPECT_EQ(take(consumer), (Carried{0, 8}));
  EXPECT_EQ(wire.next(), kNever);
}

TEST(SimWire, GoesAroundTheRing) {
  const auto from = std::make_unique<LinkSegment>();
  const auto to = std::make_unique<LinkSegment>();
  SimWire wire(*from, *to, 1);
  RingProducer producer(from->ring[1], from->side[0].tail);
  RingConsumer consumer(to->ring[1], to->side[0].tail);
  for (std::uint32_t i = 0; i < 1000; ++i) {
    const std::uint32_t size = i * 449 % 8000;
    publish(producer, size, static_cast<std::uint8_t>(i));
    while (wire.find()) wire.arrive(i);
    wire.carry(i);
    EXPECT_EQ(take(consumer), (Carried{size, static_cast<std::uint8_t>(i)})) << i;
    consumer.tell();
    from->side[0].tail.lines.store(to->side[0].tail.lines.load());
    from->side[0].tail.records.store(to->side[0].tail.records.load());
  }
}

// All events of a play in their order, as text.
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
