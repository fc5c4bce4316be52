// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "registry/conf/aliases.h"

#include "base/variables.h"

namespace datum::conf {

Aliases Aliases::parse(std::string_view text, std::vector<std::string>& bad) {
  Aliases aliases;
  each_alias(text, [&](std::string_view part) {
    const auto alias = parse_alias(part);
    if (!alias)
      bad.emplace_back(part);
    else if (alias->first == "*")
      aliases.for_unknown_ = alias->second;
    else
      aliases.pairs_.emplace_back(alias->first, alias->second);
  });
  return aliases;
}

std::optional<std::string> Aliases::find(const std::string& name) const {
  for (const auto& [alias, ia] : pairs_)
    if (alias == name) return ia;
  return std::nullopt;
}

} // namespace datum::conf
