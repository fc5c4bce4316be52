// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "registry/static_registry.h"

#include <algorithm>
#include <utility>

#include "registry/conf/interfaces.h"

namespace datum::registry {

StaticRegistry::StaticRegistry(conf::Document<conf::Entry> file, std::string file_name,
                               Interfaces interfaces)
    : file_name_(std::move(file_name)), interfaces_(interfaces) {
  MutexLock lock(mutex_);
  for (conf::Entry& line : file.entries) add_line(line);
}

void StaticRegistry::add_line(conf::Entry& line) {
  conf::ProviderFields& p = line.provider;
  if (p.api_type != 'u') return;
  if (p.api_major != DAT_VERSION_MAJOR) {
    if (line.selectable()) other_majors_.insert(std::move(line.ia_name));
    return;
  }
  if (line.ia_name == conf::kAllAddressesName) lists_built_in_ = false;
  if (!line.selectable()) return;
  auto& entry = offers_[line.ia_name][{p.api_minor, p.thread_safe}];
  if (!entry) {
    entry = std::make_unique<StaticEntry>(
        Key{std::move(line.ia_name), p.api_major, p.api_minor, p.thread_safe});
    lines_.push_back(entry.get());
  }
  entry->append({&file_name_, line.line, std::move(p.library), std::move(p.instance_data)});
}

void StaticRegistry::add_built_in() {
  for (const std::string& name : conf::datum_ia_names(interfaces_())) {
    if (offers_.contains(name)) continue;
    Offers both;
    for (const bool thread_safe : {false, true}) {
      auto entry = std::make_unique<StaticEntry>(
          Key{name, DAT_VERSION_MAJOR, DAT_VERSION_MINOR, thread_safe});
      entry->append({nullptr, 0, kBuiltInLibrary, ""});
      both.emplace(Offer{DAT_VERSION_MINOR, thread_safe}, std::move(entry));
    }
    offers_.emplace(name, std::move(both));
  }
}

StaticEntry* StaticRegistry::find(const Key& request, Matcher& matcher) {
  MutexLock lock(mutex_);
  if (!offers_.contains(request.name)) add_built_in();
  if (other_majors_.contains(request.name)) matcher.consider_other_majors();
  const auto found = offers_.find(request.name);
  if (found == offers_.end()) return nullptr;
  StaticEntry* best = nullptr;
  for (const auto& [offer, entry] : found->second)
    if (matcher.consider(entry->key())) best = entry.get();
  return best;
}

bool StaticRegistry::has(const std::string& name) const {
  return offers_.contains(name) || other_majors_.contains(name);
}

bool StaticRegistry::holds_name(const std::string& name) {
  MutexLock lock(mutex_);
  if (!has(name)) add_built_in();
  return has(name);
}

bool StaticRegistry::is_built_in(const std::string& name) const {
  const std::vector<std::string> names = conf::datum_ia_names(interfaces_());
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<Key> StaticRegistry::listed() {
  MutexLock lock(mutex_);
  std::vector<Key> keys;
  keys.reserve(lines_.size() + 1);
  // The IA "datum" is listed as not thread-safe, as most lines of other providers are. It can be
  // opened with either thread safety.
  if (lists_built_in_)
    keys.push_back(
        {std::string(conf::kAllAddressesName), DAT_VERSION_MAJOR, DAT_VERSION_MINOR, false});
  for (const StaticEntry* line : lines_) keys.push_back(line->key());
  return keys;
}

} // namespace datum::registry
