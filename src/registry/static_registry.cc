// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "registry/static_registry.h"
#include "base/text.h"

#include <algorithm>

#include "registry/conf/interfaces.h"

namespace datum::registry {

StaticRegistry::StaticRegistry(const conf::Document<conf::Entry>& file,
                               const std::string& file_name, Interfaces interfaces)
    : interfaces_(interfaces) {
  MutexLock lock(mutex_);
  for (const conf::Entry& line : file.entries) {
    if (!line.selectable()) continue;
    const conf::ProviderFields& p = line.provider;
    entry({line.ia_name, p.api_major, p.api_minor, p.thread_safe})
        .append({text("{}:{}", file_name, line.line), p.library, p.instance_data});
  }
  add_built_in();
}

StaticEntry& StaticRegistry::entry(const Key& key) {
  for (const auto& known : entries_)
    if (known->key() == key) return *known;
  return *entries_.emplace_back(std::make_unique<StaticEntry>(key));
}

void StaticRegistry::add_built_in() {
  for (const std::string& name : conf::datum_ia_names(interfaces_())) {
    const bool known = std::any_of(entries_.begin(), entries_.end(), [&](const auto& e) {
      return e->key().name == name && e->key().major == DAT_VERSION_MAJOR;
    });
    if (known) continue;
    for (const bool thread_safe : {false, true})
      entry({name, DAT_VERSION_MAJOR, DAT_VERSION_MINOR, thread_safe})
          .append({"built in", kBuiltInLibrary, ""});
  }
}

StaticEntry* StaticRegistry::best(Matcher& matcher) {
  StaticEntry* best = nullptr;
  for (const auto& known : entries_)
    if (matcher.consider(known->key())) best = known.get();
  return best;
}

StaticEntry* StaticRegistry::find(const Key& request, Matcher& matcher) {
  MutexLock lock(mutex_);
  if (!has(request.name)) add_built_in();
  return best(matcher);
}

bool StaticRegistry::has(const std::string& name) const {
  for (const auto& known : entries_)
    if (known->key().name == name) return true;
  return false;
}

bool StaticRegistry::holds_name(const std::string& name) {
  MutexLock lock(mutex_);
  if (!has(name)) add_built_in();
  return has(name);
}

std::vector<Key> StaticRegistry::keys() {
  MutexLock lock(mutex_);
  add_built_in();
  std::vector<Key> keys;
  for (const auto& known : entries_) keys.push_back(known->key());
  return keys;
}

} // namespace datum::registry
