// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "registry/conf/aliases.h"

namespace datum::conf {

Aliases Aliases::parse(std::string_view text, std::vector<std::string>& bad) {
  Aliases aliases;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view part = text.substr(0, comma);
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos || equals == 0 || equals + 1 == part.size()) {
      if (!part.empty()) bad.emplace_back(part);
      continue;
    }
    std::string name(part.substr(0, equals));
    std::string ia(part.substr(equals + 1));
    if (name == "*")
      aliases.for_unknown_ = std::move(ia);
    else
      aliases.pairs_.emplace_back(std::move(name), std::move(ia));
  }
  return aliases;
}

std::optional<std::string> Aliases::find(const std::string& name) const {
  for (const auto& [alias, ia] : pairs_)
    if (alias == name) return ia;
  return std::nullopt;
}

} // namespace datum::conf
