// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "facade/open_ias.h"

#include <algorithm>

#include "base/assertion.h"

namespace datum {

OpenIas& OpenIas::instance() {
  // Never destroyed, because threads may be inside a call while the process exits.
  static auto& only = *new OpenIas;
  return only;
}

IaControl& OpenIas::take() {
  const MutexLock lock(mutex_);
  if (resting_.size() <= kResting) {
    open_.reserve(controls_ + 1);
    resting_.reserve(controls_ + 1);
    auto* fresh = new IaControl;
    ++controls_;
    return *fresh;
  }
  IaControl& oldest = *resting_.front();
  resting_.erase(resting_.begin());
  return oldest;
}

void OpenIas::give_back(IaControl& control) {
  const MutexLock lock(mutex_);
  DATUM_ASSERT(resting_.size() < resting_.capacity());
  resting_.push_back(&control);
}

void OpenIas::add(IaControl& control) {
  const MutexLock lock(mutex_);
  DATUM_ASSERT(open_.size() < open_.capacity());
  open_.push_back(&control);
}

void OpenIas::remove(IaControl& control) {
  const MutexLock lock(mutex_);
  std::erase(open_, &control);
}

std::vector<AsyncBinding> OpenIas::async_evds(std::string_view ia_name) {
  const MutexLock lock(mutex_);
  std::vector<AsyncBinding> evds;
  for (const IaControl* control : open_) {
    const AsyncBinding& async = control->async();
    if (async.evd == nullptr || control->registration().ia_name != ia_name) continue;
    const auto same = [&](const AsyncBinding& other) {
      return other.evd == async.evd && other.key == async.key;
    };
    if (std::none_of(evds.begin(), evds.end(), same)) evds.push_back(async);
  }
  return evds;
}

IaControl* OpenIas::find_closable(const Registration& registration) {
  const MutexLock lock(mutex_);
  for (IaControl* control : open_)
    if (&control->registration() == &registration && !control->calls_out_here()) return control;
  return nullptr;
}

} // namespace datum
