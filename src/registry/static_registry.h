// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// registry/static_registry.h: every IA that a program could open, from dat.conf and built in.
// Lives here: the entries, in file order, equal keys chained; which one answers a request.
// Not here:   loading (static_entry.h), names that providers registered (dynamic_registry.h).
// Threads:    any; entries are added, never removed or changed.
//
// Datum's own IAs need no file: "datum" (every address of this host) and "datum-<netdev>" for each
// interface with an address, with both thread-safety keys. A dat.conf line for the same name and
// API major version replaces them. Two decisions follow from this:
//   * dat_registry_list_providers lists entries of the file and built-in ones, so a missing
//     dat.conf is no DAT_INTERNAL_ERROR: the registry is never empty;
//   * DAT_OVERRIDE naming a file that cannot be read gives one message and no second choice of
//     file; the built-in IAs remain.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "registry/conf/dat_conf.h"
#include "registry/key.h"
#include "registry/static_entry.h"

namespace datum::registry {

class StaticRegistry {
 public:
  // file_name: for messages. interfaces: asked whenever a name is not found or names are listed,
  // since interfaces come and go.
  using Interfaces = std::vector<std::string> (*)();
  StaticRegistry(const conf::Document<conf::Entry>& file, const std::string& file_name,
                 Interfaces interfaces);

  // The entry that answers best, or null; `matcher` then knows more about why.
  StaticEntry* find(const Key& request, Matcher& matcher);
  bool holds_name(const std::string& name);
  std::vector<Key> keys();

 private:
  StaticEntry* best(Matcher& matcher) DATUM_REQUIRES(mutex_);
  StaticEntry& entry(const Key& key) DATUM_REQUIRES(mutex_);
  bool has(const std::string& name) const DATUM_REQUIRES(mutex_);
  void add_built_in() DATUM_REQUIRES(mutex_);

  const Interfaces interfaces_;
  Mutex mutex_;
  std::vector<std::unique_ptr<StaticEntry>> entries_ DATUM_GUARDED_BY(mutex_);
};

} // namespace datum::registry
