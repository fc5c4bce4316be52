// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "core/object/adapter_context.h"

#include "base/assertion.h"

namespace datum {

AdapterContext::AdapterContext(const Environment& environment, Transport& transport)
    : environment_(environment), transport_(transport),
      regions_(transport.region_storage(), environment.random->next()),
      leniencies_(environment.strict) {
  regions_.set_gate(transport.gate());
  TransportHost host;
  host.progress = environment_.progress;
  host.timers = environment_.timers;
  host.regions = &regions_;
  host.random = environment_.random;
  transport_.attach(host);
}

// Reserves twice what is wanted: growing by one would move all retired channels each time.
void AdapterContext::make_room_to_retire() {
  const auto wanted = static_cast<std::size_t>(channel_owners_) + 1;
  if (retired_.capacity() < wanted) retired_.reserve(2 * wanted);
}

void AdapterContext::destroy_retired_channels() {
  // The destructor of one channel may retire another one.
  while (!retired_.empty()) {
    const std::unique_ptr<Channel> doomed = std::move(retired_.back());
    retired_.pop_back();
  }
}

void AdapterContext::count_blocked(std::int32_t change) {
  blocked_ += change;
  DATUM_ASSERT(blocked_ >= 0);
  if (blocked_ == 0 && awaits_unblocked_) progress().signal(unblocked_);
}

void AdapterContext::wait_until_unblocked() {
  awaits_unblocked_ = true;
  while (blocked_ != 0) {
    unblocked_.signalled = false;
    progress().wait(unblocked_, kNever);
  }
}

} // namespace datum
