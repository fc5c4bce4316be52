// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "shared_receives.h"

#include <algorithm>

#include "failure.h"

namespace datum::test {

SharedReceives::SharedReceives(SimNode& node, std::int32_t depth)
    : node_(node), memory_(new std::byte[kSharedBytes]) {
  InterfaceAdapter& adapter = *node_.adapter;
  node_.with_lock([&] {
    zone_ = adapter.create_zone().value();
    RegionRequest request;
    request.address = reinterpret_cast<std::uint64_t>(memory_.get());
    request.length = kSharedBytes;
    request.access = kLocalWrite;
    region_ = adapter.create_region(request, *zone_).value();
    srq_ = adapter.create_srq(*zone_, {depth, 2}).value();
  });
}

void SharedReceives::free_all() {
  node_.with_lock([&] {
    require(node_.adapter->free(*srq_).ok(), "an SRQ cannot be freed");
    require(node_.adapter->free(*region_).ok(), "the LMR of an SRQ cannot be freed");
    require(node_.adapter->free(*zone_).ok(), "the PZ of an SRQ cannot be freed");
  });
}

bool SharedReceives::has_room(std::uint64_t capacity) const {
  const std::uint64_t oldest = receives_.empty() ? pieces_.handed_out() : receives_.front().serial;
  return srq_->outstanding() < srq_->max_recv_dtos() && pieces_.has_room(capacity, oldest);
}

void SharedReceives::post(std::uint64_t capacity) {
  look();
  std::uint64_t serial = 0;
  const std::uint64_t offset = pieces_.take(capacity, serial);
  const std::uint64_t cookie = next_cookie_++;
  receives_.push_back({cookie, offset, capacity, serial});
  trace("SRQ: Recv {} of {} bytes", cookie, capacity);
  const std::uint64_t address = reinterpret_cast<std::uint64_t>(memory_.get()) + offset;
  const std::uint64_t half = capacity / 2;
  const LocalTriplet local[] = {{region_->local_stag(), address, half},
                                {region_->local_stag(), address + half, capacity - half}};
  node_.with_lock([&] { require(srq_->post(local, cookie).ok(), "an SRQ takes no Recv"); });
}

void SharedReceives::resize(std::int32_t depth) {
  const bool fits = depth >= srq_->outstanding() && depth >= low_watermark_;
  const bool done = node_.with_lock([&] { return srq_->resize(depth).ok(); });
  require(done == fits, "dat_srq_resize to {} with {} outstanding: {:d}", depth,
          srq_->outstanding(), done);
}

void SharedReceives::set_low_watermark(std::int32_t value) {
  check(); // takes the notice of the earlier mark into account
  if (value > srq_->max_recv_dtos()) return;
  trace("SRQ: low watermark {}", value);
  told_ = false;
  low_watermark_ = value;
  lowest_ = srq_->available();
  node_.with_lock([&] { require(srq_->set_low_watermark(value).ok(), "dat_srq_set_lw fails"); });
}

PostedReceive SharedReceives::take(std::uint64_t cookie) {
  const auto found = std::ranges::find(receives_, cookie, &PostedReceive::cookie);
  require(found != receives_.end(), "Recv {} of an SRQ is used a second time, or was not posted",
          cookie);
  const PostedReceive receive = *found;
  receives_.erase(found);
  ++tally.shared_receives;
  return receive;
}

void SharedReceives::on_notice() {
  ++tally.watermarks;
  look();
  require(!told_, "an SRQ reports its low watermark twice");
  require(lowest_ < low_watermark_, "an SRQ with {} Recvs reports its low watermark {}", lowest_,
          low_watermark_);
  told_ = true;
}

void SharedReceives::check() {
  look();
  require(told_ || lowest_ >= low_watermark_, "an SRQ had {} Recvs and does not say so ({})",
          lowest_, low_watermark_);
}

void SharedReceives::check_at_rest() const {
  const auto left = static_cast<std::size_t>(srq_->available());
  require(srq_->outstanding() == srq_->available(), "{} of {} Recvs of an SRQ never ended",
          srq_->outstanding() - srq_->available(), srq_->outstanding());
  if (lost_track_) return;
  require(receives_.size() == left, "an SRQ has {} Recvs of {}", left, receives_.size());
  // The oldest Recv is taken first.
  require(left == 0 || next_cookie_ - receives_.front().cookie == left,
          "an SRQ has kept Recv {} and given away newer ones",
          left == 0 ? 0 : receives_.front().cookie);
}

} // namespace datum::test
