// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// registry/dispatch_connection.cc: service points and connection requests, and calls on any kind of
// object.
#include "registry/dispatch.h"

using namespace datum::registry;

DAT_RETURN dat_psp_query(DAT_PSP_HANDLE psp_handle, DAT_PSP_PARAM_MASK psp_param_mask,
                         DAT_PSP_PARAM* psp_param) {
  return call<&DAT_PROVIDER::psp_query_func, DAT_INVALID_HANDLE_PSP>(psp_handle, psp_param_mask,
                                                                     psp_param);
}

DAT_RETURN dat_psp_free(DAT_PSP_HANDLE psp_handle) {
  return call<&DAT_PROVIDER::psp_free_func, DAT_INVALID_HANDLE_PSP>(psp_handle);
}

DAT_RETURN dat_rsp_query(DAT_RSP_HANDLE rsp_handle, DAT_RSP_PARAM_MASK rsp_param_mask,
                         DAT_RSP_PARAM* rsp_param) {
  return call<&DAT_PROVIDER::rsp_query_func, DAT_INVALID_HANDLE_RSP>(rsp_handle, rsp_param_mask,
                                                                     rsp_param);
}

DAT_RETURN dat_rsp_free(DAT_RSP_HANDLE rsp_handle) {
  return call<&DAT_PROVIDER::rsp_free_func, DAT_INVALID_HANDLE_RSP>(rsp_handle);
}

DAT_RETURN dat_cr_query(DAT_CR_HANDLE cr_handle, DAT_CR_PARAM_MASK cr_param_mask,
                        DAT_CR_PARAM* cr_param) {
  return call<&DAT_PROVIDER::cr_query_func, DAT_INVALID_HANDLE_CR>(cr_handle, cr_param_mask,
                                                                   cr_param);
}

DAT_RETURN dat_cr_accept(DAT_CR_HANDLE cr_handle, DAT_EP_HANDLE ep_handle,
                         DAT_COUNT private_data_size, const DAT_PVOID private_data) {
  return call<&DAT_PROVIDER::cr_accept_func, DAT_INVALID_HANDLE_CR>(
      cr_handle, ep_handle, private_data_size, private_data);
}

DAT_RETURN dat_cr_handoff(DAT_CR_HANDLE cr_handle, DAT_CONN_QUAL handoff) {
  return call<&DAT_PROVIDER::cr_handoff_func, DAT_INVALID_HANDLE_CR>(cr_handle, handoff);
}

DAT_RETURN dat_set_consumer_context(DAT_HANDLE dat_handle, DAT_CONTEXT context) {
  return call_any<&DAT_PROVIDER::set_consumer_context_func>(dat_handle, context);
}

DAT_RETURN dat_get_consumer_context(DAT_HANDLE dat_handle, DAT_CONTEXT* context) {
  return call_any<&DAT_PROVIDER::get_consumer_context_func>(dat_handle, context);
}

DAT_RETURN dat_get_handle_type(DAT_HANDLE dat_handle, DAT_HANDLE_TYPE* handle_type) {
  return call_any<&DAT_PROVIDER::get_handle_type_func>(dat_handle, handle_type);
}
