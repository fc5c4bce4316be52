// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/fuzz/fuzz_ring.cc: RingConsumer and RingProducer, each against a peer that writes anything
// anywhere. The consumer must stay inside the ring. The producer must never be more than kRingSlots
// records ahead of what the peer has given back.
#include <memory>

#include "input.h"
#include "transport/link/ring.h"

using namespace datum;
using datum::fuzz::Input;
using datum::fuzz::require;

namespace {

struct Shared {
  RingTail tail;
  Ring ring;
};

struct Release {
  void operator()(Shared* shared) const { std::free(shared); }
};

// Zeroes without a constructor, as in memory that the kernel maps.
std::unique_ptr<Shared, Release> zeroed() {
  void* memory = std::aligned_alloc(kLineSize, sizeof(Shared));
  std::memset(memory, 0, sizeof(Shared));
  return std::unique_ptr<Shared, Release>(static_cast<Shared*>(memory));
}

bool in_room(const Ring& ring, const std::byte* payload, std::uint32_t lines) {
  const std::byte* begin = ring.room[0].bytes;
  return payload >= begin && payload + std::size_t{lines} * kLineSize <= begin + sizeof ring.room;
}

// A consumer, and how many records it has taken. An honest producer writes the next record at that
// position.
class Reading {
 public:
  void scribble(Input& input) {
    const std::uint64_t at = input.flag() ? position_ + input.byte() : input.take<std::uint16_t>();
    const auto near = static_cast<std::uint32_t>(position_ + 1 + input.byte() - 4);
    shared_->ring.slots[at % kRingSlots].sequence =
        input.flag() ? input.take<std::uint32_t>() : near;
  }
  void consume(Input& input) {
    const RingSlot* slot = consumer_.front();
    if (slot == nullptr) return;
    require(slot >= shared_->ring.slots && slot < shared_->ring.slots + kRingSlots,
            "a record lies in a slot of the ring");
    const std::uint32_t lines =
        input.flag() ? input.take<std::uint32_t>() : input.take<std::uint16_t>() % 300U;
    const std::byte* payload = consumer_.payload(lines);
    require((payload != nullptr) == (lines <= kMaxRecordLines), "a record has a largest size");
    if (payload == nullptr) return;
    require(in_room(shared_->ring, payload, lines), "a payload lies in the room of the ring");
    consumer_.pop(lines);
    ++position_;
  }

 private:
  std::unique_ptr<Shared, Release> shared_ = zeroed();
  RingConsumer consumer_{shared_->ring, shared_->tail};
  std::uint64_t position_ = 0;
};

// A producer, and the most records that the peer has claimed to have read.
class Writing {
 public:
  void produce(Input& input) {
    const std::uint32_t lines = input.take<std::uint16_t>() % (kMaxRecordLines + 1);
    const RingSlot* slot = producer_.reserve(lines);
    if (slot == nullptr) return;
    require(slot >= shared_->ring.slots && slot < shared_->ring.slots + kRingSlots,
            "a reservation is a slot of the ring");
    if (lines != 0)
      require(in_room(shared_->ring, producer_.payload(), lines),
              "a reserved payload lies in the room of the ring");
    producer_.publish();
    ++records_;
    require(records_ - claimed_ <= kRingSlots, "no more is written than was given back");
  }
  void claim(Input& input) {
    const bool raw = input.flag();
    const std::uint64_t records = raw ? input.take<std::uint64_t>() : records_ - input.byte();
    shared_->tail.records = records;
    shared_->tail.lines = input.flag() ? input.take<std::uint64_t>() : records;
    if (records <= records_ && records > claimed_) claimed_ = records;
  }
  bool over() const { return producer_.peer_misbehaved(); }

 private:
  std::unique_ptr<Shared, Release> shared_ = zeroed();
  RingProducer producer_{shared_->ring, shared_->tail};
  std::uint64_t records_ = 0;
  std::uint64_t claimed_ = 0;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  Reading reading;
  Writing writing;
  while (!input.empty() && !writing.over()) {
    switch (input.byte() % 4) {
    case 0: reading.scribble(input); break;
    case 1: reading.consume(input); break;
    case 2: writing.produce(input); break;
    default: writing.claim(input); break;
    }
  }
  return 0;
}
