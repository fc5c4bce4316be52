// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// registry/static_registry.h: every IA that a program could open, from dat.conf and built in.
// Lives here: the entries, one for each key; which entry is used for a request; which entries are
//             listed.
// Not here:   loading (static_entry.h), names that providers registered (dynamic_registry.h).
// Threads:    any. Entries are added, but never removed or changed.
//
// Datum's own IAs are built in and need no file: "datum" (every address of this host), and
// "datum-<netdev>" for each interface with an address. Each has two keys, one for each thread
// safety. A dat.conf line for the same name and API major version replaces the built-in IA. Three
// decisions follow from this:
//   * dat_registry_list_providers lists the lines of the file, but of the built-in IAs only
//     "datum", because some programs open every listed name. If dat.conf is missing, the call does
//     not fail with DAT_INTERNAL_ERROR, since "datum" is listed;
//   * a nondefault line for "datum" hides the built-in IA from the list, but the IA can still be
// opened;
//   * if DAT_OVERRIDE names a file that cannot be read, one message says so, and no other file is
//     tried. The built-in IAs remain.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "base/mutex.h"
#include "registry/conf/dat_conf.h"
#include "registry/key.h"
#include "registry/static_entry.h"

namespace datum::registry {

class StaticRegistry {
 public:
  // `file_name`: for messages. `interfaces`: called whenever a name is not found, since interfaces
  // come and go.
  using Interfaces = std::vector<std::string> (*)();
  StaticRegistry(conf::Document<conf::Entry> file, std::string file_name, Interfaces interfaces);

  // The entry that matches best. Null: no entry matches, and matcher.miss() tells why.
  StaticEntry* find(const Key& request, Matcher& matcher);
  bool holds_name(const std::string& name);
  // True: Datum has a built-in IA of that name on this host. A line of the file may still replace
  // it.
  bool is_built_in(const std::string& name) const;
  // The keys in the list for programs: those of this major API version, each once.
  std::vector<Key> listed();

 private:
  // The part of a key besides the name and the major version: minor version and thread safety. The
  // maps are ordered, not hashed, so no choice of names in a file can make a search slow.
  using Offer = std::tuple<std::uint32_t, bool>;
  using Offers = std::map<Offer, std::unique_ptr<StaticEntry>>;

  void add_line(conf::Entry& line) DATUM_REQUIRES(mutex_);
  void add_built_in() DATUM_REQUIRES(mutex_);
  bool has(const std::string& name) const DATUM_REQUIRES(mutex_);

  const std::string file_name_;
  const Interfaces interfaces_;
  Mutex mutex_;
  std::map<std::string, Offers> offers_ DATUM_GUARDED_BY(mutex_);
  // Names that have lines of other major versions. They are known, but never opened here.
  std::set<std::string> other_majors_ DATUM_GUARDED_BY(mutex_);
  std::vector<const StaticEntry*> lines_ DATUM_GUARDED_BY(mutex_); // in the order of the file
  bool lists_built_in_ DATUM_GUARDED_BY(mutex_) = true; // the file has no line for "datum"
};

} // namespace datum::registry
