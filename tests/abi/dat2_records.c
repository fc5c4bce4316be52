/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * tests/abi/dat2_records.c: size, alignment and members of every record.
 * Literal numbers, on purpose: they are what compiled programs contain. Compiled as C and as C++.
 */
#include <dat2/dat_registry.h>
#include <dat2/udat.h>

#include "dat_assert.h"

IS_RECORD(DAT_COMM, struct dat_comm, 12, 4);
HAS_MEMBER(DAT_COMM, domain, 0, 4);
HAS_MEMBER(DAT_COMM, type, 4, 4);
HAS_MEMBER(DAT_COMM, protocol, 8, 4);

IS_RECORD(DAT_NAMED_ATTR, struct dat_named_attr, 16, 8);
HAS_MEMBER(DAT_NAMED_ATTR, name, 0, 8);
HAS_MEMBER(DAT_NAMED_ATTR, value, 8, 8);

IS_RECORD(DAT_CONTEXT, union dat_context, 8, 8);
HAS_MEMBER(DAT_CONTEXT, as_ptr, 0, 8);
HAS_MEMBER(DAT_CONTEXT, as_64, 0, 8);
HAS_MEMBER(DAT_CONTEXT, as_index, 0, 8);

IS_RECORD(DAT_LMR_TRIPLET, struct dat_lmr_triplet, 16, 8);
HAS_MEMBER(DAT_LMR_TRIPLET, virtual_address, 0, 8);
HAS_MEMBER(DAT_LMR_TRIPLET, segment_length, 8, 4);
HAS_MEMBER(DAT_LMR_TRIPLET, lmr_context, 12, 4);

IS_RECORD(DAT_RMR_TRIPLET, struct dat_rmr_triplet, 16, 8);
HAS_MEMBER(DAT_RMR_TRIPLET, virtual_address, 0, 8);
HAS_MEMBER(DAT_RMR_TRIPLET, segment_length, 8, 4);
HAS_MEMBER(DAT_RMR_TRIPLET, rmr_context, 12, 4);

IS_RECORD(DAT_RMR_PARAM, struct dat_rmr_param, 48, 8);
HAS_MEMBER(DAT_RMR_PARAM, ia_handle, 0, 8);
HAS_MEMBER(DAT_RMR_PARAM, pz_handle, 8, 8);
HAS_MEMBER(DAT_RMR_PARAM, lmr_triplet, 16, 16);
HAS_MEMBER(DAT_RMR_PARAM, mem_priv, 32, 4);
HAS_MEMBER(DAT_RMR_PARAM, rmr_context, 36, 4);
HAS_MEMBER(DAT_RMR_PARAM, rmr_scope, 40, 4);
HAS_MEMBER(DAT_RMR_PARAM, va_type, 44, 4);

IS_RECORD(DAT_EP_ATTR, struct dat_ep_attr, 88, 8);
HAS_MEMBER(DAT_EP_ATTR, service_type, 0, 4);
HAS_MEMBER(DAT_EP_ATTR, max_message_size, 4, 4);
HAS_MEMBER(DAT_EP_ATTR, max_rdma_size, 8, 4);
HAS_MEMBER(DAT_EP_ATTR, qos, 12, 4);
HAS_MEMBER(DAT_EP_ATTR, recv_completion_flags, 16, 4);
HAS_MEMBER(DAT_EP_ATTR, request_completion_flags, 20, 4);
HAS_MEMBER(DAT_EP_ATTR, max_recv_dtos, 24, 4);
HAS_MEMBER(DAT_EP_ATTR, max_request_dtos, 28, 4);
HAS_MEMBER(DAT_EP_ATTR, max_recv_iov, 32, 4);
HAS_MEMBER(DAT_EP_ATTR, max_request_iov, 36, 4);
HAS_MEMBER(DAT_EP_ATTR, max_rdma_read_in, 40, 4);
HAS_MEMBER(DAT_EP_ATTR, max_rdma_read_out, 44, 4);
HAS_MEMBER(DAT_EP_ATTR, srq_soft_hw, 48, 4);
HAS_MEMBER(DAT_EP_ATTR, max_rdma_read_iov, 52, 4);
HAS_MEMBER(DAT_EP_ATTR, max_rdma_write_iov, 56, 4);
HAS_MEMBER(DAT_EP_ATTR, ep_transport_specific_count, 60, 4);
HAS_MEMBER(DAT_EP_ATTR, ep_transport_specific, 64, 8);
HAS_MEMBER(DAT_EP_ATTR, ep_provider_specific_count, 72, 4);
HAS_MEMBER(DAT_EP_ATTR, ep_provider_specific, 80, 8);

