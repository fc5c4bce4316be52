// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "progress/engine.h"

#include "base/assertion.h"
#include "base/no_canary.h"

namespace datum {

DATUM_NO_CANARY bool ProgressEngine::poll() {
  return driver_.poll();
}

void ProgressEngine::kick() {
  DATUM_ASSERT(driver_.handover().has_no_company());
  if (driver_.pending().want()) driver_.handover().kick();
}

// kick() ends every sleep of the background thread but a nap.
void ProgressEngine::hurry() {
  PendingLook& pending = driver_.pending();
  pending.make_urgent();
  kick();
  const Bell& bell = driver_.handover().bell();
  if (bell.waiter_owns() || bell.background() != Bell::Background::Napping) return;
  const Instant by = places_.now() + waiting::kHurry;
  if (pending.must_hurry_nap(by)) places_.hurry_background(by);
}

} // namespace datum
