// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "progress/engine.h"

#include "base/assertion.h"
#include "base/no_canary.h"

namespace datum {

DATUM_NO_CANARY bool ProgressEngine::poll() {
  return driver_.poll();
}

void ProgressEngine::wake() {
  DATUM_ASSERT(driver_.handover().is_exclusive());
  if (driver_.pending().want()) driver_.handover().wake();
}

// wake() ends every sleep of the background thread except a backoff, which is shortened here.
void ProgressEngine::wake_promptly() {
  PendingLook& pending = driver_.pending();
  pending.make_urgent();
  wake();
  const Doorbell& doorbell = driver_.handover().doorbell();
  if (doorbell.waiter_owns() || doorbell.background() != Doorbell::Background::BackingOff) return;
  const Instant by = places_.now() + waiting::kPromptWake;
  if (pending.must_shorten_backoff(by)) places_.wake_background_by(by);
}

} // namespace datum