IS_RECORD(DAT_EP_PARAM, struct dat_ep_param, 184, 8);
HAS_MEMBER(DAT_EP_PARAM, ia_handle, 0, 8);
HAS_MEMBER(DAT_EP_PARAM, ep_state, 8, 4);
HAS_MEMBER(DAT_EP_PARAM, comm, 12, 12);
HAS_MEMBER(DAT_EP_PARAM, local_ia_address_ptr, 24, 8);
HAS_MEMBER(DAT_EP_PARAM, local_port_qual, 32, 8);
HAS_MEMBER(DAT_EP_PARAM, remote_ia_address_ptr, 40, 8);
HAS_MEMBER(DAT_EP_PARAM, remote_port_qual, 48, 8);
HAS_MEMBER(DAT_EP_PARAM, pz_handle, 56, 8);
HAS_MEMBER(DAT_EP_PARAM, recv_evd_handle, 64, 8);
HAS_MEMBER(DAT_EP_PARAM, request_evd_handle, 72, 8);
HAS_MEMBER(DAT_EP_PARAM, connect_evd_handle, 80, 8);
HAS_MEMBER(DAT_EP_PARAM, srq_handle, 88, 8);
HAS_MEMBER(DAT_EP_PARAM, ep_attr, 96, 88);

IS_RECORD(DAT_SRQ_ATTR, struct dat_srq_attr, 12, 4);
HAS_MEMBER(DAT_SRQ_ATTR, max_recv_dtos, 0, 4);
HAS_MEMBER(DAT_SRQ_ATTR, max_recv_iov, 4, 4);
HAS_MEMBER(DAT_SRQ_ATTR, low_watermark, 8, 4);

IS_RECORD(DAT_SRQ_PARAM, struct dat_srq_param, 48, 8);
HAS_MEMBER(DAT_SRQ_PARAM, ia_handle, 0, 8);
HAS_MEMBER(DAT_SRQ_PARAM, srq_state, 8, 4);
HAS_MEMBER(DAT_SRQ_PARAM, pz_handle, 16, 8);
HAS_MEMBER(DAT_SRQ_PARAM, max_recv_dtos, 24, 4);
HAS_MEMBER(DAT_SRQ_PARAM, max_recv_iov, 28, 4);
HAS_MEMBER(DAT_SRQ_PARAM, low_watermark, 32, 4);
HAS_MEMBER(DAT_SRQ_PARAM, available_dto_count, 36, 4);
HAS_MEMBER(DAT_SRQ_PARAM, outstanding_dto_count, 40, 4);

IS_RECORD(DAT_PZ_PARAM, struct dat_pz_param, 8, 8);
HAS_MEMBER(DAT_PZ_PARAM, ia_handle, 0, 8);

IS_RECORD(DAT_PSP_PARAM, struct dat_psp_param, 32, 8);
HAS_MEMBER(DAT_PSP_PARAM, ia_handle, 0, 8);
HAS_MEMBER(DAT_PSP_PARAM, conn_qual, 8, 8);
HAS_MEMBER(DAT_PSP_PARAM, evd_handle, 16, 8);
HAS_MEMBER(DAT_PSP_PARAM, psp_flags, 24, 4);

IS_RECORD(DAT_RSP_PARAM, struct dat_rsp_param, 32, 8);
HAS_MEMBER(DAT_RSP_PARAM, ia_handle, 0, 8);
HAS_MEMBER(DAT_RSP_PARAM, conn_qual, 8, 8);
HAS_MEMBER(DAT_RSP_PARAM, evd_handle, 16, 8);
HAS_MEMBER(DAT_RSP_PARAM, ep_handle, 24, 8);

