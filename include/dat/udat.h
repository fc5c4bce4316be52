/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * <dat/udat.h>: the user-level Direct Access Transport API, version 1.2.
 * Lives here: what exists only at user level: memory region descriptions, consumer notification
 *             objects (CNO), waiting on event dispatchers, provider attributes.
 * Not here:   what user and kernel level share (dat.h), the provider side (dat_registry.h).
 *
 * This is the header that programs include. It works in C99 and C++; link with -ldat.
 */
#ifndef _UDAT_H_
#define _UDAT_H_

#include <dat/udat_config.h>

#include <dat/dat_platform_specific.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How the memory of a region (LMR) is described; see DAT_REGION_DESCRIPTION. */
typedef enum dat_mem_type {
  DAT_MEM_TYPE_VIRTUAL = 0,        /* an address in this process: for_va */
  DAT_MEM_TYPE_LMR = 1,            /* an existing LMR: for_lmr_handle */
  DAT_MEM_TYPE_SHARED_VIRTUAL = 2, /* memory shared between processes: for_shared_memory */
  DAT_MEM_TYPE_SO_VIRTUAL = 3      /* like VIRTUAL, strongly ordered; the same on Linux */
} DAT_MEM_TYPE;

/* What dat_get_handle_type() returns. */
typedef enum dat_handle_type {
  DAT_HANDLE_TYPE_CR = 0,
  DAT_HANDLE_TYPE_EP = 1,
  DAT_HANDLE_TYPE_EVD = 2,
  DAT_HANDLE_TYPE_IA = 3,
  DAT_HANDLE_TYPE_LMR = 4,
  DAT_HANDLE_TYPE_PSP = 5,
  DAT_HANDLE_TYPE_PZ = 6,
  DAT_HANDLE_TYPE_RMR = 7,
  DAT_HANDLE_TYPE_RSP = 8,
  DAT_HANDLE_TYPE_CNO = 9,
  DAT_HANDLE_TYPE_SRQ = 10
} DAT_HANDLE_TYPE;

/* State of an event dispatcher: one value of each of three groups, combined with |. */
typedef enum dat_evd_state {
  /* Does an arriving event trigger the CNO? Starts as ENABLED. */
  DAT_EVD_STATE_ENABLED = 0x01,
  DAT_EVD_STATE_DISABLED = 0x02,
  /* May a thread call dat_evd_wait()? Starts as WAITABLE. */
  DAT_EVD_STATE_WAITABLE = 0x04,
  DAT_EVD_STATE_UNWAITABLE = 0x08,
  /* Which completions notify. Follows from the flags of the endpoints that use the EVD. */
  DAT_EVD_STATE_CONFIG_NOTIFY = 0x10,
  DAT_EVD_STATE_CONFIG_SOLICITED = 0x20,
  DAT_EVD_STATE_CONFIG_THRESHOLD = 0x30
} DAT_EVD_STATE;

/* Fields of DAT_EVD_PARAM for dat_evd_query(). */
typedef enum dat_evd_param_mask {
  DAT_EVD_FIELD_IA_HANDLE = 0x01,
  DAT_EVD_FIELD_EVD_QLEN = 0x02,
  DAT_EVD_FIELD_EVD_STATE = 0x04,
  DAT_EVD_FIELD_CNO = 0x08,
  DAT_EVD_FIELD_EVD_FLAGS = 0x10,

  DAT_EVD_FIELD_ALL = 0x1f
} DAT_EVD_PARAM_MASK;

typedef DAT_UINT64 DAT_PROVIDER_ATTR_MASK; /* DAT_PROVIDER_FIELD_..., below */

#ifdef __cplusplus
}
#endif

#include <dat/dat.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef DAT_HANDLE DAT_CNO_HANDLE;

/* ---- Event dispatchers and notification objects ---- */

struct dat_evd_param {
  DAT_IA_HANDLE ia_handle;
  DAT_COUNT evd_qlen; /* events it can hold: at least what was asked for */
  DAT_EVD_STATE evd_state;
  DAT_CNO_HANDLE cno_handle; /* DAT_HANDLE_NULL: none */
  DAT_EVD_FLAGS evd_flags;
};

