// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// registry/conf/aliases.h: DATUM_ALIAS=name=ia,...: other names for IAs, for programs that ask for
// "ib0". The name "*" stands for every name that is otherwise unknown. This code does no I/O.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace datum::conf {

class Aliases {
 public:
  // Leaves out parts that are not name=ia, and returns them in `bad`.
  static Aliases parse(std::string_view text, std::vector<std::string>& bad);

  // The IA to use instead of `name`, if `name` is listed.
  std::optional<std::string> find(const std::string& name) const;
  // The IA to use instead of an unknown name.
  const std::optional<std::string>& for_unknown() const { return for_unknown_; }

 private:
  std::vector<std::pair<std::string, std::string>> pairs_;
  std::optional<std::string> for_unknown_;
};

} // namespace datum::conf
