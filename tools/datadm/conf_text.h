// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// datadm/conf_text.h: a dat.conf as text that entries are added to and removed from.
// Lives here: which lines correspond to a device, what is added, what goes. Comments, bad lines and
//             lines of other providers stay as they are.
// Not here:   files (conf_rewrite.h), how many adapters there are (adapters.h).
// Pure, but for the adapters asked.
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

  // What is added and removed is told as "ibd0 u1.2 threadsafe".

  // A line for each adapter of the device that has none yet. Returns what was added.
  std::vector<std::string> add(const conf::ServiceEntry& service, const Adapters& adapters);
  // The lines of these devices with their libraries and provider versions go. Returns what went.
  std::vector<std::string> remove(const std::vector<conf::ServiceEntry>& services);

  struct Changes {
    std::vector<std::string> added, removed;
    std::vector<std::string> absent; // devices without any adapter here
  };
  // For every device that now has lines: lines for new adapters, none for vanished ones. Lines
  // whose last field names no device were not made by datadm and stay.
  Changes update(const Adapters& adapters);

  std::string text() const;
  const std::vector<conf::Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  struct Line {
    std::string text;
    bool is_entry = false;
    conf::Entry entry;
  };

  std::vector<conf::ServiceEntry> services() const;
  template <class Predicate>
  std::vector<std::string> drop(Predicate goes);

  std::vector<Line> lines_;
  std::set<std::string> present_; // entries, as they would be written
  std::vector<conf::Diagnostic> diagnostics_;
};

} // namespace datum::datadm