/* Called at the next trigger of its CNO only. dat_cno_modify_agent() arms it again. */
typedef void (*DAT_AGENT_FUNC)(DAT_PVOID /* instance_data */, DAT_EVD_HANDLE /* evd_handle */);

typedef struct dat_os_wait_proxy_agent {
  DAT_PVOID instance_data; /* handed to the function as it is */
  DAT_AGENT_FUNC proxy_agent_func;
} DAT_OS_WAIT_PROXY_AGENT;

/* No agent. */
#ifdef __cplusplus
#define DAT_OS_WAIT_PROXY_AGENT_NULL (DAT_OS_WAIT_PROXY_AGENT())
#else
#define DAT_OS_WAIT_PROXY_AGENT_NULL ((DAT_OS_WAIT_PROXY_AGENT){NULL, NULL})
#endif

/* Two special values of the EVD argument of dat_ia_open(). */
#ifdef __cplusplus
#define DAT_EVD_ASYNC_EXISTS (reinterpret_cast<DAT_EVD_HANDLE>(static_cast<uintptr_t>(1)))
#define DAT_EVD_OUT_OF_SCOPE (reinterpret_cast<DAT_EVD_HANDLE>(static_cast<uintptr_t>(2)))
#else
#define DAT_EVD_ASYNC_EXISTS ((DAT_EVD_HANDLE)(uintptr_t)1) /* an EVD for async errors exists */
#define DAT_EVD_OUT_OF_SCOPE ((DAT_EVD_HANDLE)(uintptr_t)2) /* its EVD is not visible here */
#endif

/* Fields of DAT_CNO_PARAM for dat_cno_query(). */
typedef enum dat_cno_param_mask {
  DAT_CNO_FIELD_IA_HANDLE = 0x1,
  DAT_CNO_FIELD_AGENT = 0x2,

  DAT_CNO_FIELD_ALL = 0x3
} DAT_CNO_PARAM_MASK;

typedef struct dat_cno_param {
  DAT_IA_HANDLE ia_handle;
  DAT_OS_WAIT_PROXY_AGENT agent;
} DAT_CNO_PARAM;

/* ---- Memory regions ---- */

/* Names memory that several processes share: the same 40 bytes in each of them. */
#define DAT_LMR_COOKIE_SIZE 40
typedef char (*DAT_LMR_COOKIE)[DAT_LMR_COOKIE_SIZE];

typedef struct dat_shared_memory {
  DAT_PVOID virtual_address;
  DAT_LMR_COOKIE shared_memory_id;
} DAT_SHARED_MEMORY;

/* Which member counts depends on DAT_MEM_TYPE. Passed by value. */
typedef union dat_region_description {
  DAT_PVOID for_va;
  DAT_LMR_HANDLE for_lmr_handle;
  DAT_SHARED_MEMORY for_shared_memory;
} DAT_REGION_DESCRIPTION;

struct dat_lmr_param {
  DAT_IA_HANDLE ia_handle;
  DAT_MEM_TYPE mem_type;
  DAT_REGION_DESCRIPTION region_desc;
  DAT_VLEN length; /* bytes, as asked for */
  DAT_PZ_HANDLE pz_handle;
  DAT_MEM_PRIV_FLAGS mem_priv;
  DAT_LMR_CONTEXT lmr_context;
  DAT_RMR_CONTEXT rmr_context; /* 0 without remote privileges */
  DAT_VLEN registered_size;    /* bytes, as registered: may be more */
  DAT_VADDR registered_address;
};

/* ---- Provider attributes ---- */

#include <dat/udat_vendor_specific.h>

/* May objects of one protection zone be used by several processes? */
typedef enum dat_pz_support { DAT_PZ_UNIQUE = 0, DAT_PZ_SHAREABLE = 1 } DAT_PZ_SUPPORT;

