// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "core/endpoint/connect_attempt.h"

#include <algorithm>
#include <new>

#include "core/object/adapter_context.h"

namespace datum {
namespace {

constexpr Duration kFirstPause = kMillisecond;
constexpr Duration kLongestPause = 20 * kMillisecond;

} // namespace

ConnectAttempt::ConnectAttempt(AdapterContext& adapter, const ConnectTarget& question,
                               ChannelEvents& events, Connector& connector)
    : adapter_(adapter), events_(events), connector_(connector), address_(question.address),
      qualifier_(question.qualifier), data_(question.data.begin(), question.data.end()),
      options_(question.options), pause_(kFirstPause) {}

Result<std::unique_ptr<Channel>> ConnectAttempt::ask() {
  asked_ = adapter_.progress().now();
  return adapter_.transport().connect(address_, qualifier_, data_, events_, options_);
}

bool ConnectAttempt::ask_later() {
  const Instant now = adapter_.progress().now();
  if (patient_until_ == kNever) {
    patient_until_ = now + adapter_.connect_grace();
    // The last answer has to come before the consumer's time limit. Otherwise the consumer would
    // get the event of a timeout, not that of the refusal.
    const Duration answer_takes = now - asked_;
    if (options_.deadline != kNever)
      patient_until_ = std::min(patient_until_, now + (options_.deadline - now - answer_takes) / 2);
  }
  if (now >= patient_until_) return false;
  adapter_.timers().arm(*this, std::min(now + pause_, patient_until_));
  adapter_.progress().wake();
  pause_ = std::min(2 * pause_, kLongestPause);
  return true;
}

void ConnectAttempt::on_expired(Instant now) {
  if (auto channel = ask_again()) {
    connector_.on_asked_again(std::move(channel));
    adapter_.progress().wake();
  } else {
    // No peer was asked: memory or descriptors were lacking, or an old channel is not gone yet.
    // That is no refusal by a peer, so try again until the consumer's time limit.
    adapter_.timers().arm(*this, now + pause_);
  }
}

// A timer must not throw. AdapterContext::retire() has room for one channel per connector until the
// lock is given up. So a new channel is made only once no retired channel is left.
std::unique_ptr<Channel> ConnectAttempt::ask_again() {
  if (adapter_.has_retired()) return nullptr;
  try {
    auto channel = ask();
    return channel ? std::move(*channel) : nullptr;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

} // namespace datum
