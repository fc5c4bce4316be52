// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// registry/v1/dispatch.cc: the calls whose arguments only DAT 1.2 has.
#include "registry/dispatch.h"

using namespace datum::registry;

DAT_RETURN dat_cr_reject(DAT_CR_HANDLE cr_handle) {
  return call<&DAT_PROVIDER::cr_reject_func, DAT_INVALID_HANDLE_CR>(cr_handle);
}

DAT_RETURN dat_lmr_create(DAT_IA_HANDLE ia_handle, DAT_MEM_TYPE mem_type,
                          DAT_REGION_DESCRIPTION region_description, DAT_VLEN length,
                          DAT_PZ_HANDLE pz_handle, DAT_MEM_PRIV_FLAGS mem_privileges,
                          DAT_LMR_HANDLE* lmr_handle, DAT_LMR_CONTEXT* lmr_context,
                          DAT_RMR_CONTEXT* rmr_context, DAT_VLEN* registered_size,
                          DAT_VADDR* registered_address) {
  return call_ia<&DAT_PROVIDER::lmr_create_func>(ia_handle, mem_type, region_description, length,
                                                 pz_handle, mem_privileges, lmr_handle, lmr_context,
                                                 rmr_context, registered_size, registered_address);
}

DAT_RETURN dat_rmr_bind(DAT_RMR_HANDLE rmr_handle, const DAT_LMR_TRIPLET* lmr_triplet,
                        DAT_MEM_PRIV_FLAGS mem_privileges, DAT_EP_HANDLE ep_handle,
                        DAT_RMR_COOKIE user_cookie, DAT_COMPLETION_FLAGS completion_flags,
                        DAT_RMR_CONTEXT* rmr_context) {
  return call<&DAT_PROVIDER::rmr_bind_func, DAT_INVALID_HANDLE_RMR>(
      rmr_handle, lmr_triplet, mem_privileges, ep_handle, user_cookie, completion_flags,
      rmr_context);
}
