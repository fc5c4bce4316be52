// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// registry/conf/aliases.h: DATUM_ALIAS=name=ia,...: other names for IAs, for programs that ask for
// "ib0". Pure. The name "*" stands for every name that is not known otherwise.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace datum::conf {

class Aliases {
 public:
  // Parts that are not name=ia are left out and handed back in `bad`.
  static Aliases parse(std::string_view text, std::vector<std::string>& bad);

  // What is asked for instead of name, if it is listed.
  std::optional<std::string> find(const std::string& name) const;
  // What is asked for instead of an unknown name.
  const std::optional<std::string>& for_unknown() const { return for_unknown_; }

 private:
  std::vector<std::pair<std::string, std::string>> pairs_;
  std::optional<std::string> for_unknown_;
};

} // namespace datum::conf
