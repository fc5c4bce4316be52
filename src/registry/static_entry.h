// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// registry/static_entry.h: an IA that could be opened: the libraries that may serve it, and loading
// one of them.
// Lives here: the alternatives of one key, which are tried in order; calling init before the first
//             open of the key, and fini after the last close.
// Threads:    any. The lock of the entry is held while its provider's init and fini run. So a
//             provider may call the registry from there, except to open the same entry.
#pragma once

#include <atomic>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "registry/dynamic_registry.h"
#include "registry/key.h"
#include "registry/provider_library.h"

namespace datum::registry {

struct Alternative {
  const std::string* file = nullptr; // the dat.conf that the alternative comes from; null: built in
  std::size_t line = 0;
  std::string library;
  std::string instance_data;

  std::string origin() const; // "dat.conf:12", for messages
};

class StaticEntry {
 public:
  explicit StaticEntry(Key key) : key_(std::move(key)) {}

  const Key& key() const { return key_; }
  // Called before other threads can see the entry.
  void append(Alternative alternative) { alternatives_.push_back({std::move(alternative)}); }

  // Loads a library that registers a provider for the key, unless one is loaded already. True: the
  // entry counts one more open, which release() takes back. False: no library could be loaded, or
  // none is needed, because the program has registered the key by itself.
  bool acquire(DynamicRegistry& registered);
  void release(DynamicRegistry& registered);

 private:
  struct Choice {
    Alternative alternative;
    bool complained = false;
  };

  bool start(Choice& choice, DynamicRegistry& registered) DATUM_REQUIRES(mutex_);
  void finish(ProviderLibrary& library, DynamicRegistry& registered) DATUM_REQUIRES(mutex_);
  void complain(Choice& choice, const std::string& text, bool told_before = false)
      DATUM_REQUIRES(mutex_);

  const Key key_;
  std::vector<Choice> alternatives_;
  // The thread that is inside init or fini. acquire() must not let that thread wait for itself.
  std::atomic<pid_t> busy_{0};
  Mutex mutex_;
  std::size_t opens_ DATUM_GUARDED_BY(mutex_) = 0;
  ProviderLibrary* library_ DATUM_GUARDED_BY(mutex_) = nullptr;
};

DAT_PROVIDER_INFO to_info(const Key& key);

} // namespace datum::registry
