// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/fuzz/fuzz_ring.cc: both ends of a ring whose other ends belong to somebody who writes
// anything anywhere. The honest consumer is never led outside the ring, and the honest producer
// never believes to have room that it has not.
#include <memory>

#include "input.h"
#include "transport/link/ring.h"

using namespace datum;
using datum::fuzz::Input;
using datum::fuzz::require;

namespace {

struct Shared {
  RingTail tail;
  RingLine lines[kRingLines];
};

struct Release {
  void operator()(Shared* shared) const { std::free(shared); }
};

// As the kernel gives it: zeroes, and nothing is constructed in it.
std::unique_ptr<Shared, Release> zeroed() {
  void* memory = std::aligned_alloc(kLineSize, sizeof(Shared));
  std::memset(memory, 0, sizeof(Shared));
  return std::unique_ptr<Shared, Release>(static_cast<Shared*>(memory));
}

std::uint32_t line_near(std::uint64_t position, Input& input) {
  const std::uint64_t at = input.flag() ? position + input.byte() : input.take<std::uint16_t>();
  return static_cast<std::uint32_t>(at % kRingLines);
}

void scribble_line(Shared& shared, std::uint64_t position, Input& input) {
  constexpr std::uint32_t kWords[] = {0, 1, 2, 3, kMaxRecordLines, kMaxRecordLines + 1, kRingWrap};
  const std::uint32_t at = line_near(position, input);
  const bool raw = input.flag();
  shared.lines[at].first = raw ? input.take<std::uint32_t>() : input.pick(kWords);
}

void consume(Shared& shared, RingConsumer& consumer) {
  const std::uint64_t before = consumer.position();
  std::uint32_t lines = 0;
  const RingLine* line = consumer.front(lines);
  require(consumer.position() - before < kRingLines, "a wrap skips less than a round");
  if (line == nullptr) return;
  require(line >= shared.lines && lines != 0 && lines <= kMaxRecordLines &&
              lines <= static_cast<std::size_t>(shared.lines + kRingLines - line),
          "a record lies in the ring");
  consumer.pop(lines);
}

void produce(Shared& shared, RingProducer& producer, std::uint64_t freed, Input& input) {
  const std::uint32_t wanted = 1 + input.take<std::uint16_t>() % kMaxRecordLines;
  RingLine* line = producer.reserve(wanted);
  if (line == nullptr) return;
  require(line >= shared.lines &&
              wanted <= static_cast<std::size_t>(shared.lines + kRingLines - line),
          "a reservation lies in the ring");
  producer.publish();
  require(producer.position() - freed < kRingLines, "no more is written than was given back");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const auto incoming = zeroed();
  const auto outgoing = zeroed();
  RingConsumer consumer(incoming->lines, &incoming->tail);
  RingProducer producer(outgoing->lines, &outgoing->tail);
  std::uint64_t freed = 0; // the most that the other side has ever claimed, if it could be
  while (!input.empty() && !consumer.peer_misbehaved() && !producer.peer_misbehaved()) {
    switch (input.byte() % 5) {
    case 0: scribble_line(*incoming, consumer.position(), input); break;
    case 1: consume(*incoming, consumer); break;
    case 2: produce(*outgoing, producer, freed, input); break;
    case 3: {
      const std::uint64_t claim =
          input.flag() ? input.take<std::uint64_t>() : producer.position() - input.byte();
      outgoing->tail.released = claim;
      if (claim <= producer.position() && claim > freed) freed = claim;
      break;
    }
    default: scribble_line(*outgoing, producer.position(), input); break;
    }
  }
  return 0;
}
