// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// registry/v2/dispatch.cc: the calls that are new in DAT 2.0, or have more arguments there.
#include <cstdarg>

#include "registry/dispatch.h"
#include "registry/v2/query.h"

using namespace datum::registry;

DAT_RETURN dat_cr_reject(DAT_CR_HANDLE cr_handle, DAT_COUNT private_data_size,
                         const DAT_PVOID private_data) {
  return call<&DAT_PROVIDER::cr_reject_func, DAT_INVALID_HANDLE_CR>(cr_handle, private_data_size,
                                                                    private_data);
}

DAT_RETURN dat_lmr_create(DAT_IA_HANDLE ia_handle, DAT_MEM_TYPE mem_type,
                          DAT_REGION_DESCRIPTION region_description, DAT_VLEN length,
                          DAT_PZ_HANDLE pz_handle, DAT_MEM_PRIV_FLAGS mem_privileges,
                          DAT_VA_TYPE va_type, DAT_LMR_HANDLE* lmr_handle,
                          DAT_LMR_CONTEXT* lmr_context, DAT_RMR_CONTEXT* rmr_context,
                          DAT_VLEN* registered_size, DAT_VADDR* registered_address) {
  return call_ia<&DAT_PROVIDER::lmr_create_func>(
      ia_handle, mem_type, region_description, length, pz_handle, mem_privileges, va_type,
      lmr_handle, lmr_context, rmr_context, registered_size, registered_address);
}

DAT_RETURN dat_rmr_bind(DAT_RMR_HANDLE rmr_handle, DAT_LMR_HANDLE lmr_handle,
                        const DAT_LMR_TRIPLET* lmr_triplet, DAT_MEM_PRIV_FLAGS mem_privileges,
                        DAT_VA_TYPE va_type, DAT_EP_HANDLE ep_handle, DAT_RMR_COOKIE user_cookie,
                        DAT_COMPLETION_FLAGS completion_flags, DAT_RMR_CONTEXT* rmr_context) {
  return call<&DAT_PROVIDER::rmr_bind_func, DAT_INVALID_HANDLE_RMR>(
      rmr_handle, lmr_handle, lmr_triplet, mem_privileges, va_type, ep_handle, user_cookie,
      completion_flags, rmr_context);
}

DAT_RETURN dat_rmr_create_for_ep(DAT_PZ_HANDLE pz_handle, DAT_RMR_HANDLE* rmr_handle) {
  return call<&DAT_PROVIDER::rmr_create_for_ep_func, DAT_INVALID_HANDLE_PZ>(pz_handle, rmr_handle);
}

DAT_RETURN dat_ep_common_connect(DAT_EP_HANDLE ep_handle, DAT_IA_ADDRESS_PTR remote_ia_address,
                                 DAT_TIMEOUT timeout, DAT_COUNT private_data_size,
                                 const DAT_PVOID private_data) {
  return call<&DAT_PROVIDER::ep_common_connect_func, DAT_INVALID_HANDLE_EP>(
      ep_handle, remote_ia_address, timeout, private_data_size, private_data);
}

DAT_RETURN dat_ep_post_send_with_invalidate(DAT_EP_HANDLE ep_handle, DAT_COUNT num_segments,
                                            DAT_LMR_TRIPLET* local_iov, DAT_DTO_COOKIE user_cookie,
                                            DAT_COMPLETION_FLAGS completion_flags,
                                            DAT_BOOLEAN invalidate_flag,
                                            DAT_RMR_CONTEXT rmr_context) {
  return call<&DAT_PROVIDER::ep_post_send_with_invalidate_func, DAT_INVALID_HANDLE_EP>(
      ep_handle, num_segments, local_iov, user_cookie, completion_flags, invalidate_flag,
      rmr_context);
}

