// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "info/adapters.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>

#include "common/address.h"
#include "common/dat_error.h"

namespace datum::info {
namespace {

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

std::string named(const DAT_IA_ATTR& attr, std::string_view name) {
  for (DAT_COUNT i = 0; attr.transport_attr != nullptr && i < attr.num_transport_attr; ++i)
    if (attr.transport_attr[i].name == name) return attr.transport_attr[i].value;
  return {};
}

void refuse(Adapter& adapter, tools::Refusal refusal) {
  adapter.obstacle = refusal.obstacle;
  adapter.state = std::move(refusal.text);
}

} // namespace

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
    adapter.origin = tools::find_origin(file, adapter.name, adapter.major, adapter.minor);
    adapters.push_back(adapter);
  }
  return adapters;
}

void put_own_first(std::vector<Adapter>& adapters) {
  std::stable_partition(adapters.begin(), adapters.end(), [](const Adapter& adapter) {
    const std::filesystem::path library(adapter.origin.library);
    return library.filename().string().starts_with("libdatum");
  });
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
        adapter,
        {Obstacle::Name,
         fmt::format("no program can open it: dat_ia_open takes {} off and looks for \"{}\"",
                     conf::kRelaxedOrderingPrefix,
                     adapter.name.substr(conf::kRelaxedOrderingPrefix.size()))});
  DAT_IA_HANDLE ia = nullptr;
  const DAT_RETURN ret = open_adapter(adapter, ia);
  if (ret != DAT_SUCCESS)
    return refuse(adapter, tools::why_refused(ret, adapter.name, adapter.origin));
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
