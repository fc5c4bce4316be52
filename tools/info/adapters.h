// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// info/adapters.h: which interface adapters there are, where each comes from, whether it opens.
// Not here: what an open one can do (attributes.h), what is wrong with the machine (check.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/dat_objects.h"
#include "registry/conf/dat_conf.h"

namespace datum::info {

// The file that the registry reads, as far as this process sees the same environment.
struct ConfFile {
  std::string path;
  bool overridden = false; // DAT_OVERRIDE names it
  bool present = false;
  std::string error; // why it cannot be read
  conf::Document<conf::Entry> document;
};
ConfFile read_conf_file();

// What keeps an adapter from being opened.
enum class Obstacle {
  None,
  Name,      // no program can ask for it
  Library,   // it cannot be loaded, or registers no such adapter
  Interface, // of the network: not there, down, or without an address
  Other,
};

struct Adapter {
  std::string name;
  unsigned major = 0, minor = 0;
  bool any_thread_safety = false; // offered to thread-safe and other programs
  bool thread_safe = false;
  std::string origin;  // "/etc/dat/dat.conf:3", "built in", "registered at run time"
  std::string library; // as the registry asks for it; empty: unknown
  // Of the network, that Datum's provider looks for; empty: any. Nothing: an address is named, or
  // it is another provider's affair.
  std::optional<std::string> interface;
  bool tried = true; // those of another DAT version are not
  bool opens = false;
  Obstacle obstacle = Obstacle::None;
  std::string address;
  std::string state; // "opens", or why not
  // Which way connections take, in its provider's words; empty: it does not tell.
  std::string to_this_host, to_other_hosts, path_reason;
};

// Asks the registry, in its order, each name and version once.
std::vector<Adapter> list_adapters(const ConfFile& file);

// Opens it to see; fills what is below `opens`.
void try_open(Adapter& adapter);

DAT_RETURN open_adapter(const Adapter& adapter, DAT_IA_HANDLE& ia);

} // namespace datum::info
