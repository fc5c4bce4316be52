// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "progress/handover.h"

#include "base/assertion.h"

namespace datum {

bool Handover::start_polling() {
  return begin_polling(&Doorbell::start_polling);
}

bool Handover::start_lingering() {
  return begin_polling(&Doorbell::start_lingering);
}

bool Handover::begin_polling(WakeUps (Doorbell::*begin)()) {
  if (!doorbell_.can_start_polling()) return false;
  carry_out((doorbell_.*begin)());
  static_cast<void>(transport_->set_attention(Attention::Polling)); // the caller polls next
  return true;
}

bool Handover::stop_polling() {
  doorbell_.stop_polling();
  return transport_->set_attention(Attention::Asleep);
}

void Handover::carry_out(const WakeUps& wake_ups) {
  DATUM_ASSERT(is_exclusive());
  if (wake_ups.owner) places_.wake_owner();
  if (wake_ups.background) places_.wake_background();
  if (wake_ups.sleeper != nullptr) places_.wake(*wake_ups.sleeper);
}

bool Handover::on_background_woke() {
  const bool woken = doorbell_.background_woke();
  if (woken) places_.take_back_background_wake_up();
  return woken;
}

} // namespace datum
