// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// info/adapters.h: which interface adapters exist, where each comes from, and whether it opens.
// Not here:   the attributes of an open adapter (attributes.h), faults of the machine (check.h).
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
  bool any_thread_safety = false; // offered to programs with and without thread safety
  bool thread_safe = false;
  bool listed = true; // dat_registry_list_providers() of this version lists it
  tools::IaOrigin origin;
  bool by_alias = false; // DATUM_ALIAS gives another IA for this name
  bool tried = true;     // false: it is for another DAT version, so opening it was not tried
  bool opens = false;
  Obstacle obstacle = Obstacle::None;
  std::string address;
  std::string library_path; // the file of its provider; empty: it does not open
  std::string state;        // "opens", or the reason why it does not
  // The path of connections, in the provider's words; empty: the provider does not tell.
  std::string to_this_host, to_other_hosts, path_reason;
};

// The adapters in this order: those that the registry lists, other built-in adapters, and those of
// lines for other DAT versions. Each name and version appears once. also: further names, which are
// added if DATUM_ALIAS gives an IA for them.
std::vector<Adapter> list_adapters(const ConfFile& file, const std::vector<std::string>& also = {});

// Moves the adapters of Datum's providers to the front. The order is otherwise kept.
void put_own_first(std::vector<Adapter>& adapters);

// True: the adapter is of another provider, and does not open here or was not tried.
bool is_foreign(const Adapter& adapter);

// Takes the foreign adapters out of the list, if there are two or more. A distribution's dat.conf
// may name many for hardware that is not here.
std::vector<Adapter> take_foreign(std::vector<Adapter>& adapters);
// One line: how many adapters, for which DAT versions, of which libraries.
std::string text_of_foreign(const std::vector<Adapter>& foreign);

// Opens the adapter, and fills `opens` and the members below it.
void try_open(Adapter& adapter);

DAT_RETURN open_adapter(const Adapter& adapter, DAT_IA_HANDLE& ia);

} // namespace datum::info
