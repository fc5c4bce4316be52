// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/registry/every_call.h: the 66 calls that libdat forwards. Each has the position of its slot
// in the provider table and the subtype that a bad handle gives. The numbers are literals from the
// specification. X(function, slot, subtype)
#pragma once

#define DATUM_CALLS_ON_IAS(X)                                                                      \
  X(dat_ia_query, 3, 11)                                                                           \
  X(dat_evd_create, 17, 11)                                                                        \
  X(dat_cno_create, 8, 11)                                                                         \
  X(dat_ep_create, 27, 11)                                                                         \
  X(dat_ep_create_with_srq, 61, 11)                                                                \
  X(dat_pz_create, 52, 11)                                                                         \
  X(dat_lmr_create, 39, 11)                                                                        \
  X(dat_lmr_sync_rdma_read, 59, 11)                                                                \
  X(dat_lmr_sync_rdma_write, 60, 11)                                                               \
  X(dat_psp_create, 46, 11)                                                                        \
  X(dat_psp_create_any, 55, 11)                                                                    \
  X(dat_rsp_create, 49, 11)                                                                        \
  X(dat_srq_create, 64, 11)

#define DATUM_CALLS_ON_ANYTHING(X)                                                                 \
  X(dat_set_consumer_context, 5, 26)                                                               \
  X(dat_get_consumer_context, 6, 26)                                                               \
  X(dat_get_handle_type, 7, 26)

#define DATUM_CALLS_ON_OBJECTS(X)                                                                  \
  X(dat_psp_query, 47, 16)                                                                         \
  X(dat_psp_free, 48, 16)                                                                          \
  X(dat_rsp_query, 50, 17)                                                                         \
  X(dat_rsp_free, 51, 17)                                                                          \
  X(dat_cr_query, 13, 18)                                                                          \
  X(dat_cr_accept, 14, 18)                                                                         \
  X(dat_cr_reject, 15, 18)                                                                         \
  X(dat_cr_handoff, 16, 18)                                                                        \
  X(dat_ep_post_send, 33, 12)                                                                      \
  X(dat_ep_post_recv, 34, 12)                                                                      \
  X(dat_ep_post_rdma_read, 35, 12)                                                                 \
  X(dat_ep_post_rdma_write, 36, 12)                                                                \
  X(dat_ep_query, 28, 12)                                                                          \
  X(dat_ep_modify, 29, 12)                                                                         \
  X(dat_ep_connect, 30, 12)                                                                        \
  X(dat_ep_dup_connect, 31, 12)                                                                    \
  X(dat_ep_disconnect, 32, 12)                                                                     \
  X(dat_ep_get_status, 37, 12)                                                                     \
  X(dat_ep_recv_query, 62, 12)                                                                     \
  X(dat_ep_set_watermark, 63, 12)                                                                  \
  X(dat_ep_reset, 56, 12)                                                                          \
  X(dat_ep_free, 38, 12)                                                                           \
  X(dat_evd_wait, 22, 21)                                                                          \
  X(dat_evd_dequeue, 25, 21)                                                                       \
  X(dat_evd_query, 18, 21)                                                                         \
  X(dat_evd_modify_cno, 19, 21)                                                                    \
  X(dat_evd_enable, 20, 21)                                                                        \
  X(dat_evd_disable, 21, 21)                                                                       \
  X(dat_evd_set_unwaitable, 57, 21)                                                                \
  X(dat_evd_clear_unwaitable, 58, 21)                                                              \
  X(dat_evd_resize, 23, 21)                                                                        \
  X(dat_evd_post_se, 24, 21)                                                                       \
  X(dat_evd_free, 26, 21)                                                                          \
  X(dat_cno_wait, 12, 19)                                                                          \
  X(dat_cno_modify_agent, 9, 19)                                                                   \
  X(dat_cno_query, 10, 19)                                                                         \
  X(dat_cno_free, 11, 19)                                                                          \
  X(dat_rmr_bind, 44, 14)                                                                          \
  X(dat_rmr_create, 42, 15)                                                                        \
  X(dat_rmr_query, 43, 14)                                                                         \
  X(dat_rmr_free, 45, 14)                                                                          \
  X(dat_lmr_query, 40, 13)                                                                         \
  X(dat_lmr_free, 41, 13)                                                                          \
  X(dat_pz_query, 53, 15)                                                                          \
  X(dat_pz_free, 54, 15)                                                                           \
  X(dat_srq_post_recv, 66, 25)                                                                     \
  X(dat_srq_query, 67, 25)                                                                         \
  X(dat_srq_resize, 68, 25)                                                                        \
  X(dat_srq_set_lw, 69, 25)                                                                        \
  X(dat_srq_free, 65, 25)
