/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * tests/abi/dat2_idioms.c: what programs write with the DAT 2.0 headers, in C and in C++.
 * Compiled, not run. Extended operations expand to casts that have to fit both languages.
 */
#include <dat2/udat.h>

#include <dat2/dat_ib_extensions.h>

DAT_RETURN open_by_macro(DAT_NAME_PTR name, DAT_IA_HANDLE* ia);
DAT_RETURN wait_by_descriptor(DAT_IA_HANDLE ia, DAT_FD* fd);
DAT_RETURN refuse(DAT_CR_HANDLE cr);
DAT_RETURN post_extended(DAT_EP_HANDLE ep, DAT_LMR_TRIPLET* local, DAT_RMR_TRIPLET* remote);
DAT_RETURN datagrams(DAT_EP_HANDLE ep, DAT_LMR_TRIPLET* local, DAT_IB_ADDR_HANDLE* to);
DAT_RETURN counters(DAT_EP_HANDLE ep, DAT_UINT64* values);
DAT_RETURN attributes_unopened(DAT_NAME_PTR name, DAT_IA_ATTR* attributes);
DAT_UINT32 immediate_of(DAT_EVENT* event);
DAT_CONNECT_FLAGS both_names(void);

DAT_RETURN open_by_macro(DAT_NAME_PTR name, DAT_IA_HANDLE* ia) {
  DAT_EVD_HANDLE async = DAT_HANDLE_NULL;
  DAT_RETURN ret = dat_ia_open(name, 8, &async, ia);
  if (DAT_GET_TYPE(ret) == DAT_NOT_IMPLEMENTED) return ret;
  return DAT_IA_HANDLE_TO_UL(*ia) == 1UL ? dat_ia_close(*ia, DAT_CLOSE_DEFAULT) : ret;
}

DAT_RETURN wait_by_descriptor(DAT_IA_HANDLE ia, DAT_FD* fd) {
  DAT_CNO_HANDLE cno = DAT_HANDLE_NULL;
  DAT_EVD_HANDLE evd = DAT_HANDLE_NULL;
  DAT_RETURN ret = dat_cno_fd_create(ia, fd, &cno);
  return ret != DAT_SUCCESS ? ret : dat_cno_trigger(cno, &evd);
}

DAT_RETURN refuse(DAT_CR_HANDLE cr) {
  char why[] = "full";
  return dat_cr_reject(cr, (DAT_COUNT)sizeof why, why);
}

DAT_RETURN post_extended(DAT_EP_HANDLE ep, DAT_LMR_TRIPLET* local, DAT_RMR_TRIPLET* remote) {
  DAT_DTO_COOKIE cookie;
  DAT_RETURN ret;
  cookie.as_64 = 1;
  ret = dat_ib_post_fetch_and_add(ep, 1, local, cookie, remote, DAT_COMPLETION_DEFAULT_FLAG);
  if (ret != DAT_SUCCESS) return ret;
  ret = dat_ib_post_cmp_and_swap(ep, 1, 2, local, cookie, remote, DAT_COMPLETION_DEFAULT_FLAG);
  if (ret != DAT_SUCCESS) return ret;
  return dat_ib_post_rdma_write_immed(ep, 1, local, cookie, remote, 7,
                                      DAT_COMPLETION_SUPPRESS_FLAG);
}

DAT_RETURN datagrams(DAT_EP_HANDLE ep, DAT_LMR_TRIPLET* local, DAT_IB_ADDR_HANDLE* to) {
  DAT_DTO_COOKIE cookie;
  cookie.as_64 = 2;
  dat_ib_post_recv_ud(ep, 1, local, cookie, DAT_COMPLETION_DEFAULT_FLAG);
  dat_ib_ud_cm_free(ep, cookie);
  dat_ib_ud_ah_free(ep, to);
  return dat_ib_post_send_ud(ep, 1, local, to, cookie, DAT_COMPLETION_DEFAULT_FLAG);
}

DAT_RETURN counters(DAT_EP_HANDLE ep, DAT_UINT64* values) {
  dat_query_counters(ep, DCNT_EP_ALL_COUNTERS, values, 0);
  dat_ib_start_counter(ep, DCNT_IA_CM);
  dat_ib_stop_counter(ep, DCNT_IA_LNK);
  return dat_print_counters(ep, DCNT_EP_POST_SEND, 1);
}

DAT_RETURN attributes_unopened(DAT_NAME_PTR name, DAT_IA_ATTR* attributes) {
  DAT_HANDLE ia = DAT_HANDLE_NULL;
  dat_ib_open_query(name, &ia, DAT_IA_FIELD_ALL, attributes, 0, NULL);
  return dat_ib_close_query(ia);
}

DAT_UINT32 immediate_of(DAT_EVENT* event) {
  DAT_IB_EXTENSION_EVENT_DATA* data =
      (DAT_IB_EXTENSION_EVENT_DATA*)(void*)&event->event_extension_data[0];
  return data->type == DAT_IB_RDMA_WRITE_IMMED_DATA ? data->val.immed.data : data->remote_ah.qpn;
}

DAT_CONNECT_FLAGS both_names(void) {
#ifdef DAT_CONNECT_MULTIPATH_REQUESTED_FLAG
  return DAT_CONNECT_MULTIPATH_REQUESTED_FLAG;
#else
#error "programs test for this name"
#endif
}
