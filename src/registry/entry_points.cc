// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// registry/entry_points.cc: the calls that the registry answers itself. They let no exception out.
#include "base/ignored_values.h"
#include "registry/guarded.h"
#include "registry/process.h"
#include "registry/refused.h"
#include "registry/registry.h"

using namespace datum::registry;

DAT_RETURN dat_ia_openv(const DAT_NAME_PTR name, DAT_COUNT async_evd_qlen,
                        DAT_EVD_HANDLE* async_evd_handle, DAT_IA_HANDLE* ia_handle,
                        DAT_UINT32 dapl_major, DAT_UINT32 dapl_minor, DAT_BOOLEAN thread_safety) {
  return guarded([&] {
    return process_registry().open({name, async_evd_qlen, async_evd_handle, ia_handle, dapl_major,
                                    dapl_minor, thread_safety != DAT_FALSE});
  });
}

DAT_RETURN dat_ia_close(DAT_IA_HANDLE ia_handle, DAT_CLOSE_FLAGS ia_flags) {
  return guarded([&] { return process_registry().close(ia_handle, ia_flags); });
}

DAT_RETURN dat_registry_list_providers(DAT_COUNT max_to_return, DAT_COUNT* number_entries,
                                       DAT_PROVIDER_INFO*(dat_provider_list[])) {
  return guarded(
      [&] { return process_registry().list(max_to_return, number_entries, dat_provider_list); });
}

DAT_RETURN dat_registry_add_provider(const DAT_PROVIDER* provider,
                                     const DAT_PROVIDER_INFO* provider_info) {
  return guarded([&] { return process_registry().add(provider, provider_info); });
}

DAT_RETURN dat_registry_remove_provider(const DAT_PROVIDER* provider,
                                        const DAT_PROVIDER_INFO* provider_info) {
  return guarded([&] { return process_registry().remove(provider, provider_info); });
}

DAT_RETURN dats_get_ia_handle(DAT_IA_HANDLE handle, DAT_IA_HANDLE* other) {
  if (other == nullptr) return refused_null("dats_get_ia_handle", DAT_INVALID_ARG2, "other");
  const DAT_IA_HANDLE found =
      IaTable::is_index(handle) ? process_ias.object_of(handle) : process_ias.handle_of(handle);
  if (found == nullptr)
    return refused_handle("dats_get_ia_handle", invalid_handle(DAT_INVALID_HANDLE_IA), "handle",
                          handle);
  *other = found;
  return DAT_SUCCESS;
}

int datum_ignored_value_is_news(const char* variable, const char* value) {
  return datum::ignored_value_is_news(variable, value);
}
