// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// registry/registry.h: opening and closing IAs, and the lists of IAs.
// Lives here: the order of steps of dat_ia_openv and dat_ia_close, and of the registry calls.
// Not here:   calls on open objects (dispatch_*.cc), the list of dat_registry_list_providers
//             (provider_list.h).
// Threads:    any. The registry holds no lock while a provider's code runs, except in init and
//             fini: there it holds those of the entry (static_entry.h) and of the library
//             (provider_library.h).
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

// Reads DAT_OVERRIDE, DATUM_ALIAS and dat.conf. Logs the mistakes in them.
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

  // The IA that is opened if a program asks for `name`: the IA of that name, or the IA that an
  // alias names.
  std::string resolve(const char* name);
  // True: dat.conf, a built-in IA or a registration has this name, in any version.
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
  // Stores the function table of an IA that a provider has opened. If memory is lacking for that,
  // closes the IA again.
  DAT_RETURN adopt(DAT_IA_HANDLE object, const DAT_PROVIDER& table, const OpenRequest& request);
  void give_back(const IaReferences& references);
  // Tells each open IA of Datum how many provider lists were cut short.
  void tell_short_lists();

  const std::string file_name_;
  const conf::Aliases aliases_;
  StaticRegistry static_;
  DynamicRegistry dynamic_;
  ProviderList list_;
  HandleCheck& handles_;
  IaTable& ias_;
};

} // namespace datum::registry
