// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "info/check_environment.h"

#include <algorithm>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/variables.h"
#include "common/dat.h"
#include "registry/conf/aliases.h"

namespace datum::info {
namespace {

using Findings = std::vector<Finding>;

// dat-cp reads this variable, so it is no fault.
constexpr std::string_view kTokenOfDatCp = "DAT_CP_TOKEN";

const VariableInfo* known_variable(const std::string& name) {
  const auto all = variables();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const VariableInfo& info) { return info.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::string all_settings() {
  std::vector<std::string_view> names;
  for (const VariableInfo& info : variables()) names.emplace_back(info.name);
  return fmt::format("use one of {}", fmt::join(names, ", "));
}

// Reports a name in DATUM_ALIAS that dat_ia_open() cannot find. judge_adapters() reports whether
// the IA for a name opens.
void judge_alias(const std::string& value, const std::string& name, const std::string& ia,
                 const std::vector<Adapter>& adapters, Findings& out) {
  constexpr std::string_view kPrefix = conf::kRelaxedOrderingPrefix;
  const auto has_name = [&](const Adapter& adapter) {
    return adapter.name == name && adapter.major == DAT_VERSION_MAJOR;
  };
  if (name.starts_with(kPrefix))
    out.push_back({Grade::Problem, "environment",
                   fmt::format("DATUM_ALIAS={}: no program can ask for {}: dat_ia_open takes {} "
                               "off and looks for \"{}\"",
                               value, name, kPrefix, name.substr(kPrefix.size())),
                   fmt::format("name it without {} in DATUM_ALIAS, or leave it out", kPrefix)});
  else if (ia == name && std::none_of(adapters.begin(), adapters.end(), has_name))
    out.push_back({Grade::Problem, "environment",
                   fmt::format("DATUM_ALIAS={}: {} stands for itself, and no adapter is called so: "
                               "programs that ask for {} find none",
                               value, name, name == "*" ? "a name that is not known" : "it"),
                   step_for_alias(name)});
}

// Judges each name in DATUM_ALIAS. Also reports a name that occurs more than once with different
// adapters, because only one of them is used.
void judge_aliases(const std::string& value, const std::vector<Adapter>& adapters, Findings& out) {
  std::vector<std::string> bad;
  const conf::Aliases aliases = conf::Aliases::parse(value, bad);
  std::set<std::string> seen, ambiguous;
  each_alias(value, [&](std::string_view part) {
    const auto alias = parse_alias(part);
    if (!alias) return;
    const std::string name(alias->first);
    const std::string answers =
        name == "*" ? aliases.for_unknown().value_or("") : aliases.find(name).value_or("");
    if (seen.insert(name).second) judge_alias(value, name, answers, adapters, out);
    if (answers == alias->second || !ambiguous.insert(name).second) return;
    out.push_back({Grade::Problem, "environment",
                   fmt::format("DATUM_ALIAS={}: {} is there more than once; {} answers to it",
                               value, name, answers),
                   fmt::format("leave one {}=... in DATUM_ALIAS", name)});
  });
}

void judge_variable(const VariableInfo& info, const std::string& value,
                    const std::vector<Adapter>& adapters, Findings& out) {
  const std::string setting = fmt::format("{}={}", info.name, value);
  if (!is_understood(info.variable, value))
    out.push_back({Grade::Problem, "environment",
                   fmt::format("{}: not {}; {}", setting, info.expected, info.instead),
                   fmt::format("set {} to {}, or unset it", info.name, info.expected)});
  else if (value.empty() && info.empty_is_unset)
    out.push_back({Grade::Note, "environment", setting + " is empty: as if it were not set", {}});
  else
    out.push_back({Grade::Note, "environment", setting + " is set", {}});
  if (info.variable == Variable::Alias) judge_aliases(value, adapters, out);
}

} // namespace

std::string step_for_alias(const std::string& name) {
  return fmt::format("have DATUM_ALIAS name an adapter that dat-info lists, or leave {} out", name);
}

// The value is shown only for Datum's variables, because another program's value can be a secret.
void judge_environment(const Facts& facts, std::vector<Finding>& out) {
  for (const auto& [name, value] : facts.environment) {
    if (const VariableInfo* const info = known_variable(name))
      judge_variable(*info, value, facts.adapters, out);
    else if (name.starts_with("DATUM_"))
      out.push_back({Grade::Problem, "environment",
                     fmt::format("{}={}: no such setting", name, value), all_settings()});
    else if (name != kTokenOfDatCp)
      out.push_back(
          {Grade::Note, "environment", name + " is set; Datum's libraries do not read it", {}});
  }
}

} // namespace datum::info
