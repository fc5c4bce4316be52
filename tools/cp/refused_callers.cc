// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/refused_callers.h"

#include <chrono>
#include <utility>

namespace datum::cp {

using namespace std::chrono_literals;

void RefusedCallers::add(std::unique_ptr<Channel> channel) {
  if (callers_.size() == kMost) callers_.pop_front();
  callers_.push_back({std::move(channel), tools::after(5s)});
}

tools::Deadline RefusedCallers::next_expiry() const {
  return callers_.empty() ? tools::kNever : callers_.front().until;
}

void RefusedCallers::let_go() {
  const auto now = std::chrono::steady_clock::now();
  std::erase_if(callers_,
                [&](Caller& caller) { return caller.until <= now || caller.channel->ended(); });
}

} // namespace datum::cp
