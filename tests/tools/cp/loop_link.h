// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Two Links that talk to each other through queues. With them a source and a sink run in two
// threads.
#pragma once

#include <condition_variable>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "common/tool_error.h"
#include "cp/link.h"

namespace datum::cp::test {

class LoopLink final : public Link {
 public:
  static std::pair<std::unique_ptr<LoopLink>, std::unique_ptr<LoopLink>> pair(std::size_t chunk,
                                                                              std::size_t depth) {
    auto shared = std::make_shared<Shared>();
    auto a = std::unique_ptr<LoopLink>(new LoopLink(shared, 0, chunk, depth));
    auto b = std::unique_ptr<LoopLink>(new LoopLink(shared, 1, chunk, depth));
    a->other_ = b.get();
    b->other_ = a.get();
    return {std::move(a), std::move(b)};
  }

  // Cuts the connection of both sides when this side is about to send its count-th Load.
  void cut_at_load(int count) { cut_at_load_ = count; }
  // Flips a bit of the count-th slot that this side writes or reads.
  void damage_slot(int count) { damage_slot_ = count; }

  void send(const Message& message) override {
    if (std::holds_alternative<Load>(message) && ++loads_ == cut_at_load_) {
      cut();
      throw tools::ToolError(tools::ExitCode::PeerLost, "cut");
    }
    const std::lock_guard lock(shared_->mutex);
    shared_->queue[1 - side_].push_back(message);
    shared_->changed.notify_all();
  }
  void flush() override {}
  void notify() override {
    const std::lock_guard lock(shared_->mutex);
    shared_->queue[side_].push_back(Notified{});
    shared_->changed.notify_all();
  }
  [[nodiscard]] bool congested() const override { return false; }
  std::span<std::byte> slot(std::uint32_t index) override {
    return std::span(memory_).subspan(index * chunk_, chunk_);
  }
  void write_slot(std::uint32_t index, std::uint32_t length) override {
    const auto from = slot(index).first(length), to = other_->slot(index);
    std::memcpy(to.data(), from.data(), length);
    if (++moved_ == damage_slot_) to[0] ^= std::byte{1};
  }
  void read_slot(std::uint32_t index, std::uint32_t length) override {
    std::memcpy(slot(index).data(), other_->slot(index).data(), length);
    if (++moved_ == damage_slot_) slot(index)[0] ^= std::byte{1};
    const std::lock_guard lock(shared_->mutex);
    shared_->queue[side_].push_back(SlotArrived{index});
  }
  using Link::next;
  LinkEvent next(Sent /*sent*/) override {
    std::unique_lock lock(shared_->mutex);
    auto& queue = shared_->queue[side_];
    if (!shared_->changed.wait_for(lock, std::chrono::seconds(60),
                                   [&] { return !queue.empty() || shared_->cut; }) ||
        queue.empty())
      throw tools::ToolError(tools::ExitCode::PeerLost, "cut");
    LinkEvent event = std::move(queue.front());
    queue.pop_front();
    return event;
  }
  std::optional<LinkEvent> poll() override {
    const std::lock_guard lock(shared_->mutex);
    auto& queue = shared_->queue[side_];
    if (queue.empty()) return std::nullopt;
    LinkEvent event = std::move(queue.front());
    queue.pop_front();
    return event;
  }
  void tick() override {}

  void cut() {
    const std::lock_guard lock(shared_->mutex);
    shared_->cut = true;
    shared_->changed.notify_all();
  }

 private:
  struct Shared {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<LinkEvent> queue[2];
    bool cut = false;
  };
  LoopLink(std::shared_ptr<Shared> shared, std::size_t side, std::size_t chunk, std::size_t depth)
      : shared_(std::move(shared)), side_(side), chunk_(chunk), memory_(chunk * depth) {}

  std::shared_ptr<Shared> shared_;
  std::size_t side_, chunk_;
  LoopLink* other_ = nullptr;
  std::vector<std::byte> memory_;
  int cut_at_load_ = -1, damage_slot_ = -1, loads_ = 0, moved_ = 0;
};

// A Link whose other side is the test. The test decides what arrives, and reads what was sent.
class ScriptedLink final : public Link {
 public:
  ScriptedLink(std::size_t chunk, std::size_t depth) : chunk_(chunk), memory_(chunk * depth) {}
  void say(LinkEvent event) { script_.push_back(std::move(event)); }
  // No read_slot() ever finishes.
  void hold_reads() { hold_reads_ = true; }
  // The next tick() finds that the other side has left.
  void leave_at_tick() { leave_at_tick_ = true; }
  [[nodiscard]] const std::vector<Message>& said() const { return said_; }

  void send(const Message& message) override { said_.push_back(message); }
  void flush() override {}
  void notify() override {}
  [[nodiscard]] bool congested() const override { return false; }
  std::span<std::byte> slot(std::uint32_t index) override {
    return std::span(memory_).subspan(index * chunk_, chunk_);
  }
  void write_slot(std::uint32_t, std::uint32_t) override {}
  void read_slot(std::uint32_t index, std::uint32_t) override {
    if (!hold_reads_) script_.push_front(SlotArrived{index});
  }
  using Link::next;
  LinkEvent next(Sent /*sent*/) override {
    if (script_.empty()) throw tools::ToolError(tools::ExitCode::PeerLost, "end of script");
    LinkEvent event = std::move(script_.front());
    script_.pop_front();
    return event;
  }
  std::optional<LinkEvent> poll() override { return std::nullopt; }
  void tick() override {
    if (leave_at_tick_) throw tools::ToolError(tools::ExitCode::PeerLost, "left");
  }

 private:
  std::size_t chunk_;
  std::vector<std::byte> memory_;
  bool hold_reads_ = false, leave_at_tick_ = false;
  std::deque<LinkEvent> script_;
  std::vector<Message> said_;
};

} // namespace datum::cp::test
