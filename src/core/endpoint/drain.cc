// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "core/endpoint/drain.h"

#include <algorithm>

#include "base/assertion.h"

namespace datum {
namespace {

// How often a drain checks for progress before it gives up.
constexpr int kLooksWhileDraining = 8;

} // namespace

void Drain::begin(Channel& channel) {
  DATUM_ASSERT(!requests_.empty());
  channel_ = &channel;
  requests_.drain();
  go_on();
  adapter_.progress().wake(); // a sleeping thread does not know of this deadline
}

void Drain::on_requests_retired() {
  if (requests_.empty())
    whole_.on_drained();
  else if (requests_.retired() != retired_)
    go_on();
}

// Gives the oldest request the whole drain_patience().
void Drain::go_on() {
  retired_ = requests_.retired();
  waits_for_receive(); // called now, so that the first check sees only later progress
  const Instant now = adapter_.progress().now();
  ends_ = now + adapter_.drain_patience();
  adapter_.timers().arm(*this, now + between_looks());
}

// A request that was posted just before the disconnect still makes progress after it. That must not
// double the time. So the time runs from the check before the one that found progress.
void Drain::on_expired(Instant now) {
  const Duration step = between_looks();
  if (!waits_for_receive()) ends_ = now - step + adapter_.drain_patience();
  if (now >= ends_)
    whole_.on_drained();
  else
    adapter_.timers().arm(*this, std::min(now + step, ends_));
}

Duration Drain::between_looks() const {
  return adapter_.drain_patience() / kLooksWhileDraining;
}

bool Drain::waits_for_receive() {
  return !requests_.empty() && channel_->waits_for_receive(takes_receive(requests_.oldest()));
}

} // namespace datum
