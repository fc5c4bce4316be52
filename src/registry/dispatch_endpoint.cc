// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// registry/dispatch_endpoint.cc: endpoints and posts on them.
#include "registry/dispatch.h"

using namespace datum::registry;

DAT_RETURN dat_ep_post_send(DAT_EP_HANDLE ep_handle, DAT_COUNT num_segments,
                            DAT_LMR_TRIPLET* local_iov, DAT_DTO_COOKIE user_cookie,
                            DAT_COMPLETION_FLAGS completion_flags) {
  return call<&DAT_PROVIDER::ep_post_send_func, DAT_INVALID_HANDLE_EP>(
      ep_handle, num_segments, local_iov, user_cookie, completion_flags);
}

DAT_RETURN dat_ep_post_recv(DAT_EP_HANDLE ep_handle, DAT_COUNT num_segments,
                            DAT_LMR_TRIPLET* local_iov, DAT_DTO_COOKIE user_cookie,
                            DAT_COMPLETION_FLAGS completion_flags) {
  return call<&DAT_PROVIDER::ep_post_recv_func, DAT_INVALID_HANDLE_EP>(
      ep_handle, num_segments, local_iov, user_cookie, completion_flags);
}

DAT_RETURN dat_ep_post_rdma_read(DAT_EP_HANDLE ep_handle, DAT_COUNT num_segments,
                                 DAT_LMR_TRIPLET* local_iov, DAT_DTO_COOKIE user_cookie,
                                 const DAT_RMR_TRIPLET* remote_buffer,
                                 DAT_COMPLETION_FLAGS completion_flags) {
  return call<&DAT_PROVIDER::ep_post_rdma_read_func, DAT_INVALID_HANDLE_EP>(
      ep_handle, num_segments, local_iov, user_cookie, remote_buffer, completion_flags);
}

DAT_RETURN dat_ep_post_rdma_write(DAT_EP_HANDLE ep_handle, DAT_COUNT num_segments,
                                  DAT_LMR_TRIPLET* local_iov, DAT_DTO_COOKIE user_cookie,
                                  const DAT_RMR_TRIPLET* remote_buffer,
                                  DAT_COMPLETION_FLAGS completion_flags) {
  return call<&DAT_PROVIDER::ep_post_rdma_write_func, DAT_INVALID_HANDLE_EP>(
      ep_handle, num_segments, local_iov, user_cookie, remote_buffer, completion_flags);
}

DAT_RETURN dat_ep_query(DAT_EP_HANDLE ep_handle, DAT_EP_PARAM_MASK ep_param_mask,
                        DAT_EP_PARAM* ep_param) {
  return call<&DAT_PROVIDER::ep_query_func, DAT_INVALID_HANDLE_EP>(ep_handle, ep_param_mask,
                                                                   ep_param);
}

DAT_RETURN dat_ep_modify(DAT_EP_HANDLE ep_handle, DAT_EP_PARAM_MASK ep_param_mask,
                         const DAT_EP_PARAM* ep_param) {
  return call<&DAT_PROVIDER::ep_modify_func, DAT_INVALID_HANDLE_EP>(ep_handle, ep_param_mask,
                                                                    ep_param);
}

DAT_RETURN dat_ep_connect(DAT_EP_HANDLE ep_handle, DAT_IA_ADDRESS_PTR remote_ia_address,
                          DAT_CONN_QUAL remote_conn_qual, DAT_TIMEOUT timeout,
                          DAT_COUNT private_data_size, const DAT_PVOID private_data, DAT_QOS qos,
                          DAT_CONNECT_FLAGS connect_flags) {
  return call<&DAT_PROVIDER::ep_connect_func, DAT_INVALID_HANDLE_EP>(
      ep_handle, remote_ia_address, remote_conn_qual, timeout, private_data_size, private_data, qos,
      connect_flags);
}

DAT_RETURN dat_ep_dup_connect(DAT_EP_HANDLE ep_handle, DAT_EP_HANDLE dup_ep_handle,
                              DAT_TIMEOUT timeout, DAT_COUNT private_data_size,
                              const DAT_PVOID private_data, DAT_QOS qos) {
  return call<&DAT_PROVIDER::ep_dup_connect_func, DAT_INVALID_HANDLE_EP>(
      ep_handle, dup_ep_handle, timeout, private_data_size, private_data, qos);
}

DAT_RETURN dat_ep_disconnect(DAT_EP_HANDLE ep_handle, DAT_CLOSE_FLAGS disconnect_flags) {
  return call<&DAT_PROVIDER::ep_disconnect_func, DAT_INVALID_HANDLE_EP>(ep_handle,
                                                                        disconnect_flags);
}

DAT_RETURN dat_ep_get_status(DAT_EP_HANDLE ep_handle, DAT_EP_STATE* ep_state,
                             DAT_BOOLEAN* recv_idle, DAT_BOOLEAN* request_idle) {
  return call<&DAT_PROVIDER::ep_get_status_func, DAT_INVALID_HANDLE_EP>(ep_handle, ep_state,
                                                                        recv_idle, request_idle);
}

DAT_RETURN dat_ep_recv_query(DAT_EP_HANDLE ep_handle, DAT_COUNT* nbufs_allocated,
                             DAT_COUNT* bufs_alloc_span) {
  return call<&DAT_PROVIDER::ep_recv_query_func, DAT_INVALID_HANDLE_EP>(ep_handle, nbufs_allocated,
                                                                        bufs_alloc_span);
}

DAT_RETURN dat_ep_set_watermark(DAT_EP_HANDLE ep_handle, DAT_COUNT soft_high_watermark,
                                DAT_COUNT hard_high_watermark) {
  return call<&DAT_PROVIDER::ep_set_watermark_func, DAT_INVALID_HANDLE_EP>(
      ep_handle, soft_high_watermark, hard_high_watermark);
}

DAT_RETURN dat_ep_reset(DAT_EP_HANDLE ep_handle) {
  return call<&DAT_PROVIDER::ep_reset_func, DAT_INVALID_HANDLE_EP>(ep_handle);
}

DAT_RETURN dat_ep_free(DAT_EP_HANDLE ep_handle) {
  return call<&DAT_PROVIDER::ep_free_func, DAT_INVALID_HANDLE_EP>(ep_handle);
}
