// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Sleeping and ringing. While a side sleeps and is not rung, no record for it may stay in the ring,
// and its peer may not wait for room that only this side can make.
#include <cstddef>

#include "link_world.h"
#include "scenes.h"

namespace datum::test {
namespace {

LinkSegment& a_segment() {
  static const auto segment = std::make_unique<LinkSegment>();
  return *segment;
}

// Sleeps and works as a thread at the doorbell does, until the other side sends nothing more.
void sleep_at_doorbell(Machine& machine, SceneAdapter& side) {
  for (;;) {
    static_cast<void>(side.link->watch(0));
    side.doorbell.sleep(machine);
    side.link->on_doorbell();
    while (side.transport.progress()) {
    }
  }
}

void publish(SceneAdapter& side) {
  side.link->send_control(stray_record());
  side.link->flush_doorbell();
}

void sleep_and_look(Machine& machine, SceneAdapter& side) {
  while (side.transport.set_attention(Attention::Asleep)) side.transport.progress();
  sleep_at_doorbell(machine, side);
}

// One side publishes while the other side goes to sleep, and again just after the other side was
// woken.
class SleepScene final : public Scene {
 public:
  SleepScene(bool fences, int records) : fences_(fences), records_(records) {}
  void begin(Machine& machine) override {
    world_.reset();
    world_ = std::make_unique<LinkWorld>(machine, a_segment(), fences_);
    machine.spins = Machine::Spins::Waiting;
    machine.add([this] {
      for (int i = 0; i < records_; ++i) publish(world_->a);
      published_ = true;
    });
    machine.add([this, &machine] { sleep_and_look(machine, world_->b); });
    published_ = false;
  }
  void end(Machine& machine, bool) override {
    if (!published_) machine.fail("the side that publishes waits for ever");
    if (world_->b.link->must_look())
      machine.fail("a record lies in the ring of a side that sleeps");
  }

 private:
  const bool fences_;
  const int records_;
  bool published_ = false;
  std::unique_ptr<LinkWorld> world_;
};

// One side publishes while the other side sleeps and has just got the link.
class NewLinkScene final : public Scene {
 public:
  void begin(Machine& machine) override {
    world_.reset();
    world_ = std::make_unique<LinkWorld>(machine, a_segment(), true, nullptr, true);
    static_cast<void>(world_->b.transport.set_attention(Attention::Asleep));
    machine.spins = Machine::Spins::Waiting;
    machine.add([this] { publish(world_->a); });
    machine.add([this, &machine] {
      world_->b.link_up();
      static_cast<void>(world_->b.transport.progress());
      sleep_at_doorbell(machine, world_->b);
    });
  }
  void end(Machine& machine, bool) override {
    if (world_->b.link->must_look())
      machine.fail("a record lies in the ring of a side that sleeps");
  }

 private:
  std::unique_ptr<LinkWorld> world_;
};

// One side finds its ring full and goes to sleep while the other side empties the ring.
class BackpressureScene final : public Scene {
 public:
  explicit BackpressureScene(bool fences) : fences_(fences) {}
  void begin(Machine& machine) override {
    world_.reset();
    world_ = std::make_unique<LinkWorld>(machine, a_segment(), fences_);
    machine.spins = Machine::Spins::Waiting;
    RecordHeader large = stray_record();
    large.length = kMaxRecordLines * kLineSize;
    for (std::uint32_t i = 0; i < kRoomLines / kMaxRecordLines; ++i) {
      RecordHeader* const to = world_->a.link->reserve(kMaxRecordLines);
      std::memcpy(&to->type, &large.type, sizeof large - offsetof(RecordHeader, type));
      world_->a.link->publish();
    }
    static_cast<void>(world_->b.transport.progress());
    first_ = world_->a.link->published();
    machine.add([this, &machine] {
      RecordHeader small = stray_record();
      small.length = static_cast<std::uint32_t>(payload_.size());
      world_->a.link->send_control(small, payload_);
      world_->a.link->flush_doorbell();
      sleep_and_look(machine, world_->a);
    });
    machine.add([this] {
      while (world_->b.transport.progress()) {
      }
    });
  }
  void end(Machine& machine, bool) override {
    if (world_->a.link->published() != first_ + 1)
      machine.fail("a side that waits for room sleeps for ever");
  }

 private:
  const bool fences_;
  std::vector<std::byte> payload_ = std::vector<std::byte>(kLineSize);
  std::uint64_t first_ = 0;
  std::unique_ptr<LinkWorld> world_;
};

// One side retires the link while the other side publishes. The publisher must repeat a record that
// was not read.
class RetireScene final : public Scene {
 public:
  void begin(Machine& machine) override {
    world_.reset();
    world_ = std::make_unique<LinkWorld>(machine, a_segment(), true);
    kept_ = true;
    repeats_ = false;
    machine.add([this, &machine] {
      kept_ = !world_->a.link->retire();
      if (!kept_) world_->b.doorbell.ring(machine); // b notices that a closed its socket
    });
    machine.add([this, &machine] {
      publish(world_->b);
      world_->b.doorbell.sleep(machine);
      repeats_ = world_->b.link->peer_retired();
    });
  }
  void end(Machine& machine, bool finished) override {
    if (!kept_ && !finished) machine.fail("the side that publishes does not hear of the end");
    if (!kept_ && !repeats_) machine.fail("a record that nobody reads is not repeated");
  }

 private:
  bool kept_ = true;
  bool repeats_ = false;
  std::unique_ptr<LinkWorld> world_;
};

} // namespace

std::vector<NamedScene> link_scenes() {
  const auto sleep = [](const char* name, bool fences, int records, Effort effort) {
    return NamedScene{
        name, [=] { return std::make_unique<SleepScene>(fences, records); }, {}, effort};
  };
  const auto backpressure = [](const char* name, bool fences, Effort effort) {
    return NamedScene{
        name, [=] { return std::make_unique<BackpressureScene>(fences); }, {}, effort};
  };
  return {sleep("sleep", true, 2, Effort::All),
          sleep("sleep-both-fence", false, 2, Effort::All),
          {"sleep-new-link", [] { return std::make_unique<NewLinkScene>(); }, {}, Effort::All},
          sleep("sleep-long", true, 4, Effort::Seeds),
          backpressure("backpressure", true, Effort::Long),
          backpressure("backpressure-both-fence", false, Effort::Long),
          {"retire", [] { return std::make_unique<RetireScene>(); }, {}, Effort::All}};
}

} // namespace datum::test
