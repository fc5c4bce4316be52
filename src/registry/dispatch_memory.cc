// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// registry/dispatch_memory.cc: protection zones, memory regions and windows, shared receive queues.
#include "registry/dispatch.h"

using namespace datum::registry;

DAT_RETURN dat_rmr_create(DAT_PZ_HANDLE pz_handle, DAT_RMR_HANDLE* rmr_handle) {
  return call<&DAT_PROVIDER::rmr_create_func, DAT_INVALID_HANDLE_PZ>(pz_handle, rmr_handle);
}

DAT_RETURN dat_rmr_query(DAT_RMR_HANDLE rmr_handle, DAT_RMR_PARAM_MASK rmr_param_mask,
                         DAT_RMR_PARAM* rmr_param) {
  return call<&DAT_PROVIDER::rmr_query_func, DAT_INVALID_HANDLE_RMR>(rmr_handle, rmr_param_mask,
                                                                     rmr_param);
}

DAT_RETURN dat_rmr_free(DAT_RMR_HANDLE rmr_handle) {
  return call<&DAT_PROVIDER::rmr_free_func, DAT_INVALID_HANDLE_RMR>(rmr_handle);
}

DAT_RETURN dat_lmr_query(DAT_LMR_HANDLE lmr_handle, DAT_LMR_PARAM_MASK lmr_param_mask,
                         DAT_LMR_PARAM* lmr_param) {
  return call<&DAT_PROVIDER::lmr_query_func, DAT_INVALID_HANDLE_LMR>(lmr_handle, lmr_param_mask,
                                                                     lmr_param);
}

DAT_RETURN dat_lmr_free(DAT_LMR_HANDLE lmr_handle) {
  return call<&DAT_PROVIDER::lmr_free_func, DAT_INVALID_HANDLE_LMR>(lmr_handle);
}

DAT_RETURN dat_pz_query(DAT_PZ_HANDLE pz_handle, DAT_PZ_PARAM_MASK pz_param_mask,
                        DAT_PZ_PARAM* pz_param) {
  return call<&DAT_PROVIDER::pz_query_func, DAT_INVALID_HANDLE_PZ>(pz_handle, pz_param_mask,
                                                                   pz_param);
}

DAT_RETURN dat_pz_free(DAT_PZ_HANDLE pz_handle) {
  return call<&DAT_PROVIDER::pz_free_func, DAT_INVALID_HANDLE_PZ>(pz_handle);
}

DAT_RETURN dat_srq_post_recv(DAT_SRQ_HANDLE srq_handle, DAT_COUNT num_segments,
                             DAT_LMR_TRIPLET* local_iov, DAT_DTO_COOKIE user_cookie) {
  return call<&DAT_PROVIDER::srq_post_recv_func, DAT_INVALID_HANDLE_SRQ>(srq_handle, num_segments,
                                                                         local_iov, user_cookie);
}

DAT_RETURN dat_srq_query(DAT_SRQ_HANDLE srq_handle, DAT_SRQ_PARAM_MASK srq_param_mask,
                         DAT_SRQ_PARAM* srq_param) {
  return call<&DAT_PROVIDER::srq_query_func, DAT_INVALID_HANDLE_SRQ>(srq_handle, srq_param_mask,
                                                                     srq_param);
}

DAT_RETURN dat_srq_resize(DAT_SRQ_HANDLE srq_handle, DAT_COUNT srq_max_recv_dto) {
  return call<&DAT_PROVIDER::srq_resize_func, DAT_INVALID_HANDLE_SRQ>(srq_handle, srq_max_recv_dto);
}

DAT_RETURN dat_srq_set_lw(DAT_SRQ_HANDLE srq_handle, DAT_COUNT low_watermark) {
  return call<&DAT_PROVIDER::srq_set_lw_func, DAT_INVALID_HANDLE_SRQ>(srq_handle, low_watermark);
}

DAT_RETURN dat_srq_free(DAT_SRQ_HANDLE srq_handle) {
  return call<&DAT_PROVIDER::srq_free_func, DAT_INVALID_HANDLE_SRQ>(srq_handle);
}
