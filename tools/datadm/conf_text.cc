// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "datadm/conf_text.h"

#include <algorithm>

#include "registry/conf/tokens.h"

namespace datum::datadm {
namespace {

bool is_of(const conf::Entry& entry, const conf::ServiceEntry& service) {
  return entry.platform_data == service.device && entry.provider == service.provider;
}

bool corresponds(const conf::Entry& entry, const conf::ServiceEntry& service) {
  return entry.platform_data == service.device &&
         entry.provider.library == service.provider.library &&
         entry.provider.provider_version == service.provider.provider_version;
}

} // namespace

ConfText::ConfText(std::string_view text) {
  conf::Document<conf::Entry> document = conf::parse_dat_conf(text);
  diagnostics_ = std::move(document.diagnostics);
  while (!text.empty()) lines_.push_back({.text = std::string(conf::take_line(text)), .entry = {}});
  for (conf::Entry& entry : document.entries) {
    Line& line = lines_[entry.line - 1];
    line.is_entry = true;
    line.entry = std::move(entry);
  }
}

std::string ConfText::text() const {
  std::string out;
  for (const Line& line : lines_) out += line.text + '\n';
  return out;
}

std::vector<std::string> ConfText::add(const conf::ServiceEntry& service,
                                       const Adapters& adapters) {
  std::vector<std::string> added;
  for (const std::string& name : adapters(service.device)) {
    const bool present = std::any_of(lines_.begin(), lines_.end(), [&](const Line& line) {
      return line.is_entry && line.entry.ia_name == name && is_of(line.entry, service);
    });
    if (present) continue;
    conf::Entry entry{
        .ia_name = name, .provider = service.provider, .platform_data = service.device};
    lines_.push_back({conf::format_line(entry), true, std::move(entry)});
    added.push_back(name);
  }
  return added;
}

template <class Predicate>
std::vector<std::string> ConfText::drop(Predicate goes) {
  std::vector<std::string> removed;
  std::erase_if(lines_, [&](const Line& line) {
    if (!line.is_entry || !goes(line.entry)) return false;
    removed.push_back(line.entry.ia_name);
    return true;
  });
  return removed;
}

std::vector<std::string> ConfText::remove(const conf::ServiceEntry& service) {
  return drop([&](const conf::Entry& entry) { return corresponds(entry, service); });
}

std::vector<conf::ServiceEntry> ConfText::services() const {
  std::vector<conf::ServiceEntry> services;
  for (const Line& line : lines_) {
    if (!line.is_entry || !is_device(line.entry.platform_data)) continue;
    const bool known = std::any_of(services.begin(), services.end(),
                                   [&](const auto& s) { return is_of(line.entry, s); });
    if (!known)
      services.push_back({.device = line.entry.platform_data, .provider = line.entry.provider});
  }
  return services;
}

ConfText::Changes ConfText::update(const Adapters& adapters) {
  Changes changes;
  for (const conf::ServiceEntry& service : services()) {
    const std::vector<std::string> present = adapters(service.device);
    if (present.empty() && (changes.absent.empty() || changes.absent.back() != service.device))
      changes.absent.push_back(service.device);
    const auto gone = drop([&](const conf::Entry& entry) {
      return is_of(entry, service) &&
             std::find(present.begin(), present.end(), entry.ia_name) == present.end();
    });
    changes.removed.insert(changes.removed.end(), gone.begin(), gone.end());
    const auto fresh = add(service, adapters);
    changes.added.insert(changes.added.end(), fresh.begin(), fresh.end());
  }
  return changes;
}

} // namespace datum::datadm
