// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "registry/registry.h"

#include <cstring>

#include "base/provider_hook.h"
#include "registry/conf/dat_conf.h"
#include "registry/log.h"
#include "registry/memory_word.h"
#include "registry/other_registry.h"
#include "registry/refused.h"

namespace datum::registry {
namespace {

// The prefix means that the program copes with relaxed ordering. Linux does not enforce such an
// ordering, so the prefix is ignored.
const char* strip_prefix(const char* name) {
  const std::size_t length = conf::kRelaxedOrderingPrefix.size();
  return std::strncmp(name, conf::kRelaxedOrderingPrefix.data(), length) == 0 ? name + length
                                                                              : name;
}

bool has_prefix(const char* name) {
  return strip_prefix(name) != name;
}

// In the tables of other providers `extension` may have any value and may point anywhere. So the
// mark is read with read_word().
const ProviderHook* hook_of(const DAT_PROVIDER& table) {
  const void* mark = nullptr;
  const bool readable = table.extension != nullptr && read_word(table.extension, mark);
  if (!readable || reinterpret_cast<std::uintptr_t>(mark) != kProviderHookMark) return nullptr;
  return static_cast<const ProviderHook*>(table.extension);
}

bool is_special_evd(DAT_EVD_HANDLE evd) {
  return evd == DAT_HANDLE_NULL || evd == DAT_EVD_ASYNC_EXISTS || evd == DAT_EVD_OUT_OF_SCOPE;
}

DAT_RETURN_SUBTYPE subtype_of(Miss miss) {
  switch (miss) {
  case Miss::Name: return DAT_NAME_NOT_REGISTERED;
  case Miss::Major: return DAT_MAJOR_NOT_FOUND;
  case Miss::Minor: return DAT_MINOR_NOT_FOUND;
  case Miss::ThreadSafety: return DAT_THREAD_SAFETY_NOT_FOUND;
  }
  return DAT_NO_SUBTYPE;
}

constexpr std::string_view kOpen = "dat_ia_open";
constexpr std::string_view kAdd = "dat_registry_add_provider";
constexpr std::string_view kRemove = "dat_registry_remove_provider";

const char* rule_of(Miss miss) {
  switch (miss) {
  case Miss::Name: return "dat_ia_open.R15";
  case Miss::Major: return "dat_ia_open.R16";
  case Miss::Minor: return "dat_ia_open.R17";
  case Miss::ThreadSafety: return "dat_ia_open.R18";
  }
  return "";
}

const char* reason_of(Miss miss) {
  switch (miss) {
  case Miss::Name: return "not known";
  case Miss::Major: return "known, but not with this major API version";
  case Miss::Minor: return "known, but only with lower minor API versions";
  case Miss::ThreadSafety: return "known, but only as nonthreadsafe";
  }
  return "";
}

// Refuses a request for which there is no entry.
DAT_RETURN refused_open(const Key& key, Miss miss) {
  const DAT_RETURN answer = failure(DAT_PROVIDER_NOT_FOUND, subtype_of(miss));
  if (!refusals_are_told()) return answer;
  const char* rule = rule_of(miss);
  if (miss == Miss::Name)
    return refused(kOpen, answer,
                   {"name", key.name.empty() ? "\"\"" : std::string_view(key.name),
                    "what dat-info shows", rule});
  if (miss == Miss::ThreadSafety)
    return refused(kOpen, answer, {"thread_safety", "TRUE", "FALSE for this name", rule});
  const std::string version = text("{}.{}", key.major, key.minor);
  const std::string allowed = key.major == DAT_VERSION_MAJOR
                                  ? "what dat-info shows for this name"
                                  : text("{}.{}", DAT_VERSION_MAJOR, DAT_VERSION_MINOR);
  return refused(kOpen, answer, {"version", version, allowed, rule});
}

bool terminated(const DAT_PROVIDER_INFO& info) {
  return std::memchr(info.ia_name, '\0', sizeof info.ia_name) != nullptr;
}

Key to_key(const DAT_PROVIDER_INFO& info) {
  return {info.ia_name, info.dapl_version_major, info.dapl_version_minor,
          info.is_thread_safe != DAT_FALSE};
}

} // namespace

// The entry or registration that an open uses. The destructor gives it back, unless the open has
// succeeded.
class Registry::Provider {
 public:
  Provider(Registry& registry, StaticEntry* entry, const Use& use)
      : registry_(registry), table_(use.table), references_{entry, use.id} {}
  Provider(Registry& registry, Miss miss) : registry_(registry), miss_(miss) {}
  ~Provider() {
    if (!kept_) registry_.give_back(references_);
  }
  Provider(const Provider&) = delete;
  Provider& operator=(const Provider&) = delete;

