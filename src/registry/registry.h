// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// registry/registry.h: opening and closing IAs, and the lists of IAs.
// Lives here: the order of steps of dat_ia_openv and dat_ia_close, and of the registry calls.
// Not here:   calls on open objects (dispatch_*.cc), the list of dat_registry_list_providers
//             (provider_list.h).
// Threads:    any. No lock of the registry is held while a provider's code runs, except that of the
//             entry being initialised (static_entry.h).
#pragma once

#include "registry/conf/aliases.h"
#include "registry/dynamic_registry.h"
#include "registry/handle_check.h"
#include "registry/ia_table.h"
#include "registry/provider_list.h"
#include "registry/static_registry.h"

namespace datum::registry {

struct RegistrySettings {
  conf::Document<conf::Entry> file;
  std::string file_name;
  conf::Aliases aliases;
};

// Reads the environment. Reports mistakes in it and in the file that it names.
RegistrySettings read_settings();

struct OpenRequest {
  const char* name;
  DAT_COUNT async_evd_qlen;
  DAT_EVD_HANDLE* async_evd;
  DAT_IA_HANDLE* ia;
  DAT_UINT32 major;
  DAT_UINT32 minor;
  bool thread_safe;
};

class Registry {
 public:
  Registry(RegistrySettings settings, StaticRegistry::Interfaces interfaces, HandleCheck& handles,
           IaTable& ias);

  // The IA that answers when a program asks for `name`: the IA of that name, or the one behind an
  // alias.
  std::string resolve(const char* name);
  // Whether a program may open an IA of that name.
  bool knows(const std::string& name) {
    return static_.holds_name(name) || dynamic_.holds_name(name);
  }
  DAT_RETURN open(const OpenRequest& request);
  DAT_RETURN close(DAT_IA_HANDLE ia, DAT_CLOSE_FLAGS flags);
  DAT_RETURN list(DAT_COUNT max, DAT_COUNT* number, DAT_PROVIDER_INFO* infos[]);
  DAT_RETURN add(const DAT_PROVIDER* table, const DAT_PROVIDER_INFO* info);
  DAT_RETURN remove(const DAT_PROVIDER* table, const DAT_PROVIDER_INFO* info);

 private:
  class Provider;

  Provider find_provider(const Key& request, const char* asked_for);
  void tell_missing(const Key& request, const char* asked_for, Miss miss);
  std::string advice_for(const Key& request, const char* asked_for, Miss miss) const;
  Provider other_version(const Key& request);
  DAT_RETURN open_at(const Provider& provider, const Key& key, const OpenRequest& request,
                     DAT_IA_HANDLE* object);
  // Keeps the object that a provider has opened. Closes it again if there is no memory for it.
  DAT_RETURN adopt(DAT_IA_HANDLE object, const DAT_PROVIDER& table, const OpenRequest& request);
  void give_back(const IaReferences& references);
  void tell_providers();

  const std::string file_name_;
  const conf::Aliases aliases_;
  StaticRegistry static_;
  DynamicRegistry dynamic_;
  ProviderList list_;
  HandleCheck& handles_;
  IaTable& ias_;
};

} // namespace datum::registry