IS_RECORD(DAT_CSP_PARAM, struct dat_csp_param, 32, 8);
HAS_MEMBER(DAT_CSP_PARAM, ia_handle, 0, 8);
HAS_MEMBER(DAT_CSP_PARAM, comm, 8, 8);
HAS_MEMBER(DAT_CSP_PARAM, address_ptr, 16, 8);
HAS_MEMBER(DAT_CSP_PARAM, evd_handle, 24, 8);

IS_RECORD(DAT_CR_PARAM, struct dat_cr_param, 40, 8);
HAS_MEMBER(DAT_CR_PARAM, remote_ia_address_ptr, 0, 8);
HAS_MEMBER(DAT_CR_PARAM, remote_port_qual, 8, 8);
HAS_MEMBER(DAT_CR_PARAM, private_data_size, 16, 4);
HAS_MEMBER(DAT_CR_PARAM, private_data, 24, 8);
HAS_MEMBER(DAT_CR_PARAM, local_ep_handle, 32, 8);

IS_RECORD(DAT_DTO_COMPLETION_EVENT_DATA, struct dat_dto_completion_event_data, 32, 8);
HAS_MEMBER(DAT_DTO_COMPLETION_EVENT_DATA, ep_handle, 0, 8);
HAS_MEMBER(DAT_DTO_COMPLETION_EVENT_DATA, user_cookie, 8, 8);
HAS_MEMBER(DAT_DTO_COMPLETION_EVENT_DATA, status, 16, 4);
HAS_MEMBER(DAT_DTO_COMPLETION_EVENT_DATA, transfered_length, 20, 4);
HAS_MEMBER(DAT_DTO_COMPLETION_EVENT_DATA, operation, 24, 4);
HAS_MEMBER(DAT_DTO_COMPLETION_EVENT_DATA, rmr_context, 28, 4);

IS_RECORD(DAT_RMR_BIND_COMPLETION_EVENT_DATA, struct dat_rmr_bind_completion_event_data, 24, 8);
HAS_MEMBER(DAT_RMR_BIND_COMPLETION_EVENT_DATA, rmr_handle, 0, 8);
HAS_MEMBER(DAT_RMR_BIND_COMPLETION_EVENT_DATA, user_cookie, 8, 8);
HAS_MEMBER(DAT_RMR_BIND_COMPLETION_EVENT_DATA, status, 16, 4);

IS_RECORD(DAT_SP_HANDLE, union dat_sp_handle, 8, 8);
HAS_MEMBER(DAT_SP_HANDLE, rsp_handle, 0, 8);
HAS_MEMBER(DAT_SP_HANDLE, psp_handle, 0, 8);
HAS_MEMBER(DAT_SP_HANDLE, csp_handle, 0, 8);

IS_RECORD(DAT_CR_ARRIVAL_EVENT_DATA, struct dat_cr_arrival_event_data, 40, 8);
HAS_MEMBER(DAT_CR_ARRIVAL_EVENT_DATA, sp_handle, 0, 8);
HAS_MEMBER(DAT_CR_ARRIVAL_EVENT_DATA, local_ia_address_ptr, 8, 8);
HAS_MEMBER(DAT_CR_ARRIVAL_EVENT_DATA, conn_qual, 16, 8);
HAS_MEMBER(DAT_CR_ARRIVAL_EVENT_DATA, cr_handle, 24, 8);
HAS_MEMBER(DAT_CR_ARRIVAL_EVENT_DATA, truncate_flag, 32, 4);

IS_RECORD(DAT_CONNECTION_EVENT_DATA, struct dat_connection_event_data, 24, 8);
HAS_MEMBER(DAT_CONNECTION_EVENT_DATA, ep_handle, 0, 8);
HAS_MEMBER(DAT_CONNECTION_EVENT_DATA, private_data_size, 8, 4);
HAS_MEMBER(DAT_CONNECTION_EVENT_DATA, private_data, 16, 8);

IS_RECORD(DAT_ASYNCH_ERROR_EVENT_DATA, struct dat_asynch_error_event_data, 16, 8);
HAS_MEMBER(DAT_ASYNCH_ERROR_EVENT_DATA, dat_handle, 0, 8);
HAS_MEMBER(DAT_ASYNCH_ERROR_EVENT_DATA, reason, 8, 4);

