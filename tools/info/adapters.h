// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// info/adapters.h: which interface adapters there are, where each comes from, whether it opens.
// Not here: what an open one can do (attributes.h), what is wrong with the machine (check.h).
#pragma once

#include <string>
#include <vector>

#include "common/dat_handle.h"
#include "common/ia_obstacle.h"
#include "common/ia_origin.h"

namespace datum::info {

using tools::ConfFile;
using tools::Obstacle;

struct Adapter {
  std::string name;
  unsigned major = 0, minor = 0;
  bool any_thread_safety = false; // offered to thread-safe and other programs
  bool thread_safe = false;
  bool listed = true; // by dat_registry_list_providers of this version
  tools::IaOrigin origin;
  bool by_alias = false; // DATUM_ALIAS has another one answer to this name
  bool tried = true;     // those of another DAT version are not
  bool opens = false;
  Obstacle obstacle = Obstacle::None;
  std::string address;
  std::string library_path; // the file that serves it; empty: it does not open
  std::string state;        // "opens", or why not
  // Which way connections take, in its provider's words; empty: it does not tell.
  std::string to_this_host, to_other_hosts, path_reason;
};

// What the registry lists, in its order, then the other built-in ones, then lines for programs of
// other DAT versions; each name and version once. also: names that are in no list, and are there
// if DATUM_ALIAS has an adapter answer to them.
std::vector<Adapter> list_adapters(const ConfFile& file, const std::vector<std::string>& also = {});

// Those of Datum's providers, then the others; each in the order that they have.
void put_own_first(std::vector<Adapter>& adapters);

// Of another provider, and does not open here, or was not tried.
bool is_foreign(const Adapter& adapter);

// A distribution's dat.conf names whatever there is anywhere: takes out the foreign ones, unless
// there is one alone.
std::vector<Adapter> take_foreign(std::vector<Adapter>& adapters);
// What they are, in one line: how many, for which DAT version, which libraries.
std::string text_of_foreign(const std::vector<Adapter>& foreign);

// Opens it to see; fills what is below `opens`.
void try_open(Adapter& adapter);

DAT_RETURN open_adapter(const Adapter& adapter, DAT_IA_HANDLE& ia);

} // namespace datum::info
