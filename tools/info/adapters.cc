// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "info/adapters.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include "common/address.h"
#include "common/dat_error.h"
#include "info/interface.h"
#include "registry/conf/conf_file.h"
#include "registry/conf/interfaces.h"

namespace fs = std::filesystem;

namespace datum::info {
namespace {

constexpr const char* kBuiltInLibrary = "libdatum1.so";

std::vector<DAT_PROVIDER_INFO> registered() {
  DAT_COUNT count = 0;
  // Too little room is refused, and says how much there has to be.
  const DAT_RETURN asked = dat_registry_list_providers(0, &count, nullptr);
  if (asked != DAT_SUCCESS && !tools::is_type(asked, DAT_INVALID_PARAMETER))
    tools::check(asked, "dat_registry_list_providers");
  std::vector<DAT_PROVIDER_INFO> entries(static_cast<std::size_t>(count));
  std::vector<DAT_PROVIDER_INFO*> pointers;
  pointers.reserve(entries.size());
  for (DAT_PROVIDER_INFO& entry : entries) pointers.push_back(&entry);
  if (count > 0)
    tools::check(dat_registry_list_providers(count, &count, pointers.data()),
                 "dat_registry_list_providers");
  entries.resize(static_cast<std::size_t>(count));
  return entries;
}

// The one that the instance data of a line for Datum name, or its name if they are empty
// (dat.conf(5)).
std::optional<std::string> interface_of(const std::string& name, const std::string& library,
                                        const std::string& instance_data) {
  constexpr std::string_view kPrefix = "datum-";
  if (!fs::path(library).filename().string().starts_with(kBuiltInLibrary)) return std::nullopt;
  std::string place;
  std::istringstream(instance_data) >> place;
  if (place.empty() && name.starts_with(kPrefix)) place = name.substr(kPrefix.size());
  in6_addr address;
  const bool literal = inet_pton(AF_INET, place.c_str(), &address) == 1 ||
                       inet_pton(AF_INET6, place.c_str(), &address) == 1;
  return literal ? std::nullopt : std::optional(place);
}

bool is_built_in(const std::string& name) {
  const auto interfaces = conf::interfaces_with_address();
  const auto names = conf::datum_ia_names(interfaces.value_or(std::vector<std::string>{}));
  return std::find(names.begin(), names.end(), name) != names.end();
}

void find_origin(Adapter& adapter, const ConfFile& file) {
  for (const conf::Entry& entry : file.document.entries) {
    const conf::ProviderFields& p = entry.provider;
    if (!entry.selectable() || entry.ia_name != adapter.name || p.api_major != adapter.major ||
        p.api_minor != adapter.minor)
      continue;
    adapter.origin = fmt::format("{}:{}", file.path, entry.line);
    adapter.library = p.library;
    adapter.interface = interface_of(adapter.name, p.library, p.instance_data);
    return;
  }
  if (is_built_in(adapter.name)) {
    adapter.origin = "built in";
    adapter.library = kBuiltInLibrary;
    adapter.interface = interface_of(adapter.name, kBuiltInLibrary, {});
  } else {
    adapter.origin = "registered at run time";
  }
}

std::string named(const DAT_IA_ATTR& attr, std::string_view name) {
  for (DAT_COUNT i = 0; attr.transport_attr != nullptr && i < attr.num_transport_attr; ++i)
    if (attr.transport_attr[i].name == name) return attr.transport_attr[i].value;
  return {};
}

void refuse(Adapter& adapter, Obstacle obstacle, std::string state) {
  adapter.obstacle = obstacle;
  adapter.state = std::move(state);
}

// After dat_ia_open has failed: with a cause of ours where we know better than its code.
void find_obstacle(Adapter& adapter, DAT_RETURN ret) {
  std::string state = tools::describe(ret, "dat_ia_open", adapter.name);
  if (tools::is_type(ret, DAT_PROVIDER_NOT_FOUND))
    return refuse(adapter, Obstacle::Library, std::move(state));
  if (!adapter.interface || !tools::is_type(ret, DAT_INSUFFICIENT_RESOURCES))
    return refuse(adapter, Obstacle::Other, std::move(state));
  const std::string cause = why_unusable(*adapter.interface);
  if (cause.empty()) return refuse(adapter, Obstacle::Other, std::move(state));
  refuse(adapter, Obstacle::Interface,
         fmt::format("dat_ia_open({}): {}: {}", adapter.name, tools::dat_text(ret), cause));
}

} // namespace

ConfFile read_conf_file() {
  const conf::Location location = conf::locate(secure_getenv("DAT_OVERRIDE"), conf::kDefaultPaths);
  ConfFile file{location.path, location.overridden, false, {}, {}};
  auto text = conf::read_file(location.path);
  if (!text) {
    file.present = text.error().code != ENOENT;
    file.error = text.error().text;
    return file;
  }
  file.present = true;
  file.document = conf::parse_dat_conf(*text);
  return file;
}

std::vector<Adapter> list_adapters(const ConfFile& file) {
  std::vector<Adapter> adapters;
  for (const DAT_PROVIDER_INFO& info : registered()) {
    const bool thread_safe = info.is_thread_safe == DAT_TRUE;
    const auto same = std::find_if(adapters.begin(), adapters.end(), [&](const Adapter& a) {
      return a.name == info.ia_name && a.major == info.dapl_version_major &&
             a.minor == info.dapl_version_minor;
    });
    if (same != adapters.end()) {
      if (same->thread_safe != thread_safe) same->any_thread_safety = true;
      continue;
    }
    Adapter adapter;
    adapter.name = info.ia_name;
    adapter.major = info.dapl_version_major;
    adapter.minor = info.dapl_version_minor;
    adapter.thread_safe = thread_safe;
    find_origin(adapter, file);
    adapters.push_back(adapter);
  }
  return adapters;
}

DAT_RETURN open_adapter(const Adapter& adapter, DAT_IA_HANDLE& ia) {
  std::string name = adapter.name; // DAT_NAME_PTR points to char, not const char
  DAT_EVD_HANDLE async = nullptr;
  return dat_ia_openv(name.data(), 8, &async, &ia, adapter.major, adapter.minor,
                      adapter.thread_safe ? DAT_TRUE : DAT_FALSE);
}

void try_open(Adapter& adapter) {
  if (adapter.major != DAT_VERSION_MAJOR) {
    adapter.tried = false;
    adapter.state = fmt::format("for DAT {}.{} programs; not tried", adapter.major, adapter.minor);
    return;
  }
  // Asked for, it would be another adapter that opens.
  if (adapter.name.starts_with(conf::kRelaxedOrderingPrefix))
    return refuse(
        adapter, Obstacle::Name,
        fmt::format("no program can open it: dat_ia_open takes {} off and looks for \"{}\"",
                    conf::kRelaxedOrderingPrefix,
                    adapter.name.substr(conf::kRelaxedOrderingPrefix.size())));
  DAT_IA_HANDLE ia = nullptr;
  const DAT_RETURN ret = open_adapter(adapter, ia);
  if (ret != DAT_SUCCESS) return find_obstacle(adapter, ret);
  const tools::IaHandle owner(ia);
  adapter.opens = true;
  adapter.state = "opens";
  DAT_IA_ATTR attr = {};
  if (dat_ia_query(ia, nullptr, DAT_IA_FIELD_ALL, &attr, 0, nullptr) != DAT_SUCCESS) return;
  adapter.address = tools::address_text(reinterpret_cast<const sockaddr*>(attr.ia_address_ptr));
  adapter.to_this_host = named(attr, "path.this_host");
  adapter.to_other_hosts = named(attr, "path.other_hosts");
  adapter.path_reason = named(attr, "path.reason");
}

} // namespace datum::info
