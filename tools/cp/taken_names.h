// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/taken_names.h: the names of one destination folder, and which of them this copy uses.
// Some file systems take two names for one: "a" and "A", two ways to write one letter, a long name
// and its short form. Of two such names the second would replace what came with the first, and a
// name of dat-cp's own could be reached under another spelling. No rule for names finds all such
// cases. So TakenNames asks the file system which entry a name leads to.
#pragma once

#include <string>
#include <vector>

namespace datum::cp {

class TakenNames {
 public:
  TakenNames() = default; // for a folder that this copy made, which was empty
  // For a folder that was there before. Called before this copy puts anything into it. Throws
  // FileError; path is for its text.
  TakenNames(int folder, const std::string& path);

  // Called once for each offered path whose last component exists in the folder. Throws
  // std::invalid_argument with the reason if the entry came with another name of this copy, or is
  // dat-cp's own.
  void claim(int folder, const std::string& path);

 private:
  struct Before {
    std::string name;
    bool claimed = false; // an offered name leads here
  };
  Before* find(const std::string& name);

  std::vector<Before> before_; // in ascending order
};

} // namespace datum::cp
