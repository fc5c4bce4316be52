// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The ring: the consumer reads a record's payload only after the producer has written it. The
// producer overwrites the payload only after the consumer has read it.
#include <algorithm>
#include <cstring>
#include <new>

#include "scenes.h"
#include "transport/link/ring.h"

namespace datum::test {
namespace {

constexpr std::uint64_t kFewSeeds = 5; // an execution takes thousands of steps

struct Note {
  std::uint32_t number;
};

// A producer and a consumer. The parameters say where in the ring they begin.
class RingScene : public Scene {
 public:
  RingScene(std::uint32_t published, std::uint32_t lines, std::uint32_t records)
      : lines_(lines), records_(records) {
    for (; first_ < published; ++first_) put(producer_);
  }
  void begin(Machine& machine) override {
    for (std::uint32_t i = 0; i < std::min(records_, kRingSlots); ++i) {
      const std::uint32_t number = first_ + i;
      ring_->slots[number % kRingSlots].sequence.store(
          number < kRingSlots ? 0 : number + 1 - kRingSlots);
      // Writes the record that would have been in the same place before.
      const std::uint32_t apart = lines_ == kMaxRecordLines ? kRoomLines / lines_ : kRingSlots;
      const Note before{number - apart};
      if (lines_ == 0 && number >= apart)
        std::memcpy(ring_->slots[number % kRingSlots].rest, &before, sizeof before);
      if (lines_ != 0 && number >= apart)
        std::memcpy(ring_->room[number * lines_ % kRoomLines].bytes, &before, sizeof before);
    }
    new (&tail_) RingTail{};
    machine.spins = Machine::Spins::Waiting;
    machine.share(ring_.get(), sizeof *ring_, "ring");
    machine.share(&tail_, sizeof tail_, "tail");
    machine.add([this, &machine] { produce(machine); });
    machine.add([this, &machine] { consume(machine); });
  }
  void end(Machine& machine, bool finished) override {
    if (!finished) machine.fail("one side waits for ever");
  }

 private:
  // Returns false if there is no room.
  bool put(RingProducer& producer) const {
    RingSlot* slot = lines_ == 0 ? producer.reserve() : producer.reserve(lines_);
    if (slot == nullptr) return false;
    const Note note{static_cast<std::uint32_t>(producer.published())};
    std::memcpy(slot->rest, &note, sizeof note);
    if (lines_ != 0) std::memcpy(producer.payload(), &note, sizeof note);
    producer.publish();
    return true;
  }
  void produce(Machine& machine) {
    RingProducer producer = producer_;
    for (std::uint32_t i = 0; i < records_; ++i)
      while (!put(producer)) {
        if (producer.peer_misbehaved()) return machine.fail("positions that cannot be");
      }
    if (producer.peer_misbehaved()) machine.fail("positions that cannot be");
  }
  void consume(Machine& machine) {
    RingConsumer consumer(*ring_, tail_);
    for (std::uint32_t number = 0; number < records_; ++number) {
      const RingSlot* slot = nullptr;
      while ((slot = consumer.front()) == nullptr) {
      }
      Note note{};
      std::memcpy(&note, slot->rest, sizeof note);
      if (note.number != number) machine.fail("a record that is not the next one");
      if (lines_ != 0) {
        std::memcpy(&note, consumer.payload(lines_), sizeof note);
        if (note.number != number) machine.fail("the payload of another record");
      }
      consumer.pop(lines_);
      consumer.tell();
    }
  }

  const std::uint32_t lines_;
  const std::uint32_t records_;
  std::uint32_t first_ = 0;
  std::unique_ptr<Ring> ring_ = std::make_unique<Ring>();
  RingTail tail_{};
  RingProducer producer_{*ring_, tail_};
};

NamedScene scene(const char* name, std::uint32_t published, std::uint32_t lines,
                 std::uint32_t records, bool promises) {
  return {name,
          [=] { return std::make_unique<RingScene>(published, lines, records); },
          {.promises = promises},
          Effort::All};
}

} // namespace

std::vector<NamedScene> ring_scenes() {
  return {scene("ring-records", 0, 0, 3, true),
          scene("ring-payload", 0, 2, 2, true),
          scene("ring-slots-again", kRingSlots - 1, 0, 2, false),
          scene("ring-lines-again", kRoomLines / kMaxRecordLines, kMaxRecordLines, 2, false),
          {"ring-laps",
           [] { return std::make_unique<RingScene>(0, 0, kRingSlots + 100); },
           {},
           Effort::Seeds,
           kFewSeeds}};
}

} // namespace datum::test