/* Facts about the library behind an IA, from dat_ia_query(). */
struct dat_provider_attr {
  char provider_name[DAT_NAME_MAX_LENGTH];
  DAT_UINT32 provider_version_major;
  DAT_UINT32 provider_version_minor;
  DAT_UINT32 dapl_version_major; /* API version of this open */
  DAT_UINT32 dapl_version_minor;
  DAT_MEM_TYPE lmr_mem_types_supported; /* OR of the DAT_MEM_TYPE values */
  DAT_IOV_OWNERSHIP iov_ownership_on_return;
  DAT_QOS dat_qos_supported;                       /* OR of the DAT_QOS values */
  DAT_COMPLETION_FLAGS completion_flags_supported; /* OR of the flags */
  DAT_BOOLEAN is_thread_safe;
  DAT_COUNT max_private_data_size; /* bytes, at least 64 */
  DAT_BOOLEAN supports_multipath;
  DAT_EP_CREATOR_FOR_PSP ep_creator;
  DAT_PZ_SUPPORT pz_support;
  DAT_UINT32 optimal_buffer_alignment; /* bytes, a divisor of DAT_OPTIMAL_ALIGNMENT */
  /*
   * [i][j]: may streams i and j feed one EVD? Order of both: software, CR, DTO, connection,
   * RMR bind, asynchronous. (Other DAT headers say const, which makes the struct unusable as a
   * variable in C++.)
   */
  DAT_BOOLEAN evd_stream_merging_supported[6][6];
  DAT_BOOLEAN srq_supported;
  DAT_COUNT srq_watermarks_supported;         /* bits: 1 SRQ low, 2 EP soft high, 4 EP hard high */
  DAT_BOOLEAN srq_ep_pz_difference_supported; /* may an EP's PZ differ from its SRQ's? */
  DAT_COUNT srq_info_supported;               /* bits: 1 available, 2 outstanding DTO count */
  DAT_COUNT ep_recv_info_supported;           /* bits: 1 buffers, 2 span of dat_ep_recv_query() */
  DAT_BOOLEAN lmr_sync_req;                   /* must dat_lmr_sync_...() be called? */
  DAT_BOOLEAN dto_async_return_guaranteed;    /* do posts report errors by completion only? */
  DAT_BOOLEAN rdma_write_for_rdma_read_req;   /* does a read's sink need remote write? */
  DAT_COUNT num_provider_specific_attr;
  DAT_NAMED_ATTR* provider_specific_attr; /* storage of the provider */
};

/* Fields of DAT_PROVIDER_ATTR. */
#define DAT_PROVIDER_FIELD_PROVIDER_NAME UINT64_C(0x0000001)
#define DAT_PROVIDER_FIELD_PROVIDER_VERSION_MAJOR UINT64_C(0x0000002)
#define DAT_PROVIDER_FIELD_PROVIDER_VERSION_MINOR UINT64_C(0x0000004)
#define DAT_PROVIDER_FIELD_DAPL_VERSION_MAJOR UINT64_C(0x0000008)
#define DAT_PROVIDER_FIELD_DAPL_VERSION_MINOR UINT64_C(0x0000010)
#define DAT_PROVIDER_FIELD_LMR_MEM_TYPE_SUPPORTED UINT64_C(0x0000020)
#define DAT_PROVIDER_FIELD_IOV_OWNERSHIP UINT64_C(0x0000040)
#define DAT_PROVIDER_FIELD_DAT_QOS_SUPPORTED UINT64_C(0x0000080)
#define DAT_PROVIDER_FIELD_COMPLETION_FLAGS_SUPPORTED UINT64_C(0x0000100)
#define DAT_PROVIDER_FIELD_IS_THREAD_SAFE UINT64_C(0x0000200)
#define DAT_PROVIDER_FIELD_MAX_PRIVATE_DATA_SIZE UINT64_C(0x0000400)
#define DAT_PROVIDER_FIELD_SUPPORTS_MULTIPATH UINT64_C(0x0000800)
#define DAT_PROVIDER_FIELD_EP_CREATOR UINT64_C(0x0001000)
#define DAT_PROVIDER_FIELD_PZ_SUPPORT UINT64_C(0x0002000)
#define DAT_PROVIDER_FIELD_OPTIMAL_BUFFER_ALIGNMENT UINT64_C(0x0004000)
#define DAT_PROVIDER_FIELD_EVD_STREAM_MERGING_SUPPORTED UINT64_C(0x0008000)
#define DAT_PROVIDER_FIELD_SRQ_SUPPORTED UINT64_C(0x0010000)
#define DAT_PROVIDER_FIELD_SRQ_WATERMARKS_SUPPORTED UINT64_C(0x0020000)
#define DAT_PROVIDER_FIELD_SRQ_EP_PZ_DIFFERENCE_SUPPORTED UINT64_C(0x0040000)
#define DAT_PROVIDER_FIELD_SRQ_INFO_SUPPORTED UINT64_C(0x0080000)
#define DAT_PROVIDER_FIELD_EP_RECV_INFO_SUPPORTED UINT64_C(0x0100000)
#define DAT_PROVIDER_FIELD_LMR_SYNC_REQ UINT64_C(0x0200000)
#define DAT_PROVIDER_FIELD_DTO_ASYNC_RETURN_GUARANTEED UINT64_C(0x0400000)
#define DAT_PROVIDER_FIELD_RDMA_WRITE_FOR_RDMA_READ_REQ UINT64_C(0x0800000)
#define DAT_PROVIDER_FIELD_NUM_PROVIDER_SPECIFIC_ATTR UINT64_C(0x1000000)
#define DAT_PROVIDER_FIELD_PROVIDER_SPECIFIC_ATTR UINT64_C(0x2000000)