  const DAT_PROVIDER* table() const { return table_; } // null: no provider was found
  Miss miss() const { return miss_; }
  const IaReferences& keep() {
    kept_ = true;
    return references_;
  }

 private:
  Registry& registry_;
  const DAT_PROVIDER* table_ = nullptr;
  const IaReferences references_;
  const Miss miss_ = Miss::Name;
  bool kept_ = false;
};

Registry::Registry(RegistrySettings settings, StaticRegistry::Interfaces interfaces,
                   HandleCheck& handles, IaTable& ias)
    : file_name_(std::move(settings.file_name)), aliases_(std::move(settings.aliases)),
      static_(std::move(settings.file), file_name_, interfaces), handles_(handles), ias_(ias) {}

std::string Registry::resolve(const char* asked_for) {
  std::string name = strip_prefix(asked_for);
  if (auto ia = aliases_.find(name)) return *ia;
  if (!aliases_.for_unknown() || knows(name)) return name;
  return *aliases_.for_unknown();
}

Registry::Provider Registry::find_provider(const Key& request, const char* asked_for) {
  if (request.major != DAT_VERSION_MAJOR) return other_version(request);
  Matcher in_static(request);
  StaticEntry* entry = static_.find(request, in_static);
  // If acquire() fails, the program may still have registered a provider by itself. That one is
  // searched for below.
  if (entry != nullptr && entry->acquire(dynamic_)) {
    if (const Use use = dynamic_.use_exact(entry->key()); use.table != nullptr)
      return {*this, entry, use};
    entry->release(dynamic_);
  }
  Matcher in_dynamic(request);
  if (const Use use = dynamic_.use_best(in_dynamic); use.table != nullptr)
    return {*this, nullptr, use};
  // The entry's library could not be loaded, which has been logged. The program is told that the
  // name is unknown.
  if (entry != nullptr) return {*this, Miss::Name};
  const Miss miss = std::max(in_static.miss(), in_dynamic.miss());
  tell_missing(request, asked_for, miss);
  return {*this, miss};
}

void Registry::tell_missing(const Key& request, const char* asked_for, Miss miss) {
  if (!told(LogLevel::Warn, Topic::Errors)) return;
  tell(LogLevel::Warn, Topic::Errors, "ia \"{}\" u{}.{} {}: {}; {}", request.name, request.major,
       request.minor, request.thread_safe ? "threadsafe" : "nonthreadsafe", reason_of(miss),
       advice_for(request, asked_for, miss));
}

// Suggests only what is not there yet: no line that the file has already, and no alias that is set
// already.
std::string Registry::advice_for(const Key& request, const char* asked_for, Miss miss) const {
  if (request.name != asked_for)
    return text("DATUM_ALIAS stands it for \"{}\": name another IA there, which dat-info shows",
                asked_for);
  if (request.name.empty()) return "name one that dat-info lists";
  const bool in_its_way = miss != Miss::Name && static_.is_built_in(request.name);
  if (in_its_way)
    return text("its line in {} replaces the built-in IA of that name, which is threadsafe, too, "
                "and u{}.{}: correct that line, or remove it",
                file_name_, DAT_VERSION_MAJOR, DAT_VERSION_MINOR);
  std::string line = miss == Miss::ThreadSafety
                         ? text("add a line with \"threadsafe\" to {}", file_name_)
                         : text("add a line to {}", file_name_);
  if (static_.is_built_in(request.name)) return line;
  return text("{}, or let an IA of this host answer with DATUM_ALIAS={}=datum", line, asked_for);
}

// The table of another major version has other functions in its slots. So an IA of that version is
// never opened here.
Registry::Provider Registry::other_version(const Key& request) {
  tell_other_version(request);
  return {*this, knows(request.name) ? Miss::Major : Miss::Name};
}

DAT_RETURN Registry::open(const OpenRequest& request) {
  if (request.name == nullptr) return refused_null(kOpen, DAT_INVALID_ARG1, "name");
  const char* name = strip_prefix(request.name);
  if (::strnlen(name, DAT_NAME_MAX_LENGTH) == DAT_NAME_MAX_LENGTH)
    return refused(kOpen, invalid_argument(DAT_INVALID_ARG1),
                   {"name", "longer", "fewer than 256 characters", "dat_ia_open.R3"});
  if (request.async_evd == nullptr)
    return refused_null(kOpen, DAT_INVALID_ARG3, "async_evd_handle");
  if (request.ia == nullptr) return refused_null(kOpen, DAT_INVALID_ARG4, "ia_handle");
  if (!is_special_evd(*request.async_evd) && handles_.table_of(*request.async_evd) == nullptr)
    return refused_handle(kOpen, invalid_handle(DAT_INVALID_HANDLE_EVD_ASYNC), "async_evd_handle",
                          *request.async_evd);

  const Key key{resolve(request.name), request.major, request.minor, request.thread_safe};
  Provider provider = find_provider(key, name);
  if (provider.table() == nullptr) return refused_open(key, provider.miss());

  IaPlace place(ias_);
  if (!place)
    return refused(kOpen, failure(DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_DEVICE),
                   {"open adapters", "too many", "4095 in a process", "dat_ia_open.R21"});
  DAT_IA_HANDLE object = DAT_HANDLE_NULL;
  const DAT_RETURN opened = open_at(provider, key, request, &object);
  if (opened != DAT_SUCCESS) return opened;
  *request.ia = place.publish(object, provider.keep());
  tell(LogLevel::Debug, Topic::ConsumerApi, "ia \"{}\" is open", key.name);
  return DAT_SUCCESS;
}

DAT_RETURN Registry::open_at(const Provider& provider, const Key& key, const OpenRequest& request,
                             DAT_IA_HANDLE* object) {
  // The function takes a pointer to non-const char, and a provider may write there. So it gets a
  // copy.
  std::string name = key.name;
  const DAT_EVD_HANDLE given = *request.async_evd;
  const DAT_RETURN opened = provider.table()->ia_open_func(name.data(), request.async_evd_qlen,
                                                           request.async_evd, object);
  if (opened != DAT_SUCCESS) {
    tell(LogLevel::Info, Topic::ProviderApi, "ia \"{}\": its provider returned {:#010x}", key.name,
         opened);
    return opened;
  }
  const void* table = nullptr;
  if (IaTable::is_index(*object) || !read_word(*object, table) || table == nullptr) {
    tell(LogLevel::Warn, Topic::Errors,
         "ia \"{}\": its provider reported success but returned no object; report this to the "
         "provider",
         key.name);
    return failure(DAT_INTERNAL_ERROR, DAT_NO_SUBTYPE);
  }
  const DAT_RETURN adopted = adopt(*object, *static_cast<const DAT_PROVIDER*>(table), request);
  if (adopted != DAT_SUCCESS) *request.async_evd = given;
  return adopted;
}

DAT_RETURN Registry::adopt(DAT_IA_HANDLE object, const DAT_PROVIDER& table,
                           const OpenRequest& request) {
  try {
    handles_.add_table(&table);
  } catch (const std::bad_alloc&) {
    static_cast<void>(table.ia_close_func(object, DAT_CLOSE_ABRUPT_FLAG));
    return failure(DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_MEMORY);
  }
  if (const ProviderHook* hook = hook_of(table)) {
    if (has_prefix(request.name)) hook->relaxed_ordering(object);
    hook->short_provider_lists(list_.cut_short());
  }
  return DAT_SUCCESS;
}

DAT_RETURN Registry::close(DAT_IA_HANDLE ia, DAT_CLOSE_FLAGS flags) {
  const DAT_IA_HANDLE object = ias_.object_of(ia);
  const DAT_PROVIDER* table = handles_.table_of(object);
  if (table == nullptr)
    return refused_handle("dat_ia_close", invalid_handle(DAT_INVALID_HANDLE_IA), "ia_handle", ia);
  // Objects of Datum's own provider stay mapped, so only other providers need the Distrust.
  std::optional<HandleCheck::Distrust> distrust;
  if (hook_of(*table) == nullptr) distrust.emplace(handles_);
  const DAT_RETURN closed = table->ia_close_func(object, flags);
  if (closed != DAT_SUCCESS) return closed;
  if (const auto references = ias_.take(ia)) give_back(*references);
  return DAT_SUCCESS;
}

void Registry::give_back(const IaReferences& references) {
  // The registration is released first, so that a provider whose fini runs in the second step finds
  // its registration unused.
  if (references.registration != 0) dynamic_.release(references.registration);
  if (references.entry != nullptr) references.entry->release(dynamic_);
}

DAT_RETURN Registry::list(DAT_COUNT max, DAT_COUNT* number, DAT_PROVIDER_INFO* infos[]) {
  const std::uint64_t before = list_.cut_short();
  const DAT_RETURN filled = list_.fill(static_.listed(), max, number, infos);
  if (list_.cut_short() != before) tell_short_lists();
  return filled;
}

// The count is one for the whole process, and every IA of Datum reports it (dat-info -p).
void Registry::tell_short_lists() {
  ias_.for_each([&](DAT_IA_HANDLE object) {
    const DAT_PROVIDER* table = handles_.table_of(object);
    if (table == nullptr) return; // the IA is being closed
    if (const ProviderHook* hook = hook_of(*table)) hook->short_provider_lists(list_.cut_short());
  });
}

DAT_RETURN Registry::add(const DAT_PROVIDER* table, const DAT_PROVIDER_INFO* info) {
  if (table == nullptr) return refused_null(kAdd, DAT_INVALID_ARG1, "provider");
  if (table->ia_open_func == nullptr) return refused_null(kAdd, DAT_INVALID_ARG1, "ia_open_func");
  if (info == nullptr) return refused_null(kAdd, DAT_INVALID_ARG2, "provider_info");
  // For a name that cannot be registered the manual has the same code as for a name that is taken.
  if (info->ia_name[0] == '\0' || !terminated(*info))
    return refused(
        kAdd, failure(DAT_PROVIDER_ALREADY_REGISTERED, DAT_NO_SUBTYPE),
        {"ia_name", "empty or not ended", "1 to 255 characters", "dat_registry_add_provider.R4"});
  const Key key = to_key(*info);
  const DAT_RETURN added = dynamic_.add(table, key);
  if (added == DAT_SUCCESS) try {
      handles_.add_table(table);
    } catch (...) {
      static_cast<void>(dynamic_.remove(table, key));
      throw;
    }
  tell(LogLevel::Debug, Topic::DynamicRegistry, "ia \"{}\": add returns {:#010x}", info->ia_name,
       added);
  if (added != DAT_SUCCESS)
    return refused(
        kAdd, added,
        {"ia_name", info->ia_name, "a key that is not registered", "dat_registry_add_provider.R3"});
  return DAT_SUCCESS;
}

DAT_RETURN Registry::remove(const DAT_PROVIDER* table, const DAT_PROVIDER_INFO* info) {
  if (table == nullptr) return refused_null(kRemove, DAT_INVALID_ARG1, "provider");
  if (info == nullptr) return refused_null(kRemove, DAT_INVALID_ARG2, "provider_info");
  if (!terminated(*info))
    return refused(kRemove, invalid_argument(DAT_INVALID_ARG2),
                   {"ia_name", "not ended", "at most 255 characters", {}});
  const DAT_RETURN removed = dynamic_.remove(table, to_key(*info));
  tell(LogLevel::Debug, Topic::DynamicRegistry, "ia \"{}\": remove returns {:#010x}", info->ia_name,
       removed);
  if (removed != DAT_SUCCESS)
    return refused(kRemove, removed,
                   {"ia_name", info->ia_name, "a key that this provider registered and nobody uses",
                    "dat_registry_remove_provider.R2"});
  return DAT_SUCCESS;
}

} // namespace datum::registry
