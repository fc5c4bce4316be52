// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/unit/link/ring_script.h: the records that a producer writes into a ring and a consumer must
// find there. They have many sizes, and each byte depends on the record's number.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "transport/link/ring.h"

namespace datum::test {

// A slot's bytes behind its first word: the record's number and its lines of payload.
struct RingNote {
  std::uint32_t number;
  std::uint32_t lines;
};

// As in a fresh segment, all words but the turn words are zero.
struct RingMemory {
  Ring ring{};
  RingTail tail{};
};

// The size of a record's payload in lines, from none to the most, mostly small. Under every other
// seed all sizes are small, so that slots run out before lines do.
inline std::uint32_t ring_lines(std::uint64_t seed, std::uint32_t number) {
  const std::uint64_t mixed = (seed * 1'000'003 + number) * 0x9E3779B97F4A7C15ULL >> 33U;
  if (mixed % 8 < 5) return 0;
  if (seed / 4 % 2 == 1) return 1;
  return mixed % 8 == 5 ? static_cast<std::uint32_t>(mixed / 8 % 257)
                        : static_cast<std::uint32_t>(mixed / 8 % 4);
}

inline std::byte ring_byte(std::uint32_t number, std::size_t at) {
  return static_cast<std::byte>(number * 7 + at / kLineSize * 3 + 1);
}

// Returns false if the ring is full.
inline bool put_record(RingProducer& producer, std::uint32_t number, std::uint32_t lines) {
  RingSlot* slot = lines == 0 ? producer.reserve() : producer.reserve(lines);
  if (slot == nullptr) return false;
  const RingNote note{number, lines};
  std::memcpy(slot->rest, &note, sizeof note);
  for (std::size_t at = 0; at < std::size_t{lines} * kLineSize; ++at)
    producer.payload()[at] = ring_byte(number, at);
  producer.publish();
  return true;
}

// Returns false if there is no record.
inline bool take_record(RingConsumer& consumer, std::uint32_t number, std::uint32_t lines) {
  const RingSlot* slot = consumer.front();
  if (slot == nullptr) return false;
  RingNote note{};
  std::memcpy(&note, slot->rest, sizeof note);
  EXPECT_EQ(note.number, number);
  EXPECT_EQ(note.lines, lines);
  const std::byte* payload = consumer.payload(lines);
  std::size_t wrong = 0;
  for (std::size_t at = 0; at < std::size_t{lines} * kLineSize; ++at)
    if (payload[at] != ring_byte(number, at)) ++wrong;
  EXPECT_EQ(wrong, 0U) << "bytes of record " << number;
  consumer.pop(lines);
  return true;
}

} // namespace datum::test
