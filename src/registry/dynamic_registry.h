// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// registry/dynamic_registry.h: the IA names that providers have registered while the program runs.
// Lives here: registrations, each with a count of its open IAs.
// Not here:   loading libraries (static_entry.h).
// Threads:    any. The lock is never held while a provider's code runs.
#pragma once

#include <vector>

#include "base/mutex.h"
#include "registry/api.h"
#include "registry/key.h"

namespace datum::registry {

// A registration that an open IA uses. If there is none, the id is 0 and the table null.
struct Use {
  std::uint64_t id = 0;
  const DAT_PROVIDER* table = nullptr;
};

class DynamicRegistry {
 public:
  // dat_registry_add_provider and dat_registry_remove_provider; the caller has checked the
  // arguments.
  DAT_RETURN add(const DAT_PROVIDER* table, Key key);
  DAT_RETURN remove(const DAT_PROVIDER* table, const Key& key);

  // Removes the registration of a provider that did not remove it in its fini function.
  void remove_if_idle(const Key& key);

  bool holds(const Key& key) const;
  bool holds_name(const std::string& name) const;

  // Counts one open IA for the registration with exactly this key, or for the best match. Without a
  // match, matcher.miss() tells why.
  Use use_exact(const Key& key);
  Use use_best(Matcher& matcher);
  void release(std::uint64_t id);

 private:
  struct Registration {
    Key key;
    Use use;
    std::size_t opens = 0;
  };

  mutable Mutex mutex_;
  std::vector<Registration> registrations_ DATUM_GUARDED_BY(mutex_);
  std::uint64_t last_id_ DATUM_GUARDED_BY(mutex_) = 0;
};

} // namespace datum::registry
