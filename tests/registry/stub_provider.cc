// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/registry/stub_provider.cc: a provider that does nothing except record every call.
#include "stub_provider.h"

#include <array>
#include <dat/dat_registry.h>
#include <memory>
#include <mutex>
#include <string>
#include <sys/mman.h>
#include <vector>

#include "arguments.h"
#include "every_call.h"

extern "C" DAT_RETURN dats_get_ia_handle(DAT_IA_HANDLE handle, DAT_IA_HANDLE* other);

#define EXPORTED __attribute__((visibility("default")))

namespace {

StubState state;
std::atomic<int> running{0};

struct Instance {
  DAT_PROVIDER table{};
  std::string name;
  std::string behaviour;
};

struct Object {
  const DAT_PROVIDER* table;
};

// Objects and tables are never freed, because handles and registrations may point at them.
std::mutex mutex;
std::vector<std::unique_ptr<Instance>> instances;
std::vector<std::unique_ptr<Object>> objects;

DAT_HANDLE new_object(const DAT_PROVIDER* table) {
  const std::scoped_lock lock(mutex);
  return objects.emplace_back(std::make_unique<Object>(Object{table})).get();
}

constexpr std::size_t kPage = 4096;
DAT_HANDLE page_object = nullptr;

DAT_HANDLE new_page(const DAT_PROVIDER* table) {
  page_object = ::mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  static_cast<Object*>(page_object)->table = table;
  return page_object;
}

bool behaves(const std::string& behaviour, const char* word) {
  return behaviour.find(word) != std::string::npos;
}

// ia_open has no argument that names the instance, so the instance is found by the IA's name.
Instance* instance_of(const std::string& name) {
  const std::scoped_lock lock(mutex);
  for (const auto& instance : instances)
    if (instance->name == name) return instance.get();
  return nullptr;
}

DAT_RETURN ia_open(const DAT_NAME_PTR name, DAT_COUNT qlen, DAT_EVD_HANDLE*, DAT_IA_HANDLE* ia) {
  Instance* instance = instance_of(name);
  if (behaves(instance->behaviour, "refusing"))
    return DAT_CLASS_ERROR | DAT_INSUFFICIENT_RESOURCES | DAT_RESOURCE_DEVICE;
  if (behaves(instance->behaviour, "hollow")) return DAT_SUCCESS;
  *ia = behaves(instance->behaviour, "unmapping") ? new_page(&instance->table)
                                                  : new_object(&instance->table);
  const std::scoped_lock lock(mutex);
  std::strncpy(state.opened_name, name, sizeof state.opened_name - 1);
  state.opened_qlen = qlen;
  ++state.opens;
  return DAT_SUCCESS;
}

DAT_RETURN ia_close(DAT_IA_HANDLE ia, DAT_CLOSE_FLAGS flags) {
  if (flags == DAT_CLOSE_GRACEFUL_FLAG)
    return DAT_CLASS_ERROR | DAT_INVALID_STATE | DAT_INVALID_STATE_IA_IN_USE;
  DAT_IA_HANDLE consumer = nullptr;
  state.ia_handle_answer = dats_get_ia_handle(ia, &consumer);
  ++state.closes;
  if (ia == page_object) {
    state.before_unmapping = dat_pz_free(ia);
    ::munmap(ia, kPage);
    state.after_unmapping = dat_pz_free(ia);
    page_object = nullptr;
    return DAT_SUCCESS;
  }
  static_cast<Object*>(ia)->table = nullptr;
  return DAT_SUCCESS;
}

template <int kSlot, class... Args>
DAT_RETURN remember(Args... args) {
  state.last.slot = kSlot;
  record_arguments(state.last, args...);
  return DAT_CLASS_WARNING | kSlot;
}

template <int kSlot, class... Args>
void fill(std::array<void*, 70>& table, DAT_RETURN (*)(Args...)) {
  table[kSlot] = reinterpret_cast<void*>(&remember<kSlot, Args...>);
}

DAT_PROVIDER make_table(const Instance& instance) {
  std::array<void*, 70> slots{};
#define FILL(function, slot, subtype) fill<slot>(slots, &function);
  DATUM_CALLS_ON_IAS(FILL)
  DATUM_CALLS_ON_ANYTHING(FILL)
  DATUM_CALLS_ON_OBJECTS(FILL)
#undef FILL
  DAT_PROVIDER table;
  static_assert(sizeof table == sizeof slots);
  std::memcpy(&table, slots.data(), sizeof table);
  table.device_name = instance.name.c_str();
  table.ia_open_func = &ia_open;
  table.ia_close_func = &ia_close;
  if (behaves(instance.behaviour, "partial")) table.ep_query_func = nullptr;
  return table;
}

class Running {
 public:
  Running() {
    if (running++ != 0) ++state.overlaps;
  }
  ~Running() { --running; }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
};

void list_from_init() {
  DAT_COUNT number = 0;
  dat_registry_list_providers(0, &number, nullptr);
  state.listed = number;
}

void open_from_init(const DAT_PROVIDER_INFO& info) {
  DAT_EVD_HANDLE evd = DAT_HANDLE_NULL;
  DAT_IA_HANDLE ia = DAT_HANDLE_NULL;
  std::string name = info.ia_name;
  state.inward = dat_ia_openv(name.data(), 1, &evd, &ia, 1, 2, info.is_thread_safe);
}

Instance& new_instance(const DAT_PROVIDER_INFO& info, const char* behaviour) {
  const std::scoped_lock lock(mutex);
  Instance& instance = *instances.emplace_back(std::make_unique<Instance>());
  instance.name = info.ia_name;
  instance.behaviour = behaviour;
  instance.table = make_table(instance);
  return instance;
}

} // namespace

extern "C" EXPORTED StubState* stub_state() {
  return &state;
}

extern "C" EXPORTED DAT_HANDLE stub_object() {
  return new_object(&instance_of(state.opened_name)->table);
}

extern "C" EXPORTED void dat_provider_init(const DAT_PROVIDER_INFO* info,
                                           const char* instance_data) {
  const Running here;
  ++state.inits;
  if (behaves(instance_data, "listing")) list_from_init();
  if (behaves(instance_data, "inward")) open_from_init(*info);
  if (behaves(instance_data, "silent")) return;
  Instance* known = instance_of(info->ia_name);
  Instance& instance = known != nullptr ? *known : new_instance(*info, instance_data);
  dat_registry_add_provider(&instance.table, info);
}

extern "C" EXPORTED void dat_provider_fini(const DAT_PROVIDER_INFO* info) {
  const Running here;
  ++state.finis;
  const Instance* instance = instance_of(info->ia_name);
  if (instance == nullptr || behaves(instance->behaviour, "staying")) return;
  dat_registry_remove_provider(&instance->table, info);
}