IS_RECORD(DAT_SOFTWARE_EVENT_DATA, struct dat_software_event_data, 8, 8);
HAS_MEMBER(DAT_SOFTWARE_EVENT_DATA, pointer, 0, 8);

IS_RECORD(DAT_EVENT_DATA, union dat_event_data, 40, 8);
HAS_MEMBER(DAT_EVENT_DATA, dto_completion_event_data, 0, 32);
HAS_MEMBER(DAT_EVENT_DATA, rmr_completion_event_data, 0, 24);
HAS_MEMBER(DAT_EVENT_DATA, cr_arrival_event_data, 0, 40);
HAS_MEMBER(DAT_EVENT_DATA, connect_event_data, 0, 24);
HAS_MEMBER(DAT_EVENT_DATA, asynch_error_event_data, 0, 16);
HAS_MEMBER(DAT_EVENT_DATA, software_event_data, 0, 8);

IS_RECORD(DAT_EVENT, struct dat_event, 120, 8);
HAS_MEMBER(DAT_EVENT, event_number, 0, 4);
HAS_MEMBER(DAT_EVENT, evd_handle, 8, 8);
HAS_MEMBER(DAT_EVENT, event_data, 16, 40);
HAS_MEMBER(DAT_EVENT, event_extension_data, 56, 64);

IS_RECORD(DAT_PROVIDER_INFO, struct dat_provider_info, 268, 4);
HAS_MEMBER(DAT_PROVIDER_INFO, ia_name, 0, 256);
HAS_MEMBER(DAT_PROVIDER_INFO, dapl_version_major, 256, 4);
HAS_MEMBER(DAT_PROVIDER_INFO, dapl_version_minor, 260, 4);
HAS_MEMBER(DAT_PROVIDER_INFO, is_thread_safe, 264, 4);

IS_RECORD(DAT_EVD_PARAM, struct dat_evd_param, 32, 8);
HAS_MEMBER(DAT_EVD_PARAM, ia_handle, 0, 8);
HAS_MEMBER(DAT_EVD_PARAM, evd_qlen, 8, 4);
HAS_MEMBER(DAT_EVD_PARAM, evd_state, 12, 4);
HAS_MEMBER(DAT_EVD_PARAM, cno_handle, 16, 8);
HAS_MEMBER(DAT_EVD_PARAM, evd_flags, 24, 4);

IS_RECORD(DAT_OS_WAIT_PROXY_AGENT, struct dat_os_wait_proxy_agent, 16, 8);
HAS_MEMBER(DAT_OS_WAIT_PROXY_AGENT, instance_data, 0, 8);
HAS_MEMBER(DAT_OS_WAIT_PROXY_AGENT, proxy_agent_func, 8, 8);

IS_RECORD(DAT_SHARED_MEMORY, struct dat_shared_memory, 16, 8);
HAS_MEMBER(DAT_SHARED_MEMORY, virtual_address, 0, 8);
HAS_MEMBER(DAT_SHARED_MEMORY, shared_memory_id, 8, 8);

IS_RECORD(DAT_REGION_DESCRIPTION, union dat_region_description, 16, 8);
HAS_MEMBER(DAT_REGION_DESCRIPTION, for_va, 0, 8);
HAS_MEMBER(DAT_REGION_DESCRIPTION, for_lmr_handle, 0, 8);
HAS_MEMBER(DAT_REGION_DESCRIPTION, for_shared_memory, 0, 16);

IS_RECORD(DAT_LMR_PARAM, struct dat_lmr_param, 80, 8);
HAS_MEMBER(DAT_LMR_PARAM, ia_handle, 0, 8);
HAS_MEMBER(DAT_LMR_PARAM, mem_type, 8, 4);
HAS_MEMBER(DAT_LMR_PARAM, region_desc, 16, 16);
HAS_MEMBER(DAT_LMR_PARAM, length, 32, 8);
HAS_MEMBER(DAT_LMR_PARAM, pz_handle, 40, 8);
HAS_MEMBER(DAT_LMR_PARAM, mem_priv, 48, 4);
HAS_MEMBER(DAT_LMR_PARAM, va_type, 52, 4);
HAS_MEMBER(DAT_LMR_PARAM, lmr_context, 56, 4);
HAS_MEMBER(DAT_LMR_PARAM, rmr_context, 60, 4);
HAS_MEMBER(DAT_LMR_PARAM, registered_size, 64, 8);
HAS_MEMBER(DAT_LMR_PARAM, registered_address, 72, 8);

