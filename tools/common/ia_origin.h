// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// common/ia_origin.h: where an interface adapter comes from: a line of dat.conf, or built in.
// Not here: whether it opens, and why not (ia_obstacle.h).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "registry/conf/dat_conf.h"

namespace datum::tools {

// True: the registry of this process is another maker's. Such a registry has no built-in adapters,
// does not know DATUM_ALIAS, and reads only /etc/dat.conf.
bool registry_is_foreign();

// The file that the registry reads, if the registry sees the environment of this process.
struct ConfFile {
  std::string path;
  bool overridden = false; // DAT_OVERRIDE names it
  bool present = false;
  std::string error; // why it cannot be read
  conf::Document<conf::Entry> document;
  bool permissions = false; // true: its permissions are the cause
};
ConfFile read_conf_file();

struct IaOrigin {
  bool known = false;                          // a line names it, or it is built in
  std::string text = "registered at run time"; // "/etc/dat/dat.conf:3", "built in"
  // The name that the registry gives to the loader; empty: unknown.
  std::string library;
  // The network interface or address that Datum's provider looks for. An empty text means any. No
  // value: the line is for another provider.
  std::optional<std::string> place;
  bool is_built_in = false;
};

// Finds the origins of any number of adapters in one file, which has to outlive this object.
class Origins {
 public:
  explicit Origins(const ConfFile& file);
  IaOrigin of(const std::string& ia, unsigned major, unsigned minor) const;
  // Datum's built-in adapters for this host, even those that lines replace. Another maker's
  // registry has none.
  const std::vector<std::string>& built_in() const { return built_in_; }

 private:
  using Key = std::tuple<std::string_view, unsigned, unsigned>;

  const ConfFile& file_;
  std::map<Key, const conf::Entry*> lines_; // the first line of each key
  std::vector<std::string> built_in_;
};

// The IA that the registry uses when a program asks for `name`.
std::string asked_for(const ConfFile& file, const std::string& name);

} // namespace datum::tools
