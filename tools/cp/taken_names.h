// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/taken_names.h: the names of one destination folder, and which of them this copy uses.
// Some file systems take two names for the same name: "a" and "A", two ways to write one letter, a
// long name and its short form. The second of two such names would replace the file of the first,
// and a name of dat-cp's own could be reached under another spelling. No rule for names finds all
// such cases. So TakenNames finds out from the file system to which entry a name leads.
#pragma once

#include <string>
#include <vector>

namespace datum::cp {

class TakenNames {
 public:
  TakenNames() = default; // for a folder that this copy made, which was empty
  // For a folder that existed before. Must be constructed before this copy puts anything into the
  // folder. Throws FileError; path is for its text.
  TakenNames(int folder, const std::string& path);

  // Called once for each offered path whose last component exists in the folder. Throws
  // std::invalid_argument with the reason if another name of this copy leads to the same entry, or
  // if the entry is dat-cp's own.
  void claim(int folder, const std::string& path);

 private:
  struct Before {
    std::string name;
    bool claimed = false; // an offered name leads to this entry
  };
  Before* find(const std::string& name);

  std::vector<Before> before_; // in ascending order
};

} // namespace datum::cp