IS_RECORD(DAT_CNO_PARAM, struct dat_cno_param, 32, 8);
HAS_MEMBER(DAT_CNO_PARAM, ia_handle, 0, 8);
HAS_MEMBER(DAT_CNO_PARAM, proxy_type, 8, 4);
HAS_MEMBER(DAT_CNO_PARAM, proxy, 16, 16);
HAS_MEMBER(DAT_CNO_PARAM, proxy.agent, 16, 16);
HAS_MEMBER(DAT_CNO_PARAM, proxy.fd, 16, 4);
HAS_MEMBER(DAT_CNO_PARAM, proxy.none, 16, 8);

IS_RECORD(DAT_IA_ATTR, struct dat_ia_attr, 688, 8);
HAS_MEMBER(DAT_IA_ATTR, adapter_name, 0, 256);
HAS_MEMBER(DAT_IA_ATTR, vendor_name, 256, 256);
HAS_MEMBER(DAT_IA_ATTR, hardware_version_major, 512, 4);
HAS_MEMBER(DAT_IA_ATTR, hardware_version_minor, 516, 4);
HAS_MEMBER(DAT_IA_ATTR, firmware_version_major, 520, 4);
HAS_MEMBER(DAT_IA_ATTR, firmware_version_minor, 524, 4);
HAS_MEMBER(DAT_IA_ATTR, ia_address_ptr, 528, 8);
HAS_MEMBER(DAT_IA_ATTR, max_eps, 536, 4);
HAS_MEMBER(DAT_IA_ATTR, max_dto_per_ep, 540, 4);
HAS_MEMBER(DAT_IA_ATTR, max_rdma_read_per_ep_in, 544, 4);
HAS_MEMBER(DAT_IA_ATTR, max_rdma_read_per_ep_out, 548, 4);
HAS_MEMBER(DAT_IA_ATTR, max_evds, 552, 4);
HAS_MEMBER(DAT_IA_ATTR, max_evd_qlen, 556, 4);
HAS_MEMBER(DAT_IA_ATTR, max_iov_segments_per_dto, 560, 4);
HAS_MEMBER(DAT_IA_ATTR, max_lmrs, 564, 4);
HAS_MEMBER(DAT_IA_ATTR, max_lmr_block_size, 568, 4);
HAS_MEMBER(DAT_IA_ATTR, max_lmr_virtual_address, 576, 8);
HAS_MEMBER(DAT_IA_ATTR, max_pzs, 584, 4);
HAS_MEMBER(DAT_IA_ATTR, max_message_size, 588, 4);
HAS_MEMBER(DAT_IA_ATTR, max_rdma_size, 592, 4);
HAS_MEMBER(DAT_IA_ATTR, max_rmrs, 596, 4);
HAS_MEMBER(DAT_IA_ATTR, max_rmr_target_address, 600, 8);
HAS_MEMBER(DAT_IA_ATTR, max_srqs, 608, 4);
HAS_MEMBER(DAT_IA_ATTR, max_ep_per_srq, 612, 4);
HAS_MEMBER(DAT_IA_ATTR, max_recv_per_srq, 616, 4);
HAS_MEMBER(DAT_IA_ATTR, max_iov_segments_per_rdma_read, 620, 4);
HAS_MEMBER(DAT_IA_ATTR, max_iov_segments_per_rdma_write, 624, 4);
HAS_MEMBER(DAT_IA_ATTR, max_rdma_read_in, 628, 4);
HAS_MEMBER(DAT_IA_ATTR, max_rdma_read_out, 632, 4);
HAS_MEMBER(DAT_IA_ATTR, max_rdma_read_per_ep_in_guaranteed, 636, 4);
HAS_MEMBER(DAT_IA_ATTR, max_rdma_read_per_ep_out_guaranteed, 640, 4);
HAS_MEMBER(DAT_IA_ATTR, zb_supported, 644, 4);
HAS_MEMBER(DAT_IA_ATTR, extension_supported, 648, 4);
HAS_MEMBER(DAT_IA_ATTR, extension_version, 652, 4);
HAS_MEMBER(DAT_IA_ATTR, num_transport_attr, 656, 4);
HAS_MEMBER(DAT_IA_ATTR, transport_attr, 664, 8);
HAS_MEMBER(DAT_IA_ATTR, num_vendor_attr, 672, 4);
HAS_MEMBER(DAT_IA_ATTR, vendor_attr, 680, 8);

