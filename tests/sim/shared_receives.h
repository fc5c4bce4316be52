// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/sim/shared_receives.h: an SRQ of an adapter, and its checks.
// Lives here: Recvs that several parties take, each Recv once; the low watermark.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>

#include "expected.h"
#include "sim_node.h"

namespace datum::test {

// The longest message to a party with an SRQ: any Recv of the SRQ must be long enough for any
// message.
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

  // Takes the Recv of a completion off the list. It must not have been taken before.
  PostedReceive take(std::uint64_t cookie);
  // Completions may have been lost with an EVD, and it is not known which.
  void lose_track() { lost_track_ = true; }
  bool is_about(const Event& event) const { return event.object == srq_->token(); }
  void on_notice();
  // Called after all notices were taken.
  void check();
  // Called when no message is arriving any more and all completions were taken.
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
  // The fewest Recvs since the watermark was set. Only post() adds Recvs. So it is enough to count
  // them before each post() and whenever time has passed.
  std::int32_t lowest_ = 0;
  std::int32_t low_watermark_ = 0; // 0: no number of Recvs is lower
  bool told_ = false;
};

} // namespace datum::test
