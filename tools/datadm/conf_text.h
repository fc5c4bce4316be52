// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// datadm/conf_text.h: adds entries to the text of a dat.conf, and removes some.
// Lives here: which lines belong to a device, which are added and which removed. Comments, bad
//             lines and lines of other providers stay as they are.
// Not here:   files (conf_rewrite.h), how many adapters there are (adapters.h).
// Pure, except for the calls of Adapters.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "datadm/adapters.h"
#include "registry/conf/dat_conf.h"

namespace datum::datadm {

class ConfText {
 public:
  explicit ConfText(std::string_view text);

  // A line that was added or removed is returned as "ibd0 u1.2 threadsafe".

  // Adds a line for each adapter of the device that has no such line yet.
  std::vector<std::string> add(const conf::ServiceEntry& service, const Adapters& adapters);
  // Removes the lines that have the device, library and provider version of one of the services.
  std::vector<std::string> remove(const std::vector<conf::ServiceEntry>& services);

  struct Changes {
    std::vector<std::string> added, removed;
    std::vector<std::string> absent; // devices of which this host has no adapter
  };
  // For every device that has lines: adds lines for new adapters and removes the lines of vanished
  // adapters. A line whose last field names no device was not made by datadm and stays.
  Changes update(const Adapters& adapters);

  std::string text() const;
  const std::vector<conf::Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  struct Line {
    std::string text;
    bool is_entry = false;
    conf::Entry entry;
    bool has_newline = true; // false: it is the last line of a file that ends without a newline
  };

  std::vector<conf::ServiceEntry> services() const;
  template <class Predicate>
  std::vector<std::string> drop(Predicate goes);

  std::vector<Line> lines_;
  std::set<std::string> present_; // the entries, each as datadm would write it
  std::vector<conf::Diagnostic> diagnostics_;
};

} // namespace datum::datadm
