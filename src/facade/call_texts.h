// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/call_texts.h: the texts with which refusals name the calls of one DAT version.
// Lives here: names of calls and arguments as in the manual, which values an argument may have, and
//             the rule that says so.
// Not here:   checks. A fact that only the object knows, such as a limit, is noted by the check.
#pragma once

#include "facade/refused.h"

namespace datum::calls {

// The second text has NAME[=ALLOWED[=RULE]] for each argument, in the order of the arguments.
inline constexpr CallText kCnoCreate{"dat_cno_create", "ia_handle,agent,cno_handle=not null=R7",
                                     ""};
inline constexpr CallText kCnoFree{"dat_cno_free", "cno_handle", "a CNO without EVDs and waiters"};
inline constexpr CallText kCnoModifyAgent{"dat_cno_modify_agent", "cno_handle,agent", ""};
inline constexpr CallText kCnoQuery{
    "dat_cno_query",
    "cno_handle,cno_param_mask=no bit outside the field set=R4,cno_param=not null=R5", ""};
inline constexpr CallText kCnoWait{"dat_cno_wait", "cno_handle,timeout,evd_handle=not null=R4",
                                   "a CNO that nobody waits on"};
inline constexpr CallText kCrAccept{
    "dat_cr_accept",
    "cr_handle,ep_handle,private_data_size=0 to max_private_data_size=R14,"
    "private_data=not null where its size is above 0=R16",
    "an unconnected EP"};
inline constexpr CallText kCrHandoff{
    "dat_cr_handoff", "cr_handle,handoff=a qualifier that somebody listens on=R7", ""};
inline constexpr CallText kCrQuery{
    "dat_cr_query", "cr_handle,cr_param_mask=no bit outside the field set=R4,cr_param=not null=R5",
    ""};
inline constexpr CallText kEpConnect{
    "dat_ep_connect",
    "ep_handle,remote_ia_address=not null=R5,remote_conn_qual,timeout=not 0=R8,"
    "private_data_size=0 to max_private_data_size=R10,"
    "private_data=not null where its size is above 0=R12,qos=no unknown flag,"
    "connect_flags=0 or DAT_CONNECT_MULTIPATH_FLAG=R15",
    "an unconnected EP"};
inline constexpr CallText kEpCreate{
    "dat_ep_create",
    "ia_handle,pz_handle,recv_evd_handle,request_evd_handle,connect_evd_handle,"
    "ep_attributes=null or within the limits of the IA=R19,ep_handle=not null=R36",
    ""};
inline constexpr CallText kEpCreateWithSrq{
    "dat_ep_create_with_srq",
    "ia_handle,pz_handle,recv_evd_handle,request_evd_handle,connect_evd_handle,srq_handle,"
    "ep_attributes=not null and within the limits of the IA=R5,ep_handle=not null=R14",
    ""};
inline constexpr CallText kEpDisconnect{
    "dat_ep_disconnect",
    "ep_handle,disconnect_flags=DAT_CLOSE_ABRUPT_FLAG or DAT_CLOSE_GRACEFUL_FLAG=R4",
    "an EP that is connected or being connected"};
inline constexpr CallText kEpDupConnect{
    "dat_ep_dup_connect",
    "ep_handle,dup_ep_handle,timeout=not 0=R9,"
    "private_data_size=0 to max_private_data_size=R10,"
    "private_data=not null where its size is above 0=R12,qos=no unknown flag",
    "an unconnected EP"};
inline constexpr CallText kEpFree{"dat_ep_free", "ep_handle",
                                  "an EP that no service point or request holds"};
inline constexpr CallText kEpGetStatus{"dat_ep_get_status",
                                       "ep_handle,ep_state,recv_idle,request_idle", ""};
inline constexpr CallText kEpModify{"dat_ep_modify",
                                    "ep_handle,ep_param_mask=no bit outside the field set=R5,"
                                    "ep_param=not null with values that dat_ep_create takes=R4",
                                    "a state in which the field may change"};
inline constexpr CallText kEpPostRdmaRead{
    "dat_ep_post_rdma_read",
    "ep_handle=an EP with max_rdma_read_out above 0,"
    "num_segments=0 to what the attributes of the queue allow=R16,"
    "local_iov=not null where num_segments is above 0; each segment within its LMR and together "
    "within the largest message=R17,"
    "user_cookie,remote_buffer=not null=R13,"
    "completion_flags=flags of this operation; UNSIGNALLED where the attributes of the EP have it",
    "a connected or disconnected EP"};
inline constexpr CallText kEpPostRdmaWrite{
    "dat_ep_post_rdma_write",
    "ep_handle,num_segments=0 to what the attributes of the queue allow=R13,"
    "local_iov=not null where num_segments is above 0; each segment within its LMR and together "
    "within the largest message=R14,"
    "user_cookie,remote_buffer=not null=R11,"
    "completion_flags=flags of this operation; UNSIGNALLED where the attributes of the EP have it",
    "a connected or disconnected EP"};
inline constexpr CallText kEpPostRecv{
    "dat_ep_post_recv",
    "ep_handle,num_segments=0 to what the attributes of the queue allow=R5,"
    "local_iov=not null where num_segments is above 0; each segment within its LMR and together "
    "within the largest message=R7,"
    "user_cookie,"
    "completion_flags=flags of this operation; UNSIGNALLED where the attributes of the EP have it",
    "an EP with a PZ and without an SRQ"};
inline constexpr CallText kEpPostSend{
    "dat_ep_post_send",
    "ep_handle,num_segments=0 to what the attributes of the queue allow=R8,"
    "local_iov=not null where num_segments is above 0; each segment within its LMR and together "
    "within the largest message=R10,"
    "user_cookie,"
    "completion_flags=flags of this operation; UNSIGNALLED where the attributes of the EP have it",
    "a connected or disconnected EP"};
inline constexpr CallText kEpQuery{"dat_ep_query",
                                   "ep_handle,ep_param_mask=no bit outside the field set=R4,"
                                   "ep_param=not null=R5",
                                   ""};
inline constexpr CallText kEpRecvQuery{"dat_ep_recv_query",
                                       "ep_handle,nbufs_allocated,bufs_alloc_span", ""};
inline constexpr CallText kEpReset{"dat_ep_reset", "ep_handle",
                                   "an unconnected or disconnected EP"};
inline constexpr CallText kEpSetWatermark{
    "dat_ep_set_watermark",
    "ep_handle,soft_high_watermark=above 0 or DAT_WATERMARK_INFINITE=R5,"
    "hard_high_watermark=above 0 or DAT_WATERMARK_INFINITE=R6",
    ""};
inline constexpr CallText kEvdClearUnwaitable{"dat_evd_clear_unwaitable", "evd_handle", ""};
inline constexpr CallText kEvdCreate{
    "dat_evd_create",
    "ia_handle,evd_min_qlen=at least 1=R6,cno_handle,"
    "evd_flags=at least one and no unknown flag=R13,evd_handle=not null=R15",
    ""};
inline constexpr CallText kEvdDequeue{"dat_evd_dequeue", "evd_handle,event=not null=R4",
                                      "an EVD that no thread waits on"};
inline constexpr CallText kEvdDisable{"dat_evd_disable", "evd_handle", ""};
inline constexpr CallText kEvdEnable{"dat_evd_enable", "evd_handle", ""};
inline constexpr CallText kEvdFree{"dat_evd_free", "evd_handle",
                                   "an EVD that nothing feeds and nobody waits on"};
inline constexpr CallText kEvdModifyCno{"dat_evd_modify_cno", "evd_handle,cno_handle", ""};
inline constexpr CallText kEvdPostSe{"dat_evd_post_se",
                                     "evd_handle=an EVD with DAT_EVD_SOFTWARE_FLAG=R7,"
                                     "event=not null with event_number DAT_SOFTWARE_EVENT=R5",
                                     ""};
inline constexpr CallText kEvdQuery{
    "dat_evd_query",
    "evd_handle,evd_param_mask=no bit outside the field set=R4,evd_param=not null=R5", ""};
inline constexpr CallText kEvdResize{"dat_evd_resize", "evd_handle,evd_min_qlen=at least 1=R7",
                                     "a length that holds what is queued and waited for"};
inline constexpr CallText kEvdSetUnwaitable{"dat_evd_set_unwaitable", "evd_handle", ""};
inline constexpr CallText kEvdWait{
    "dat_evd_wait",
    "evd_handle,timeout,threshold=1 to the length of the queue=R6,event=not null=R4,"
    "nmore=not null=R5",
    "an EVD that is waitable and that no other thread waits on; a threshold of 1 where EPs steer "
    "notification"};
inline constexpr CallText kGetConsumerContext{"dat_get_consumer_context",
                                              "dat_handle,context=not null=R4", ""};
inline constexpr CallText kGetHandleType{"dat_get_handle_type",
                                         "dat_handle,handle_type=not null=R14", ""};
inline constexpr CallText kIaClose{
    "dat_ia_close", "ia_handle,ia_flags=DAT_CLOSE_ABRUPT_FLAG or DAT_CLOSE_GRACEFUL_FLAG=R4",
    "an IA without objects; or abruptly"};
inline constexpr CallText kIaOpenv{
    "dat_ia_openv",
    "name=not null,async_evd_qlen=at least 1,async_evd_handle=not null,ia_handle=not null,"
    "dapl_major,dapl_minor,thread_safety",
    ""};
inline constexpr CallText kIaQuery{
    "dat_ia_query",
    "ia_handle,async_evd_handle,ia_attr_mask=no bit outside the field set=R9,"
    "ia_attributes=not null where its mask is not 0=R6,"
    "provider_attr_mask=no bit outside the field set=R10,"
    "provider_attributes=not null where its mask is not 0=R7",
    ""};
inline constexpr CallText kLmrFree{"dat_lmr_free", "lmr_handle",
                                   "an LMR without windows and shares"};
inline constexpr CallText kLmrQuery{
    "dat_lmr_query",
    "lmr_handle,lmr_param_mask=no bit outside the field set=R4,lmr_param=not null=R5", ""};
inline constexpr CallText kLmrSyncRdmaRead{
    "dat_lmr_sync_rdma_read",
    "ia_handle,"
    "local_segments=not null where num_segments is above 0; each within an LMR=R9,"
    "num_segments=0 to what the attributes of the queue allow=R11",
    ""};
inline constexpr CallText kLmrSyncRdmaWrite{
    "dat_lmr_sync_rdma_write",
    "ia_handle,"
    "local_segments=not null where num_segments is above 0; each within an LMR=R8,"
    "num_segments=0 to what the attributes of the queue allow=R11",
    ""};
inline constexpr CallText kPspCreate{
    "dat_psp_create",
    "ia_handle,conn_qual=not 0=R5,evd_handle,"
    "psp_flags=DAT_PSP_CONSUMER_FLAG or DAT_PSP_PROVIDER_FLAG=R13,psp_handle=not null=R15",
    ""};
inline constexpr CallText kPspCreateAny{
    "dat_psp_create_any",
    "ia_handle,conn_qual=not null=R8,evd_handle,"
    "psp_flags=DAT_PSP_CONSUMER_FLAG or DAT_PSP_PROVIDER_FLAG=R10,psp_handle=not null=R11",
    ""};
inline constexpr CallText kPspFree{"dat_psp_free", "psp_handle", ""};
inline constexpr CallText kPspQuery{
    "dat_psp_query",
    "psp_handle,psp_param_mask=no bit outside the field set=R4,psp_param=not null=R5", ""};
inline constexpr CallText kPzCreate{"dat_pz_create", "ia_handle,pz_handle=not null=R5", ""};
inline constexpr CallText kPzFree{"dat_pz_free", "pz_handle", "a PZ that nothing uses"};
inline constexpr CallText kPzQuery{
    "dat_pz_query", "pz_handle,pz_param_mask=no bit outside the field set=R4,pz_param=not null=R5",
    ""};
inline constexpr CallText kRmrCreate{"dat_rmr_create", "pz_handle,rmr_handle=not null=R5", ""};
inline constexpr CallText kRmrFree{"dat_rmr_free", "rmr_handle", ""};
inline constexpr CallText kRmrQuery{
    "dat_rmr_query",
    "rmr_handle,rmr_param_mask=no bit outside the field set=R4,rmr_param=not null=R5", ""};
inline constexpr CallText kRspCreate{
    "dat_rsp_create", "ia_handle,conn_qual=not 0=R7,ep_handle,evd_handle,rsp_handle=not null=R15",
    "an unconnected EP"};
inline constexpr CallText kRspFree{"dat_rsp_free", "rsp_handle", ""};
inline constexpr CallText kRspQuery{
    "dat_rsp_query",
    "rsp_handle,rsp_param_mask=no bit outside the field set=R4,rsp_param=not null=R5", ""};
inline constexpr CallText kSetConsumerContext{"dat_set_consumer_context", "dat_handle,context", ""};
inline constexpr CallText kSrqCreate{
    "dat_srq_create",
    "ia_handle,pz_handle,"
    "srq_attr=not null with max_recv_dtos and max_recv_iov above 0 and low_watermark 0=R7,"
    "srq_handle=not null=R12",
    ""};
inline constexpr CallText kSrqFree{"dat_srq_free", "srq_handle", "an SRQ without EPs"};
inline constexpr CallText kSrqPostRecv{
    "dat_srq_post_recv",
    "srq_handle,num_segments=0 to what the attributes of the queue allow=R5,"
    "local_iov=not null where num_segments is above 0; each segment within its LMR and together "
    "within the largest message=R7,"
    "user_cookie",
    ""};
inline constexpr CallText kSrqQuery{
    "dat_srq_query",
    "srq_handle,srq_param_mask=no bit outside the field set=R4,srq_param=not null=R5", ""};
inline constexpr CallText kSrqResize{"dat_srq_resize", "srq_handle,srq_max_recv_dto=above 0=R7",
                                     "a size that holds what is posted"};
inline constexpr CallText kSrqSetLw{"dat_srq_set_lw",
                                    "srq_handle,low_watermark=0 to max_recv_dtos=R4", ""};

#if DATUM_DAT_MAJOR == 1
inline constexpr CallText kCrReject{"dat_cr_reject", "cr_handle", ""};
inline constexpr CallText kLmrCreate{
    "dat_lmr_create",
    "ia_handle,mem_type=a memory type of this version=R14,"
    "region_description=mapped memory=R15,"
    "length=above 0 and within the address space and max_lmr_block_size=R16,pz_handle,"
    "mem_privileges=no unknown flag=R21,lmr_handle=not null=R22,lmr_context,rmr_context,"
    "registered_size,registered_address",
    "memory that is shared"};
inline constexpr CallText kRmrBind{
    "dat_rmr_bind",
    "rmr_handle,lmr_triplet=not null and within a region of the IA=R7,"
    "mem_privileges=no unknown flag,ep_handle,user_cookie,"
    "completion_flags=flags of this operation; UNSIGNALLED where the attributes of the EP have it,"
    "rmr_context=not null",
    "a connected or disconnected EP with a request EVD for binds"};
#else
inline constexpr CallText kCnoFdCreate{
    "dat_cno_fd_create", "ia_handle,file_descriptor=not null,cno_handle=not null", ""};
inline constexpr CallText kCnoTrigger{"dat_cno_trigger", "cno_handle,evd_handle=not null", ""};
inline constexpr CallText kCrReject{"dat_cr_reject",
                                    "cr_handle,private_data_size=0 to max_private_data_size,"
                                    "private_data=not null where its size is above 0",
                                    ""};
inline constexpr CallText kCspCreate{
    "dat_csp_create", "ia_handle,comm=not null,address=not null,evd_handle,csp_handle=not null",
    ""};
inline constexpr CallText kCspFree{"dat_csp_free", "csp_handle", ""};
inline constexpr CallText kCspQuery{
    "dat_csp_query", "csp_handle,csp_param_mask=no bit outside the field set,csp_param=not null",
    ""};
inline constexpr CallText kEpCommonConnect{"dat_ep_common_connect",
                                           "ep_handle,remote_ia_address=not null,timeout=not 0,"
                                           "private_data_size=0 to max_private_data_size,"
                                           "private_data=not null where its size is above 0",
                                           "an unconnected EP"};
inline constexpr CallText kEpPostRdmaReadToRmr{
    "dat_ep_post_rdma_read_to_rmr",
    "ep_handle,"
    "local_iov=not null where num_segments is above 0; each segment within its LMR and together "
    "within the largest message,"
    "user_cookie,remote_buffer=not null,"
    "completion_flags=flags of this operation; UNSIGNALLED where the attributes of the EP have it",
    "a connected or disconnected EP"};
inline constexpr CallText kEpPostSendWithInvalidate{
    "dat_ep_post_send_with_invalidate",
    "ep_handle,num_segments=0 to what the attributes of the queue allow,"
    "local_iov=not null where num_segments is above 0; each segment within its LMR and together "
    "within the largest message,"
    "user_cookie,"
    "completion_flags=flags of this operation; UNSIGNALLED where the attributes of the EP have it,"
    "invalidate_flag,rmr_context=not 0",
    "a connected or disconnected EP"};
inline constexpr CallText kLmrCreate{
    "dat_lmr_create",
    "ia_handle,mem_type=a memory type of this version=R14,"
    "region_description=mapped memory=R15,"
    "length=above 0 and within the address space and max_lmr_block_size=R16,pz_handle,"
    "mem_privileges=no unknown flag=R21,va_type=DAT_VA_TYPE_VA or DAT_VA_TYPE_ZB,"
    "lmr_handle=not null=R22,lmr_context,rmr_context,registered_size,registered_address",
    "memory that is shared"};
inline constexpr CallText kRmrBind{
    "dat_rmr_bind",
    "rmr_handle,lmr_handle,lmr_triplet=not null and within a region of the IA=R7,"
    "mem_privileges=no unknown flag,va_type=DAT_VA_TYPE_VA or DAT_VA_TYPE_ZB,ep_handle,"
    "user_cookie,"
    "completion_flags=flags of this operation; UNSIGNALLED where the attributes of the EP have it,"
    "rmr_context=not null",
    "a connected or disconnected EP with a request EVD for binds"};
inline constexpr CallText kRmrCreateForEp{"dat_rmr_create_for_ep", "pz_handle,rmr_handle=not null",
                                          ""};
inline constexpr CallText kRegistryProvidersRelated{"dat_registry_providers_related",
                                                    "ia_name,other=not null,answer=not null", ""};
inline constexpr CallText kExtensionOp{"dat_extension_op", "dat_handle,operation", ""};
// The macros of the extensions pass the operation as the second argument of dat_extension_op().
inline constexpr CallText kIbPostFetchAndAdd{
    "dat_ib_post_fetch_and_add",
    "ep,operation,add_val,lbuf=not null,cookie,rbuf=not null,flgs=flags of this operation",
    "a connected or disconnected EP"};
inline constexpr CallText kIbPostCmpAndSwap{
    "dat_ib_post_cmp_and_swap",
    "ep,operation,cmp_val,swap_val,lbuf=not null,cookie,rbuf=not null,"
    "flgs=flags of this operation",
    "a connected or disconnected EP"};
inline constexpr CallText kIbPostRdmaWriteImmed{
    "dat_ib_post_rdma_write_immed",
    "ep,operation,size=0 or more,lbuf=not null where size is above 0,cookie,rbuf=not null,idata,"
    "flgs=flags of this operation",
    "a connected or disconnected EP"};
inline constexpr CallText kIbPostSendUd{
    "dat_ib_post_send_ud",
    "ep,operation,segments=0 or more,lbuf=not null where segments is above 0,"
    "ah_ptr=not null and an address that was resolved,cookie,flgs=flags of this operation",
    "an EP of datagrams that is connected"};
inline constexpr CallText kIbUdAhFree{"dat_ib_ud_ah_free", "ep,operation,ah=not null", ""};
inline constexpr CallText kIbUdCmFree{"dat_ib_ud_cm_free", "ep,operation,cm", ""};
inline constexpr CallText kIbQueryCounters{
    "dat_ib_query_counters",
    "dat_handle,operation,cntr=a counter of the object,p_cntrs_out=not null", ""};
inline constexpr CallText kIbPrintCounters{"dat_ib_print_counters",
                                           "dat_handle,operation,cntr=a counter of the object", ""};
inline constexpr CallText kIbStartCounter{"dat_ib_start_counter",
                                          "dat_handle,operation,type=a group of counters", ""};
inline constexpr CallText kIbStopCounter{"dat_ib_stop_counter",
                                         "dat_handle,operation,type=a group of counters", ""};
inline constexpr CallText kIbOpenQuery{
    "dat_ib_open_query",
    "dat_handle,operation,name=not null,ia_handle=not null,ia_mask=no bit outside the field set,"
    "ia_attr=not null where ia_mask is not 0,prov_mask=no bit outside the field set,"
    "prov_attr=not null where prov_mask is not 0",
    ""};
inline constexpr CallText kIbCloseQuery{"dat_ib_close_query", "ia_handle", ""};
#endif

} // namespace datum::calls