#define DAT_PROVIDER_FIELD_ALL UINT64_C(0x3ffffff)
#define DAT_PROVIDER_FIELD_NONE UINT64_C(0x0)

/* ---- Functions that exist at user level only ---- */

DAT_RETURN dat_lmr_create(DAT_IA_HANDLE ia_handle, DAT_MEM_TYPE mem_type,
                          DAT_REGION_DESCRIPTION region_description, DAT_VLEN length,
                          DAT_PZ_HANDLE pz_handle, DAT_MEM_PRIV_FLAGS mem_privileges,
                          DAT_LMR_HANDLE* lmr_handle, DAT_LMR_CONTEXT* lmr_context,
                          DAT_RMR_CONTEXT* rmr_context, DAT_VLEN* registered_size,
                          DAT_VADDR* registered_address);

DAT_RETURN dat_evd_create(DAT_IA_HANDLE ia_handle, DAT_COUNT evd_min_qlen,
                          DAT_CNO_HANDLE cno_handle, DAT_EVD_FLAGS evd_flags,
                          DAT_EVD_HANDLE* evd_handle);

DAT_RETURN dat_evd_modify_cno(DAT_EVD_HANDLE evd_handle, DAT_CNO_HANDLE cno_handle);

DAT_RETURN dat_evd_enable(DAT_EVD_HANDLE evd_handle);

DAT_RETURN dat_evd_disable(DAT_EVD_HANDLE evd_handle);

/* Waits at most timeout microseconds until the EVD holds threshold events; takes the first. */
DAT_RETURN dat_evd_wait(DAT_EVD_HANDLE evd_handle, DAT_TIMEOUT timeout, DAT_COUNT threshold,
                        DAT_EVENT* event, DAT_COUNT* nmore);

DAT_RETURN dat_evd_set_unwaitable(DAT_EVD_HANDLE evd_handle);

DAT_RETURN dat_evd_clear_unwaitable(DAT_EVD_HANDLE evd_handle);

DAT_RETURN dat_cno_create(DAT_IA_HANDLE ia_handle, DAT_OS_WAIT_PROXY_AGENT agent,
                          DAT_CNO_HANDLE* cno_handle);

DAT_RETURN dat_cno_modify_agent(DAT_CNO_HANDLE cno_handle, DAT_OS_WAIT_PROXY_AGENT agent);

DAT_RETURN dat_cno_query(DAT_CNO_HANDLE cno_handle, DAT_CNO_PARAM_MASK cno_param_mask,
                         DAT_CNO_PARAM* cno_param);

DAT_RETURN dat_cno_free(DAT_CNO_HANDLE cno_handle);

/* Waits at most timeout microseconds for a trigger; on timeout DAT_QUEUE_EMPTY and a null EVD. */
DAT_RETURN dat_cno_wait(DAT_CNO_HANDLE cno_handle, DAT_TIMEOUT timeout, DAT_EVD_HANDLE* evd_handle);

#ifdef __cplusplus
}
#endif

#endif /* _UDAT_H_ */
