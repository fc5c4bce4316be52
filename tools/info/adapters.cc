// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "info/adapters.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/address.h"
#include "common/dat_error.h"
#include "info/loaded.h"

namespace datum::info {
namespace {

std::vector<DAT_PROVIDER_INFO> registered() {
  DAT_COUNT count = 0;
  // The call fails if the list is too short, and sets count to the length that it needs.
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

// The IA that DATUM_ALIAS gives for `name`. Empty: DATUM_ALIAS gives none, so `name` leads to the
// IA of that name.
std::string another_asked_for(const ConfFile& file, const std::string& name) {
  if (name.starts_with(conf::kRelaxedOrderingPrefix)) return {};
  std::string ia = tools::asked_for(file, name);
  return ia == name ? std::string() : ia;
}

// A list with each name and version once, in the order of add().
class AdapterList {
 public:
  explicit AdapterList(const ConfFile& file) : file_(file), origins_(file) {
    for (const conf::Entry& entry : file.document.entries)
      if (entry.selectable() && entry.provider.api_major == DAT_VERSION_MAJOR)
        names_.insert(entry.ia_name);
  }

  const tools::Origins& origins() const { return origins_; }
  // True: dat.conf has a line of this name for this DAT version. It replaces a built-in adapter.
  bool has_line(const std::string& name) const { return names_.contains(name); }

  void add(const std::string& name, unsigned major, unsigned minor, bool thread_safe, bool listed) {
    const auto [place, is_new] = places_.try_emplace({name, major, minor}, adapters_.size());
    if (!is_new) {
      Adapter& known = adapters_[place->second];
      if (known.thread_safe != thread_safe) known.any_thread_safety = true;
      return;
    }
    Adapter adapter;
    adapter.name = name;
    adapter.major = major;
    adapter.minor = minor;
    adapter.thread_safe = thread_safe;
    adapter.listed = listed;
    const std::string ia =
        major == DAT_VERSION_MAJOR ? another_asked_for(file_, name) : std::string();
    adapter.by_alias = !ia.empty();
    adapter.origin = adapter.by_alias ? origin_by_alias(name, ia, major, minor)
                                      : origins_.of(name, major, minor);
    adapter.any_thread_safety = adapter.origin.is_built_in;
    adapters_.push_back(std::move(adapter));
  }
  std::vector<Adapter> take() { return std::move(adapters_); }

 private:
  // DATUM_ALIAS takes precedence over lines of the same name. It may also contain names that have
  // no line.
  tools::IaOrigin origin_by_alias(const std::string& name, const std::string& ia, unsigned major,
                                  unsigned minor) const {
    tools::IaOrigin origin = origins_.of(ia, major, minor);
    origin.text = fmt::format("DATUM_ALIAS={}={}{}", name, ia,
                              origin.known ? ", " + origin.text : std::string());
    return origin;
  }

  const ConfFile& file_;
  tools::Origins origins_;
  std::set<std::string> names_;
  std::map<std::tuple<std::string, unsigned, unsigned>, std::size_t> places_;
  std::vector<Adapter> adapters_;
};

bool is_own(const Adapter& adapter) {
  const std::filesystem::path library(adapter.origin.library);
  return library.filename().string().starts_with("libdatum");
}

void refuse(Adapter& adapter, tools::Refusal refusal) {
  adapter.obstacle = refusal.obstacle;
  adapter.state = std::move(refusal.text);
}

} // namespace

std::vector<Adapter> list_adapters(const ConfFile& file, const std::vector<std::string>& also) {
  AdapterList list(file);
  for (const DAT_PROVIDER_INFO& info : registered())
    list.add(info.ia_name, info.dapl_version_major, info.dapl_version_minor,
             info.is_thread_safe == DAT_TRUE, true);
  // These adapters open although the registry does not list them.
  for (const std::string& name : list.origins().built_in())
    if (!list.has_line(name)) list.add(name, DAT_VERSION_MAJOR, DAT_VERSION_MINOR, false, false);
  for (const std::string& name : also)
    if (!another_asked_for(file, name).empty() && !list.has_line(name))
      list.add(name, DAT_VERSION_MAJOR, DAT_VERSION_MINOR, false, false);
  // The registry lists only the lines of its own version.
  for (const conf::Entry& entry : file.document.entries)
    if (entry.selectable() && entry.provider.api_major != DAT_VERSION_MAJOR)
      list.add(entry.ia_name, entry.provider.api_major, entry.provider.api_minor,
               entry.provider.thread_safe, false);
  return list.take();
}

bool is_foreign(const Adapter& adapter) {
  return !adapter.opens && !adapter.by_alias && !adapter.origin.library.empty() && !is_own(adapter);
}

void put_own_first(std::vector<Adapter>& adapters) {
  std::stable_partition(adapters.begin(), adapters.end(), is_own);
}

std::vector<Adapter> take_foreign(std::vector<Adapter>& adapters) {
  if (std::count_if(adapters.begin(), adapters.end(), is_foreign) < 2) return {};
  const auto first =
      std::stable_partition(adapters.begin(), adapters.end(), std::not_fn(is_foreign));
  std::vector<Adapter> foreign(std::make_move_iterator(first),
                               std::make_move_iterator(adapters.end()));
  adapters.erase(first, adapters.end());
  return foreign;
}

std::string text_of_foreign(const std::vector<Adapter>& foreign) {
  constexpr std::size_t kShown = 4;
  std::set<std::string> libraries;
  std::map<std::string, std::size_t> reasons;
  for (const Adapter& adapter : foreign) {
    libraries.insert(adapter.origin.library);
    ++reasons[adapter.tried ? "cannot be opened here"
                            : fmt::format("for DAT {}.{} programs", adapter.major, adapter.minor)];
  }
  const std::size_t more = libraries.size() - std::min(libraries.size(), kShown);
  std::vector<std::string> shown(
      libraries.begin(), std::next(libraries.begin(), std::ptrdiff_t(libraries.size() - more)));
  if (more > 0) shown.push_back(fmt::format("{} more", more));
  std::string why;
  for (const auto& [reason, count] : reasons)
    why += fmt::format("{}{} {}", why.empty() ? "" : ", ", count, reason);
  return fmt::format("{} lines of other providers ({}): {}; --all shows them", foreign.size(),
                     fmt::join(shown, ", "), why);
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
  // dat_ia_open() with this name would open another adapter.
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
  adapter.library_path = path_of_library(adapter.origin.library);
  DAT_IA_ATTR attr = {};
  if (dat_ia_query(ia, nullptr, DAT_IA_FIELD_ALL, &attr, 0, nullptr) != DAT_SUCCESS) return;
  adapter.address = tools::address_text(reinterpret_cast<const sockaddr*>(attr.ia_address_ptr));
  adapter.to_this_host = named(attr, "path.this_host");
  adapter.to_other_hosts = named(attr, "path.other_hosts");
  adapter.path_reason = named(attr, "path.reason");
}

} // namespace datum::info