IS_RECORD(DAT_PROVIDER_ATTR, struct dat_provider_attr, 520, 8);
HAS_MEMBER(DAT_PROVIDER_ATTR, provider_name, 0, 256);
HAS_MEMBER(DAT_PROVIDER_ATTR, provider_version_major, 256, 4);
HAS_MEMBER(DAT_PROVIDER_ATTR, provider_version_minor, 260, 4);
HAS_MEMBER(DAT_PROVIDER_ATTR, dapl_version_major, 264, 4);
HAS_MEMBER(DAT_PROVIDER_ATTR, dapl_version_minor, 268, 4);
HAS_MEMBER(DAT_PROVIDER_ATTR, lmr_mem_types_supported, 272, 4);
HAS_MEMBER(DAT_PROVIDER_ATTR, iov_ownership_on_return, 276, 4);
HAS_MEMBER(DAT_PROVIDER_ATTR, dat_qos_supported, 280, 4);
HAS_MEMBER(DAT_PROVIDER_ATTR, completion_flags_supported, 284, 4);
HAS_MEMBER(DAT_PROVIDER_ATTR, is_thread_safe, 288, 4);
HAS_MEMBER(DAT_PROVIDER_ATTR, max_private_data_size, 292, 4);
HAS_MEMBER(DAT_PROVIDER_ATTR, supports_multipath, 296, 4);
HAS_MEMBER(DAT_PROVIDER_ATTR, ep_creator, 300, 4);
HAS_MEMBER(DAT_PROVIDER_ATTR, pz_support, 304, 4);
HAS_MEMBER(DAT_PROVIDER_ATTR, optimal_buffer_alignment, 308, 4);
HAS_MEMBER(DAT_PROVIDER_ATTR, evd_stream_merging_supported, 312, 144);
HAS_MEMBER(DAT_PROVIDER_ATTR, srq_supported, 456, 4);
HAS_MEMBER(DAT_PROVIDER_ATTR, srq_watermarks_supported, 460, 4);
HAS_MEMBER(DAT_PROVIDER_ATTR, srq_ep_pz_difference_supported, 464, 4);
HAS_MEMBER(DAT_PROVIDER_ATTR, srq_info_supported, 468, 4);
HAS_MEMBER(DAT_PROVIDER_ATTR, ep_recv_info_supported, 472, 4);
HAS_MEMBER(DAT_PROVIDER_ATTR, lmr_sync_req, 476, 4);
HAS_MEMBER(DAT_PROVIDER_ATTR, dto_async_return_guaranteed, 480, 4);
HAS_MEMBER(DAT_PROVIDER_ATTR, rdma_write_for_rdma_read_req, 484, 4);
HAS_MEMBER(DAT_PROVIDER_ATTR, rdma_read_lmr_rmr_context_exposure, 488, 4);
HAS_MEMBER(DAT_PROVIDER_ATTR, rmr_scope_supported, 492, 4);
HAS_MEMBER(DAT_PROVIDER_ATTR, is_signal_safe, 496, 4);
HAS_MEMBER(DAT_PROVIDER_ATTR, ha_supported, 500, 4);
HAS_MEMBER(DAT_PROVIDER_ATTR, ha_loadbalancing, 504, 4);
HAS_MEMBER(DAT_PROVIDER_ATTR, num_provider_specific_attr, 508, 4);
HAS_MEMBER(DAT_PROVIDER_ATTR, provider_specific_attr, 512, 8);
