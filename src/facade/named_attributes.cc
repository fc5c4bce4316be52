// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "facade/named_attributes.h"

#include <map>

#include "base/mutex.h"

namespace datum {
namespace {

struct Kept {
  Mutex mutex;
  std::map<NamedAttributes, std::vector<NamedAttribute>> sets DATUM_GUARDED_BY(mutex);
};

Kept& kept() {
  // Never destroyed, because threads may still read while the process exits.
  static auto& only = *new Kept;
  return only;
}

} // namespace

std::vector<NamedAttribute> pointers_into(const NamedAttributes& attributes) {
  std::vector<NamedAttribute> pointers;
  pointers.reserve(attributes.size());
  for (const auto& [name, value] : attributes) pointers.push_back({name.c_str(), value.c_str()});
  return pointers;
}

std::span<const NamedAttribute> keep_for_good(const NamedAttributes& attributes) {
  const MutexLock lock(kept().mutex);
  const auto [at, fresh] = kept().sets.try_emplace(attributes);
  if (fresh) {
    try {
      at->second = pointers_into(at->first);
    } catch (const std::bad_alloc&) {
      kept().sets.erase(at);
      throw;
    }
  }
  return at->second;
}

} // namespace datum
