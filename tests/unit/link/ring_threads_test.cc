// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The ring between two real threads. ThreadSanitizer reports a byte that one thread reads without
// the memory order that publishing a record, or giving it back, must establish.
#include <memory>
#include <thread>

#include "ring_script.h"

namespace datum::test {
namespace {

constexpr std::uint32_t kRecords = 20'000; // 20 laps of the slots, some hundred of the room

TEST(RingThreads, EveryRecordArrivesOnceWholeAndInOrder) {
  const auto memory = std::make_unique<RingMemory>();
  std::thread writer([&] {
    RingProducer producer(memory->ring, memory->tail);
    for (std::uint32_t number = 0; number < kRecords;) {
      if (put_record(producer, number, ring_lines(1, number)))
        ++number;
      else
        std::this_thread::yield();
    }
    EXPECT_FALSE(producer.peer_misbehaved());
  });
  RingConsumer consumer(memory->ring, memory->tail);
  for (std::uint32_t number = 0; number < kRecords && !testing::Test::HasFailure();) {
    if (take_record(consumer, number, ring_lines(1, number)))
      ++number;
    else
      std::this_thread::yield();
  }
  if (testing::Test::HasFailure()) std::_Exit(1); // the writer would wait for room for ever
  writer.join();
  EXPECT_FALSE(consumer.ready());
}

} // namespace
} // namespace datum::test
