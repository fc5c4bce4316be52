// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "registry/dynamic_registry.h"

#include <algorithm>

#include "base/assertion.h"

namespace datum::registry {

DAT_RETURN DynamicRegistry::add(const DAT_PROVIDER* table, Key key) {
  MutexLock lock(mutex_);
  for (const Registration& r : registrations_)
    if (r.key == key) return failure(DAT_PROVIDER_ALREADY_REGISTERED, DAT_NO_SUBTYPE);
  registrations_.push_back({std::move(key), Use{++last_id_, table}});
  return DAT_SUCCESS;
}

DAT_RETURN DynamicRegistry::remove(const DAT_PROVIDER* table, const Key& key) {
  MutexLock lock(mutex_);
  const auto found = std::find_if(registrations_.begin(), registrations_.end(),
                                  [&](const Registration& r) { return r.key == key; });
  if (found == registrations_.end()) return invalid_argument(DAT_INVALID_ARG2);
  if (found->use.table != table) return invalid_argument(DAT_INVALID_ARG1);
  if (found->opens > 0) return failure(DAT_PROVIDER_IN_USE, DAT_NO_SUBTYPE);
  registrations_.erase(found);
  return DAT_SUCCESS;
}

void DynamicRegistry::remove_if_idle(const Key& key) {
  MutexLock lock(mutex_);
  std::erase_if(registrations_,
                [&](const Registration& r) { return r.key == key && r.opens == 0; });
}

bool DynamicRegistry::holds(const Key& key) const {
  MutexLock lock(mutex_);
  for (const Registration& r : registrations_)
    if (r.key == key) return true;
  return false;
}

bool DynamicRegistry::holds_name(const std::string& name) const {
  MutexLock lock(mutex_);
  for (const Registration& r : registrations_)
    if (r.key.name == name) return true;
  return false;
}

Use DynamicRegistry::use_exact(const Key& key) {
  MutexLock lock(mutex_);
  for (Registration& r : registrations_) {
    if (r.key != key) continue;
    ++r.opens;
    return r.use;
  }
  return {};
}

Use DynamicRegistry::use_best(Matcher& matcher) {
  MutexLock lock(mutex_);
  Registration* best = nullptr;
  for (Registration& r : registrations_)
    if (matcher.consider(r.key)) best = &r;
  if (best == nullptr) return {};
  ++best->opens;
  return best->use;
}

void DynamicRegistry::release(std::uint64_t id) {
  MutexLock lock(mutex_);
  for (Registration& r : registrations_) {
    if (r.use.id != id) continue;
    DATUM_ASSERT(r.opens != 0);
    --r.opens;
  }
}

} // namespace datum::registry
