// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/sim/shared_receives.h: an SRQ of an adapter, and what is expected of it.
// Lives here: Recvs that several parties take from, its low watermark. Each is used once.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>

#include "expected.h"
#include "sim_node.h"

namespace datum::test {

// No message to a party with an SRQ is longer, so that its Recvs can be made for any.
inline constexpr std::uint64_t kSharedMessage = 20'000;
inline constexpr std::uint64_t kSharedBytes = 1024 * 1024;

class SharedReceives {
 public:
  SharedReceives(SimNode& node, std::int32_t depth);
  void free_all();

  SharedReceiveQueue& srq() { return *srq_; }
  const std::byte* at(std::uint64_t offset) const { return memory_.get() + offset; }
  bool intact(const PostedReceive& receive) const { return pieces_.intact(receive.serial); }
  bool has_room(std::uint64_t capacity) const;
  void post(std::uint64_t capacity);
  void resize(std::int32_t depth);
  void set_low_watermark(std::int32_t value);

  // The Recv of a completion, which is used up; it must not have been before.
  PostedReceive take(std::uint64_t cookie);
  // Completions may have been lost with an EVD: which, nobody can tell.
  void lose_track() { lost_track_ = true; }
  bool is_about(const Event& event) const { return event.object == srq_->token(); }
  void on_notice();
  // After every notice was taken.
  void check();
  // When no message is arriving any more, and every completion was reaped.
  void check_at_rest() const;

 private:
  void look() { lowest_ = std::min(lowest_, srq_->available()); }

  SimNode& node_;
  std::unique_ptr<std::byte[]> memory_;
  ProtectionZone* zone_ = nullptr;
  MemoryRegion* region_ = nullptr;
  SharedReceiveQueue* srq_ = nullptr;
  Pieces pieces_{kSharedBytes};
  std::deque<PostedReceive> receives_;
  std::uint64_t next_cookie_ = 1;
  bool lost_track_ = false;
  // Recvs become more by post() only: looked at before each, and whenever time has passed, this is
  // the least that there were since the watermark was set.
  std::int32_t lowest_ = 0;
  std::int32_t low_watermark_ = 0; // nothing is lower than none
  bool told_ = false;
};

} // namespace datum::test
