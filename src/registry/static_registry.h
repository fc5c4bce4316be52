// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// registry/static_registry.h: every IA that a program could open, from dat.conf and built in.
// Lives here: the entries, equal keys chained; which one answers a request; which are listed.
// Not here:   loading (static_entry.h), names that providers registered (dynamic_registry.h).
// Threads:    any; entries are added, never removed or changed.
//
// Datum's own IAs need no file: "datum" (every address of this host) and "datum-<netdev>" for each
// interface with an address, with both thread-safety keys. A dat.conf line for the same name and
// API major version replaces them. Three decisions follow from this:
//   * dat_registry_list_providers lists the lines of the file and, of the built-in IAs, "datum"
//     alone: programs open every listed name. A missing dat.conf is no DAT_INTERNAL_ERROR, since
//     "datum" is there;
//   * a nondefault line for "datum" hides the built-in one from the list, and from nothing else;
//   * DAT_OVERRIDE naming a file that cannot be read gives one message and no second choice of
//     file; the built-in IAs remain.
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
  // file_name: for messages. interfaces: called whenever a name is not found, since interfaces come
  // and go.
  using Interfaces = std::vector<std::string> (*)();
  StaticRegistry(conf::Document<conf::Entry> file, std::string file_name, Interfaces interfaces);

  // The best match. Null: there is none, and matcher.miss() tells why.
  StaticEntry* find(const Key& request, Matcher& matcher);
  bool holds_name(const std::string& name);
  // True: Datum offers an IA of that name on this host. A line of the file may still replace it.
  bool is_built_in(const std::string& name) const;
  // The keys that programs are shown: of this major API version, each once.
  std::vector<Key> listed();

 private:
  // The rest of a key: minor version and thread safety. Ordered, so that no file makes a search
  // slow by its names.
  using Offer = std::tuple<std::uint32_t, bool>;
  using Offers = std::map<Offer, std::unique_ptr<StaticEntry>>;

  void add_line(conf::Entry& line) DATUM_REQUIRES(mutex_);
  void add_built_in() DATUM_REQUIRES(mutex_);
  bool has(const std::string& name) const DATUM_REQUIRES(mutex_);

  const std::string file_name_;
  const Interfaces interfaces_;
  Mutex mutex_;
  std::map<std::string, Offers> offers_ DATUM_GUARDED_BY(mutex_);
  // Names with lines of other major versions: known, but never opened here.
  std::set<std::string> other_majors_ DATUM_GUARDED_BY(mutex_);
  std::vector<const StaticEntry*> lines_ DATUM_GUARDED_BY(mutex_); // in the order of the file
  bool lists_built_in_ DATUM_GUARDED_BY(mutex_) = true; // the file has no line for "datum"
};

} // namespace datum::registry
