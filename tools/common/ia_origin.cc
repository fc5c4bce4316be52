// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "common/ia_origin.h"

#include <algorithm>
#include <cerrno>
#include <dlfcn.h>
#include <filesystem>
#include <span>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include "base/ignored_values.h"
#include "base/variables.h"
#include "common/dat.h"
#include "registry/conf/aliases.h"
#include "registry/conf/conf_file.h"
#include "registry/conf/interfaces.h"

namespace fs = std::filesystem;

namespace datum::tools {
namespace {

// The network interface or address that a line gives Datum. It is in the line's instance data or,
// if they are empty, at the end of the IA's name (dat.conf(5)).
std::optional<std::string> place_of(const std::string& name, const std::string& library,
                                    const std::string& instance_data) {
  constexpr std::string_view kPrefix = "datum-";
  if (!fs::path(library).filename().string().starts_with(kBuiltInLibrary)) return std::nullopt;
  std::string place;
  std::istringstream(instance_data) >> place;
  if (place.empty() && name.starts_with(kPrefix)) place = name.substr(kPrefix.size());
  return place;
}

std::vector<std::string> built_in_names() {
  if (registry_is_foreign()) return {};
  const auto interfaces = conf::interfaces_with_address();
  return conf::datum_ia_names(interfaces.value_or(std::vector<std::string>{}));
}

bool is_one_of(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool has_line(const ConfFile& file, const std::string& name) {
  const auto& entries = file.document.entries;
  return std::any_of(entries.begin(), entries.end(),
                     [&](const conf::Entry& entry) { return entry.ia_name == name; });
}

} // namespace

bool registry_is_foreign() {
  return dlsym(RTLD_DEFAULT, kIgnoredValueIsNews) == nullptr;
}

ConfFile read_conf_file() {
  std::span<const std::string_view> paths = conf::kDefaultPaths;
  if (registry_is_foreign()) paths = {&conf::kForeignPath, 1};
  const conf::Location location = conf::locate(value_of(Variable::ConfFile), paths);
  ConfFile file;
  file.path = location.path;
  file.overridden = location.overridden;
  auto text = conf::read_file(location.path);
  if (!text) {
    file.present = text.error().code != ENOENT;
    file.error = text.error().text;
    file.permissions = text.error().code == EACCES || text.error().code == EPERM;
    return file;
  }
  file.present = true;
  file.document = conf::parse_dat_conf(*text);
  return file;
}

Origins::Origins(const ConfFile& file) : file_(file), built_in_(built_in_names()) {
  for (const conf::Entry& entry : file.document.entries) {
    const conf::ProviderFields& p = entry.provider;
    if (entry.selectable()) lines_.try_emplace({entry.ia_name, p.api_major, p.api_minor}, &entry);
  }
}

IaOrigin Origins::of(const std::string& ia, unsigned major, unsigned minor) const {
  if (const auto found = lines_.find({ia, major, minor}); found != lines_.end()) {
    const conf::Entry& entry = *found->second;
    const conf::ProviderFields& p = entry.provider;
    return {true, fmt::format("{}:{}", file_.path, entry.line), p.library,
            place_of(ia, p.library, p.instance_data)};
  }
  if (is_one_of(built_in_, ia))
    return {true, "built in", kBuiltInLibrary, place_of(ia, kBuiltInLibrary, {}), true};
  return {};
}

std::string asked_for(const ConfFile& file, const std::string& name) {
  if (registry_is_foreign()) return name;
  std::string ia = name;
  if (ia.starts_with(conf::kRelaxedOrderingPrefix))
    ia.erase(0, conf::kRelaxedOrderingPrefix.size());
  const char* const setting = value_of(Variable::Alias);
  std::vector<std::string> bad;
  const conf::Aliases aliases = conf::Aliases::parse(setting == nullptr ? "" : setting, bad);
  if (auto found = aliases.find(ia)) return *found;
  const bool known =
      !aliases.for_unknown() || has_line(file, ia) || is_one_of(built_in_names(), ia);
  return known ? ia : *aliases.for_unknown();
}

} // namespace datum::tools
