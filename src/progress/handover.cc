// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "progress/handover.h"

#include "base/assertion.h"

namespace datum {

bool Handover::start_polling() {
  if (!bell_.can_start_polling()) return false;
  carry_out(bell_.start_polling());
  static_cast<void>(transport_->set_attention(Attention::Polling)); // the next poll looks anyway
  return true;
}

bool Handover::stop_polling() {
  bell_.stop_polling();
  return transport_->set_attention(Attention::Asleep);
}

void Handover::carry_out(const Pokes& pokes) {
  DATUM_ASSERT(has_no_company());
  if (pokes.owner) places_.poke_owner();
  if (pokes.background) places_.poke_background();
  if (pokes.sleeper != nullptr) places_.wake(*pokes.sleeper);
}

bool Handover::on_background_woke() {
  const bool poked = bell_.background_woke();
  if (poked) places_.take_back_background_poke();
  return poked;
}

} // namespace datum
