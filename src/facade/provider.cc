// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "facade/provider.h"

#include <array>
#include <cstring>
#include <memory>
#include <utility>

#include "base/log.h"
#include "base/provider_hook.h"
#include "base/registry_uses.h"
#include "facade/call_texts.h"
#include "facade/ia_calls.h"

namespace datum {
namespace {

constexpr ProviderHook kHook{.relaxed_ordering = &declare_relaxed_ordering,
                             .short_provider_lists = &set_short_provider_lists};

// The most entries of one process. Each network interface has an IA name, and each name has two
// entries, one for each kind of thread safety.
constexpr std::size_t kMaxEntries = 256;

struct Entry {
  Registration registration;
  DAT_PROVIDER_INFO info{};
  DAT_PROVIDER table{};
};

// Entries are never freed, because handles and registries keep pointers to their tables.
struct Entries {
  Mutex mutex;
  std::array<Entry*, kMaxEntries> items DATUM_GUARDED_BY(mutex){};
  std::size_t count DATUM_GUARDED_BY(mutex) = 0;
};

Entries& entries() {
  static auto& only = *new Entries;
  return only;
}

Entry& entry_at(std::size_t index) {
  const MutexLock lock(entries().mutex);
  return *entries().items[index];
}

// A registry may keep nothing but this function, which has to know its entry. So each entry has a
// function of its own.
template <std::size_t Index>
DAT_RETURN open_at(const DAT_NAME_PTR name, DAT_COUNT async_evd_min_qlen, DAT_EVD_HANDLE* async_evd,
                   DAT_IA_HANDLE* ia) {
  const Registration& registration = entry_at(Index).registration;
  if (!registration.registered) return encode<Version>({Type::ProviderNotFound});
  return ia_open<Version>(registration, name, async_evd_min_qlen, async_evd, ia);
}

template <std::size_t... Index>
constexpr std::array<DAT_IA_OPEN_FUNC, sizeof...(Index)>
make_open_functions(std::index_sequence<Index...>) {
  return {&Shield<Version, &open_at<Index>, &calls::kIaOpenv>::call...};
}
constexpr auto kOpenFunctions = make_open_functions(std::make_index_sequence<kMaxEntries>{});

DAT_RETURN open_nothing(const DAT_NAME_PTR, DAT_COUNT, DAT_EVD_HANDLE*, DAT_IA_HANDLE*) {
  return encode<Version>({Type::ProviderNotFound});
}

// The table of handles after fini. Its functions find no object behind any handle.
const DAT_PROVIDER& tombstone() {
  static const DAT_PROVIDER table = [] {
    DAT_PROVIDER all{};
    Version::enter_calls(all);
    all.device_name = "";
    all.ia_open_func = &open_nothing;
    return all;
  }();
  return table;
}

bool same_key(const DAT_PROVIDER_INFO& a, const DAT_PROVIDER_INFO& b) {
  return std::strncmp(a.ia_name, b.ia_name, sizeof a.ia_name) == 0 &&
         a.dapl_version_major == b.dapl_version_major &&
         a.dapl_version_minor == b.dapl_version_minor && a.is_thread_safe == b.is_thread_safe;
}

Entry* find_entry(const DAT_PROVIDER_INFO& info) {
  const MutexLock lock(entries().mutex);
  for (std::size_t i = 0; i != entries().count; ++i)
    if (same_key(entries().items[i]->info, info)) return entries().items[i];
  return nullptr;
}

Entry* add_entry(const DAT_PROVIDER_INFO& info) {
  const MutexLock lock(entries().mutex);
  if (entries().count == kMaxEntries) return nullptr;
  auto entry = std::make_unique<Entry>();
  entry->info = info;
  Registration& registration = entry->registration;
  registration.ia_name.assign(info.ia_name, ::strnlen(info.ia_name, sizeof info.ia_name));
  registration.api_major = info.dapl_version_major;
  registration.api_minor = info.dapl_version_minor;
  registration.thread_safe = info.is_thread_safe != DAT_FALSE;
  registration.table = &entry->table;
  Version::enter_calls(entry->table);
  entry->table.device_name = registration.ia_name.c_str();
  entry->table.extension = const_cast<ProviderHook*>(&kHook);
  entry->table.ia_open_func = kOpenFunctions[entries().count];
  entries().items[entries().count++] = entry.get();
  return entry.release();
}

} // namespace

const Registration* find_registration(const char* ia_name) {
  const MutexLock lock(entries().mutex);
  for (std::size_t i = 0; i != entries().count; ++i) {
    const Registration& each = entries().items[i]->registration;
    if (each.registered && each.ia_name == ia_name) return &each;
  }
  return nullptr;
}

void provider_init(const DAT_PROVIDER_INFO& info, const char* instance_data) {
  Entry* entry = find_entry(info);
  if (entry == nullptr) entry = add_entry(info);
  if (entry == nullptr) {
    log(LogLevel::Warn, "ia \"{}\": {} IAs are registered already; remove unused lines of dat.conf",
        info.ia_name, kMaxEntries);
    return;
  }
  entry->registration.instance_data = instance_data != nullptr ? instance_data : "";
  entry->registration.registered = true;
  const DAT_RETURN added = ::dat_registry_add_provider(&entry->table, &entry->info);
  if (added == DAT_SUCCESS) return;
  entry->registration.registered = false;
  log(LogLevel::Warn, "ia \"{}\": the registry refused it with {:#010x}; is the name used twice?",
      entry->registration.ia_name, added);
}

void provider_fini(const DAT_PROVIDER_INFO& info) {
  Entry* entry = find_entry(info);
  if (entry == nullptr || !entry->registration.registered) return;
  entry->registration.registered = false;
  IaControl::close_all(entry->registration);
  HandleSpace::replace_table(&entry->table, &tombstone());
  // An error means that the registry has removed the entry already, which has the same result.
  static_cast<void>(::dat_registry_remove_provider(&entry->table, &entry->info));
}

} // namespace datum
