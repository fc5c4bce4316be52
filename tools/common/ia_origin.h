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

// The registry of this process is another maker's: it has no built-in adapters, knows no
// DATUM_ALIAS, and reads /etc/dat.conf alone.
bool registry_is_foreign();

// The file that the registry reads, as far as this process sees the same environment.
struct ConfFile {
  std::string path;
  bool overridden = false; // DAT_OVERRIDE names it
  bool present = false;
  std::string error; // why it cannot be read
  conf::Document<conf::Entry> document;
  bool permissions = false; // it cannot be read because of them
};
ConfFile read_conf_file();

struct IaOrigin {
  bool known = false;                          // by a line, or built in
  std::string text = "registered at run time"; // "/etc/dat/dat.conf:3", "built in"
  std::string library;                         // as the registry asks for it; empty: unknown
  // The interface or the address of the network that Datum's provider looks for; empty: any.
  // Nothing: it is another provider's affair.
  std::optional<std::string> place;
  bool is_built_in = false;
};

// Of one file, which has to outlive it, for as many adapters as there are.
class Origins {
 public:
  explicit Origins(const ConfFile& file);
  IaOrigin of(const std::string& ia, unsigned major, unsigned minor) const;
  // Datum's own adapters for this host, whether or not lines replace them. A registry of another
  // maker has none.
  const std::vector<std::string>& built_in() const { return built_in_; }

 private:
  using Key = std::tuple<std::string_view, unsigned, unsigned>;

  const ConfFile& file_;
  std::map<Key, const conf::Entry*> lines_; // the first of each
  std::vector<std::string> built_in_;
};

// The IA that the registry looks for when a program asks for `name`.
std::string asked_for(const ConfFile& file, const std::string& name);

} // namespace datum::tools
