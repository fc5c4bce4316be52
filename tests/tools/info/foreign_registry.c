// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The registry of another maker, as far as dat-info calls it: it has no adapter.
#include <dat2/udat.h>

DAT_RETURN dat_registry_list_providers(DAT_COUNT most, DAT_COUNT* entries,
                                       DAT_PROVIDER_INFO* list[]) {
  (void)most, (void)list;
  *entries = 0;
  return DAT_SUCCESS;
}

DAT_RETURN dat_ia_openv(const DAT_NAME_PTR name, DAT_COUNT depth, DAT_EVD_HANDLE* evd,
                        DAT_IA_HANDLE* ia, DAT_UINT32 major, DAT_UINT32 minor,
                        DAT_BOOLEAN thread_safe) {
  (void)name, (void)depth, (void)evd, (void)ia, (void)major, (void)minor, (void)thread_safe;
  return DAT_CLASS_ERROR | DAT_PROVIDER_NOT_FOUND | DAT_NAME_NOT_REGISTERED;
}

// Nothing is open, so that no call comes here.
DAT_RETURN dat_ia_close(DAT_IA_HANDLE ia, DAT_CLOSE_FLAGS flags) {
  (void)ia, (void)flags;
  return DAT_CLASS_ERROR | DAT_INVALID_HANDLE | DAT_INVALID_HANDLE_IA;
}

DAT_RETURN dat_ia_query(DAT_IA_HANDLE ia, DAT_EVD_HANDLE* evd, DAT_IA_ATTR_MASK ia_mask,
                        DAT_IA_ATTR* ia_attr, DAT_PROVIDER_ATTR_MASK provider_mask,
                        DAT_PROVIDER_ATTR* provider_attr) {
  (void)ia, (void)evd, (void)ia_mask, (void)ia_attr, (void)provider_mask, (void)provider_attr;
  return DAT_CLASS_ERROR | DAT_INVALID_HANDLE | DAT_INVALID_HANDLE_IA;
}

DAT_RETURN dat_strerror(DAT_RETURN value, const char** major, const char** minor) {
  (void)value;
  *major = "DAT_PROVIDER_NOT_FOUND", *minor = "DAT_NAME_NOT_REGISTERED";
  return DAT_SUCCESS;
}
