// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Asynchronous events about a party, and their checks.
#include "failure.h"
#include "party.h"

namespace datum::test {

void Party::set_watermarks(std::int32_t soft, std::int32_t hard) {
  trace("party {}: watermarks {} and {}", number_, soft, hard);
  soft_ = soft;
  hard_ = hard;
  soft_armed_ = soft != kWatermarkInfinite;
  watch_soft_watermark(ep_->recvs_held());
  node_.with_lock([&] { ep_->set_watermarks(soft, hard); });
}

// `held`: how many Recvs the EP holds before a message can take one.
void Party::watch_soft_watermark(std::int32_t held) {
  if (!soft_armed_ || held <= soft_) return;
  soft_armed_ = false;
  ++soft_due_;
}

bool Party::on_notice(const Event& event) {
  if (event.kind == EventKind::AsyncEvdOverflow && event.object == dto_evd_->token()) {
    ++tally.overflows;
    require(!overflow_told_, "party {}: its EVD reports a second overflow", number_);
    require(dto_evd_->full() || was_full_, "party {}: an EVD with room has overflowed", number_);
    require(ep_->state() == EpState::Disconnected,
            "party {}: its EVD has lost completions, and its EP is in state {}", number_,
            static_cast<int>(ep_->state()));
    overflow_told_ = true;
    return true;
  }
  if (event.object != ep_->token()) return false;
  if (event.kind == EventKind::AsyncSrqLeft) {
    ++tally.srq_lefts;
    ++srq_lefts_;
    return true;
  }
  require(event.kind == EventKind::AsyncWatermark, "party {}: an asynchronous event of kind {}",
          number_, static_cast<int>(event.kind));
  ++tally.watermarks;
  // An EP with an SRQ holds no Recv until a message comes and takes one.
  if (setup_.shared != nullptr) watch_soft_watermark(1);
  require(soft_due_ > 0, "party {}: a soft watermark that is not due", number_);
  --soft_due_;
  return true;
}

void Party::check_notices() const {
  require(soft_due_ == 0, "party {}: is not told that it holds more Recvs than {}", number_, soft_);
  const std::int32_t held = ep_->recvs_held();
  require(setup_.shared == nullptr || !soft_armed_ || held <= soft_,
          "party {}: is not told that it holds a Recv of its SRQ", number_);
  require(ep_->state() != EpState::Connected || hard_ == kWatermarkInfinite || held <= hard_,
          "party {}: is connected with {} Recvs, above its hard watermark {}", number_, held,
          hard_);
}

} // namespace datum::test
