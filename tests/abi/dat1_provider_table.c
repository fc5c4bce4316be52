/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * tests/abi/dat1_provider_table.c: position and type of every slot of the table a provider
 * registers. Literal numbers, on purpose: they are what compiled programs contain. Compiled as C
 * and as C++.
 */
#include <dat/dat_registry.h>
#include <dat/udat.h>

#include "dat_assert.h"

IS_RECORD(DAT_PROVIDER, struct dat_provider, 560, 8);
HAS_SLOT(0, device_name, const char*);
HAS_SLOT(1, extension, DAT_PVOID);
HAS_SLOT(2, ia_open_func, DAT_IA_OPEN_FUNC);
HAS_SLOT(3, ia_query_func, DAT_IA_QUERY_FUNC);
HAS_SLOT(4, ia_close_func, DAT_IA_CLOSE_FUNC);
HAS_SLOT(5, set_consumer_context_func, DAT_SET_CONSUMER_CONTEXT_FUNC);
HAS_SLOT(6, get_consumer_context_func, DAT_GET_CONSUMER_CONTEXT_FUNC);
HAS_SLOT(7, get_handle_type_func, DAT_GET_HANDLE_TYPE_FUNC);
HAS_SLOT(8, cno_create_func, DAT_CNO_CREATE_FUNC);
HAS_SLOT(9, cno_modify_agent_func, DAT_CNO_MODIFY_AGENT_FUNC);
HAS_SLOT(10, cno_query_func, DAT_CNO_QUERY_FUNC);
HAS_SLOT(11, cno_free_func, DAT_CNO_FREE_FUNC);
HAS_SLOT(12, cno_wait_func, DAT_CNO_WAIT_FUNC);
HAS_SLOT(13, cr_query_func, DAT_CR_QUERY_FUNC);
HAS_SLOT(14, cr_accept_func, DAT_CR_ACCEPT_FUNC);
HAS_SLOT(15, cr_reject_func, DAT_CR_REJECT_FUNC);
HAS_SLOT(16, cr_handoff_func, DAT_CR_HANDOFF_FUNC);
HAS_SLOT(17, evd_create_func, DAT_EVD_CREATE_FUNC);
HAS_SLOT(18, evd_query_func, DAT_EVD_QUERY_FUNC);
HAS_SLOT(19, evd_modify_cno_func, DAT_EVD_MODIFY_CNO_FUNC);
HAS_SLOT(20, evd_enable_func, DAT_EVD_ENABLE_FUNC);
HAS_SLOT(21, evd_disable_func, DAT_EVD_DISABLE_FUNC);
HAS_SLOT(22, evd_wait_func, DAT_EVD_WAIT_FUNC);
HAS_SLOT(23, evd_resize_func, DAT_EVD_RESIZE_FUNC);
HAS_SLOT(24, evd_post_se_func, DAT_EVD_POST_SE_FUNC);
HAS_SLOT(25, evd_dequeue_func, DAT_EVD_DEQUEUE_FUNC);
HAS_SLOT(26, evd_free_func, DAT_EVD_FREE_FUNC);
HAS_SLOT(27, ep_create_func, DAT_EP_CREATE_FUNC);
HAS_SLOT(28, ep_query_func, DAT_EP_QUERY_FUNC);
HAS_SLOT(29, ep_modify_func, DAT_EP_MODIFY_FUNC);
HAS_SLOT(30, ep_connect_func, DAT_EP_CONNECT_FUNC);
HAS_SLOT(31, ep_dup_connect_func, DAT_EP_DUP_CONNECT_FUNC);
HAS_SLOT(32, ep_disconnect_func, DAT_EP_DISCONNECT_FUNC);
HAS_SLOT(33, ep_post_send_func, DAT_EP_POST_SEND_FUNC);
HAS_SLOT(34, ep_post_recv_func, DAT_EP_POST_RECV_FUNC);
HAS_SLOT(35, ep_post_rdma_read_func, DAT_EP_POST_RDMA_READ_FUNC);
HAS_SLOT(36, ep_post_rdma_write_func, DAT_EP_POST_RDMA_WRITE_FUNC);
HAS_SLOT(37, ep_get_status_func, DAT_EP_GET_STATUS_FUNC);
HAS_SLOT(38, ep_free_func, DAT_EP_FREE_FUNC);
HAS_SLOT(39, lmr_create_func, DAT_LMR_CREATE_FUNC);
HAS_SLOT(40, lmr_query_func, DAT_LMR_QUERY_FUNC);
HAS_SLOT(41, lmr_free_func, DAT_LMR_FREE_FUNC);
HAS_SLOT(42, rmr_create_func, DAT_RMR_CREATE_FUNC);
HAS_SLOT(43, rmr_query_func, DAT_RMR_QUERY_FUNC);
HAS_SLOT(44, rmr_bind_func, DAT_RMR_BIND_FUNC);
HAS_SLOT(45, rmr_free_func, DAT_RMR_FREE_FUNC);
HAS_SLOT(46, psp_create_func, DAT_PSP_CREATE_FUNC);
HAS_SLOT(47, psp_query_func, DAT_PSP_QUERY_FUNC);
HAS_SLOT(48, psp_free_func, DAT_PSP_FREE_FUNC);
HAS_SLOT(49, rsp_create_func, DAT_RSP_CREATE_FUNC);
HAS_SLOT(50, rsp_query_func, DAT_RSP_QUERY_FUNC);
HAS_SLOT(51, rsp_free_func, DAT_RSP_FREE_FUNC);
HAS_SLOT(52, pz_create_func, DAT_PZ_CREATE_FUNC);
HAS_SLOT(53, pz_query_func, DAT_PZ_QUERY_FUNC);
HAS_SLOT(54, pz_free_func, DAT_PZ_FREE_FUNC);
HAS_SLOT(55, psp_create_any_func, DAT_PSP_CREATE_ANY_FUNC);
HAS_SLOT(56, ep_reset_func, DAT_EP_RESET_FUNC);
HAS_SLOT(57, evd_set_unwaitable_func, DAT_EVD_SET_UNWAITABLE_FUNC);
HAS_SLOT(58, evd_clear_unwaitable_func, DAT_EVD_CLEAR_UNWAITABLE_FUNC);
HAS_SLOT(59, lmr_sync_rdma_read_func, DAT_LMR_SYNC_RDMA_READ_FUNC);
HAS_SLOT(60, lmr_sync_rdma_write_func, DAT_LMR_SYNC_RDMA_WRITE_FUNC);
HAS_SLOT(61, ep_create_with_srq_func, DAT_EP_CREATE_WITH_SRQ_FUNC);
HAS_SLOT(62, ep_recv_query_func, DAT_EP_RECV_QUERY_FUNC);
HAS_SLOT(63, ep_set_watermark_func, DAT_EP_SET_WATERMARK_FUNC);
HAS_SLOT(64, srq_create_func, DAT_SRQ_CREATE_FUNC);
HAS_SLOT(65, srq_free_func, DAT_SRQ_FREE_FUNC);
HAS_SLOT(66, srq_post_recv_func, DAT_SRQ_POST_RECV_FUNC);
HAS_SLOT(67, srq_query_func, DAT_SRQ_QUERY_FUNC);
HAS_SLOT(68, srq_resize_func, DAT_SRQ_RESIZE_FUNC);
HAS_SLOT(69, srq_set_lw_func, DAT_SRQ_SET_LW_FUNC);
