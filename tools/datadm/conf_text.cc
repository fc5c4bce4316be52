// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "datadm/conf_text.h"

#include <map>
#include <utility>

#include <fmt/format.h>

#include "registry/conf/tokens.h"

namespace datum::datadm {
namespace {

conf::Entry entry_for(const std::string& name, const conf::ServiceEntry& service) {
  return {.ia_name = name, .provider = service.provider, .platform_data = service.device};
}

// The device and its provider as text: the line without its IA name, which is the same for all
// adapters of the device.
std::string service_key(conf::Entry entry) {
  entry.ia_name.clear();
  return conf::format_line(entry);
}

// The fields by which a line belongs to a service that is removed.
std::string removal_key(const std::string& device, const conf::ProviderFields& provider) {
  return conf::in_quotes(device) + conf::in_quotes(provider.library) +
         conf::in_quotes(provider.provider_version);
}

// The name alone does not identify a line: it may have one for each API version and thread safety.
std::string label_of(const conf::Entry& entry) {
  const conf::ProviderFields& p = entry.provider;
  return fmt::format("{} {}{}.{} {}", entry.ia_name, p.api_type, p.api_major, p.api_minor,
                     p.thread_safe ? "threadsafe" : "nonthreadsafe");
}

} // namespace

ConfText::ConfText(std::string_view text) {
  conf::Document<conf::Entry> document = conf::parse_dat_conf(text);
  diagnostics_ = std::move(document.diagnostics);
  const bool ends_with_newline = text.ends_with('\n');
  while (!text.empty()) lines_.push_back({.text = std::string(conf::take_line(text)), .entry = {}});
  if (lines_.empty()) return;
  lines_.back().has_newline = ends_with_newline;
  for (conf::Entry& entry : document.entries) {
    Line& line = lines_[entry.line - 1];
    line.is_entry = true;
    present_.insert(conf::format_line(entry));
    line.entry = std::move(entry);
  }
}

std::string ConfText::text() const {
  std::string out;
  for (const Line& line : lines_) {
    out += line.text;
    if (line.has_newline || &line != &lines_.back()) out += '\n';
  }
  return out;
}

std::vector<std::string> ConfText::add(const conf::ServiceEntry& service,
                                       const Adapters& adapters) {
  std::vector<std::string> added;
  for (const std::string& name : adapters(service.device)) {
    conf::Entry entry = entry_for(name, service);
    std::string line = conf::format_line(entry);
    if (!present_.insert(line).second) continue;
    added.push_back(label_of(entry));
    lines_.push_back({std::move(line), true, std::move(entry)});
  }
  return added;
}

template <class Predicate>
std::vector<std::string> ConfText::drop(Predicate goes) {
  std::vector<std::string> removed;
  std::erase_if(lines_, [&](const Line& line) {
    if (!line.is_entry || !goes(line.entry)) return false;
    present_.erase(conf::format_line(line.entry));
    removed.push_back(label_of(line.entry));
    return true;
  });
  return removed;
}

std::vector<std::string> ConfText::remove(const std::vector<conf::ServiceEntry>& services) {
  std::set<std::string> keys;
  for (const conf::ServiceEntry& service : services)
    keys.insert(removal_key(service.device, service.provider));
  return drop([&](const conf::Entry& entry) {
    return keys.contains(removal_key(entry.platform_data, entry.provider));
  });
}

std::vector<conf::ServiceEntry> ConfText::services() const {
  std::vector<conf::ServiceEntry> services;
  std::set<std::string> known;
  for (const Line& line : lines_) {
    if (!line.is_entry || !is_device(line.entry.platform_data)) continue;
    if (!known.insert(service_key(line.entry)).second) continue;
    services.push_back({.device = line.entry.platform_data, .provider = line.entry.provider});
  }
  return services;
}

ConfText::Changes ConfText::update(const Adapters& adapters) {
  Changes changes;
  // A device may have many services. Its adapters are searched only once.
  std::map<std::string, std::vector<std::string>> here;
  std::set<std::string> wanted;
  const std::vector<conf::ServiceEntry> all = services();
  for (const conf::ServiceEntry& service : all) {
    const auto [found, is_new] = here.try_emplace(service.device);
    if (is_new) found->second = adapters(service.device);
    if (is_new && found->second.empty()) changes.absent.push_back(service.device);
    for (const std::string& name : found->second)
      wanted.insert(conf::format_line(entry_for(name, service)));
  }
  changes.removed = drop([&](const conf::Entry& entry) {
    return is_device(entry.platform_data) && !wanted.contains(conf::format_line(entry));
  });
  const Adapters known = [&](const std::string& device) { return here.at(device); };
  for (const conf::ServiceEntry& service : all) {
    const auto fresh = add(service, known);
    changes.added.insert(changes.added.end(), fresh.begin(), fresh.end());
  }
  return changes;
}

} // namespace datum::datadm