DAT_RETURN dat_ep_post_rdma_read_to_rmr(DAT_EP_HANDLE ep_handle, const DAT_RMR_TRIPLET* local_iov,
                                        DAT_DTO_COOKIE user_cookie,
                                        const DAT_RMR_TRIPLET* remote_buffer,
                                        DAT_COMPLETION_FLAGS completion_flags) {
  return call<&DAT_PROVIDER::ep_post_rdma_read_to_rmr_func, DAT_INVALID_HANDLE_EP>(
      ep_handle, local_iov, user_cookie, remote_buffer, completion_flags);
}

DAT_RETURN dat_csp_create(DAT_IA_HANDLE ia_handle, DAT_COMM* comm, DAT_IA_ADDRESS_PTR address,
                          DAT_EVD_HANDLE evd_handle, DAT_CSP_HANDLE* csp_handle) {
  return call_ia<&DAT_PROVIDER::csp_create_func>(ia_handle, comm, address, evd_handle, csp_handle);
}

DAT_RETURN dat_csp_query(DAT_CSP_HANDLE csp_handle, DAT_CSP_PARAM_MASK csp_param_mask,
                         DAT_CSP_PARAM* csp_param) {
  return call<&DAT_PROVIDER::csp_query_func, DAT_INVALID_HANDLE_CSP>(csp_handle, csp_param_mask,
                                                                     csp_param);
}

DAT_RETURN dat_csp_free(DAT_CSP_HANDLE csp_handle) {
  return call<&DAT_PROVIDER::csp_free_func, DAT_INVALID_HANDLE_CSP>(csp_handle);
}

DAT_RETURN dat_cno_fd_create(DAT_IA_HANDLE ia_handle, DAT_FD* file_descriptor,
                             DAT_CNO_HANDLE* cno_handle) {
  return call_ia<&DAT_PROVIDER::cno_fd_create_func>(ia_handle, file_descriptor, cno_handle);
}

DAT_RETURN dat_cno_trigger(DAT_CNO_HANDLE cno_handle, DAT_EVD_HANDLE* evd_handle) {
  return call<&DAT_PROVIDER::cno_trigger_func, DAT_INVALID_HANDLE_CNO>(cno_handle, evd_handle);
}

namespace {

DAT_RETURN open_query(va_list& arguments) {
  QueryRequest request{};
  request.name = va_arg(arguments, DAT_NAME_PTR);
  request.ia = va_arg(arguments, DAT_HANDLE*);
  request.ia_mask = va_arg(arguments, DAT_IA_ATTR_MASK);
  request.ia_attributes = va_arg(arguments, DAT_IA_ATTR*);
  request.provider_mask = va_arg(arguments, DAT_PROVIDER_ATTR_MASK);
  request.provider_attributes = va_arg(arguments, DAT_PROVIDER_ATTR*);
  return datum::registry::open_query(request);
}

// A va_list may be an array type. So it is passed to the template by pointer, and to the provider
// with the type that the table's slot declares.
DAT_RETURN extended(DAT_HANDLE handle, DAT_EXTENDED_OP operation, va_list& arguments) {
  if (operation == DAT_IB_OPEN_QUERY_OP) return open_query(arguments);
  if (operation == DAT_IB_CLOSE_QUERY_OP) return close_query(handle);
  const DAT_HANDLE object = IaTable::is_index(handle) ? process_ias.object_of(handle) : handle;
  const DAT_PROVIDER* table = process_handles.table_of(object);
  if (table == nullptr)
    return refused_handle("dat_extension_op", invalid_handle(DAT_INVALID_HANDLE1), "handle",
                          handle);
  if (table->handle_extendedop_func == nullptr)
    return refused("dat_extension_op", kNotImplemented,
                   {"provider", "without this call", "one that has it", {}});
  return table->handle_extendedop_func(object, operation, arguments);
}

} // namespace

DAT_RETURN dat_extension_op(DAT_HANDLE dat_handle, DAT_EXTENDED_OP operation, ...) {
  va_list arguments;
  va_start(arguments, operation);
  const DAT_RETURN ret = extended(dat_handle, operation, arguments);
  va_end(arguments);
  return ret;
}
