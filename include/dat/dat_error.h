/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * <dat/dat_error.h>: the return codes of DAT 1.2.
 * Lives here: class, type and subtype of a DAT_RETURN, and the macros that take one apart.
 * Not here:   completion statuses and event numbers (dat.h); texts (dat_strerror()).
 *
 * A failing call returns DAT_CLASS_ERROR | type | subtype. The type constants below carry no
 * class bit, so compare DAT_GET_TYPE(ret) with them; only "ret == DAT_SUCCESS" is safe as is.
 */
#ifndef _DAT_ERROR_H_
#define _DAT_ERROR_H_

#include <dat/dat_platform_specific.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef DAT_UINT32 DAT_RETURN;

/* Bits 31 and 30: the class. */
#define DAT_CLASS_ERROR 0x80000000
#define DAT_CLASS_WARNING 0x40000000
#define DAT_CLASS_SUCCESS 0x00000000

/* Bits 29 to 16: the type. Bits 15 to 0: the subtype. */
#define DAT_TYPE_MASK 0x3fff0000
#define DAT_SUBTYPE_MASK 0x0000ffff

#define DAT_IS_WARNING(status) ((status)&DAT_CLASS_WARNING)
#define DAT_GET_TYPE(status) ((status)&DAT_TYPE_MASK)
#define DAT_GET_SUBTYPE(status) ((status)&DAT_SUBTYPE_MASK)

/* What went wrong. */
__extension__ typedef enum dat_return_type {
  DAT_SUCCESS = 0x00000000,                     /* done */
  DAT_ABORT = 0x00010000,                       /* a wait ended because its IA was closed */
  DAT_CONN_QUAL_IN_USE = 0x00020000,            /* another service point listens there */
  DAT_INSUFFICIENT_RESOURCES = 0x00030000,      /* memory, descriptors, queue slots */
  DAT_INTERNAL_ERROR = 0x00040000,              /* a fault of the provider or the registry */
  DAT_INVALID_HANDLE = 0x00050000,              /* NULL, destroyed, of the wrong kind or IA */
  DAT_INVALID_PARAMETER = 0x00060000,           /* the subtype names the argument */
  DAT_INVALID_STATE = 0x00070000,               /* the subtype names the state */
  DAT_LENGTH_ERROR = 0x00080000,                /* the receiving side is too small */
  DAT_MODEL_NOT_SUPPORTED = 0x00090000,         /* an optional feature that is absent */
  DAT_PROVIDER_NOT_FOUND = 0x000a0000,          /* no registry entry matches */
  DAT_PRIVILEGES_VIOLATION = 0x000b0000,        /* an access right is missing */
  DAT_PROTECTION_VIOLATION = 0x000c0000,        /* protection zones differ */
  DAT_QUEUE_EMPTY = 0x000d0000,                 /* no event; also timeout of dat_cno_wait() */
  DAT_QUEUE_FULL = 0x000e0000,                  /* no room for a software event */
  DAT_TIMEOUT_EXPIRED = 0x000f0000,             /* dat_evd_wait() found too few events */
  DAT_PROVIDER_ALREADY_REGISTERED = 0x00100000, /* the registry key is taken */
  DAT_PROVIDER_IN_USE = 0x00110000,             /* an IA of this provider is open */
  DAT_INVALID_ADDRESS = 0x00120000,             /* the remote address cannot be used */
  DAT_INTERRUPTED_CALL = 0x00130000,            /* a signal ended a wait */
  DAT_CONN_QUAL_UNAVAILABLE = 0x00140000,       /* no free qualifier is left */
  /*
   * Wider than the type mask and with the warning bit set; existing binaries contain the value.
   * Compare the whole return value with it.
   */
  DAT_NOT_IMPLEMENTED = 0xffff0000
} DAT_RETURN_TYPE;

#define DAT_NAME_NOT_FOUND DAT_PROVIDER_NOT_FOUND

/*
 * The detail. The numbers begin at 0 and have no gap. Do not confuse DAT_INVALID_HANDLE (a type)
 * with DAT_INVALID_HANDLE1 (a subtype: "the first handle argument").
 */
typedef enum dat_return_subtype {
  /* No detail. */
  DAT_NO_SUBTYPE = 0,
  /* DAT_INTERRUPTED_CALL. */
  DAT_SUB_INTERRUPTED = 1,
  /* DAT_INSUFFICIENT_RESOURCES: what ran out. */
  DAT_RESOURCE_MEMORY = 2,
  DAT_RESOURCE_DEVICE = 3,
  DAT_RESOURCE_TEP = 4,
  DAT_RESOURCE_TEVD = 5,
  DAT_RESOURCE_PROTECTION_DOMAIN = 6,
  DAT_RESOURCE_MEMORY_REGION = 7,
  DAT_RESOURCE_ERROR_HANDLER = 8,
  DAT_RESOURCE_CREDITS = 9,
  DAT_RESOURCE_SRQ = 10,
  /* DAT_INVALID_HANDLE: the expected kind, or else the position among the arguments. */
  DAT_INVALID_HANDLE_IA = 11,
  DAT_INVALID_HANDLE_EP = 12,
  DAT_INVALID_HANDLE_LMR = 13,
  DAT_INVALID_HANDLE_RMR = 14,
  DAT_INVALID_HANDLE_PZ = 15,
  DAT_INVALID_HANDLE_PSP = 16,
  DAT_INVALID_HANDLE_RSP = 17,
  DAT_INVALID_HANDLE_CR = 18,
  DAT_INVALID_HANDLE_CNO = 19,
  DAT_INVALID_HANDLE_EVD_CR = 20,
  DAT_INVALID_HANDLE_EVD_REQUEST = 21,
  DAT_INVALID_HANDLE_EVD_RECV = 22,
  DAT_INVALID_HANDLE_EVD_CONN = 23,
  DAT_INVALID_HANDLE_EVD_ASYNC = 24,
  DAT_INVALID_HANDLE_SRQ = 25,
  DAT_INVALID_HANDLE1 = 26,
  DAT_INVALID_HANDLE2 = 27,
  DAT_INVALID_HANDLE3 = 28,
  DAT_INVALID_HANDLE4 = 29,
  DAT_INVALID_HANDLE5 = 30,
  DAT_INVALID_HANDLE6 = 31,
  DAT_INVALID_HANDLE7 = 32,
  DAT_INVALID_HANDLE8 = 33,
  DAT_INVALID_HANDLE9 = 34,
  DAT_INVALID_HANDLE10 = 35,
  /* DAT_INVALID_PARAMETER: the position of the argument, counted from 1. */
  DAT_INVALID_ARG1 = 36,
  DAT_INVALID_ARG2 = 37,
  DAT_INVALID_ARG3 = 38,
  DAT_INVALID_ARG4 = 39,
  DAT_INVALID_ARG5 = 40,
  DAT_INVALID_ARG6 = 41,
  DAT_INVALID_ARG7 = 42,
  DAT_INVALID_ARG8 = 43,
  DAT_INVALID_ARG9 = 44,
  DAT_INVALID_ARG10 = 45,
  /* DAT_INVALID_STATE: the state that forbids the call, or what is missing. */
  DAT_INVALID_STATE_EP_UNCONNECTED = 46,
  DAT_INVALID_STATE_EP_ACTCONNPENDING = 47,
  DAT_INVALID_STATE_EP_PASSCONNPENDING = 48,
  DAT_INVALID_STATE_EP_TENTCONNPENDING = 49,
  DAT_INVALID_STATE_EP_CONNECTED = 50,
  DAT_INVALID_STATE_EP_DISCONNECTED = 51,
  DAT_INVALID_STATE_EP_RESERVED = 52,
  DAT_INVALID_STATE_EP_COMPLPENDING = 53,
  DAT_INVALID_STATE_EP_DISCPENDING = 54,
  DAT_INVALID_STATE_EP_PROVIDERCONTROL = 55,
  DAT_INVALID_STATE_EP_NOTREADY = 56,
  DAT_INVALID_STATE_EP_RECV_WATERMARK = 57,
  DAT_INVALID_STATE_EP_PZ = 58,
  DAT_INVALID_STATE_EP_EVD_REQUEST = 59,
  DAT_INVALID_STATE_EP_EVD_RECV = 60,
  DAT_INVALID_STATE_EP_EVD_CONNECT = 61,
  DAT_INVALID_STATE_EP_UNCONFIGURED = 62,
  DAT_INVALID_STATE_EP_UNCONFRESERVED = 63,
  DAT_INVALID_STATE_EP_UNCONFPASSIVE = 64,
  DAT_INVALID_STATE_EP_UNCONFTENTATIVE = 65,
  DAT_INVALID_STATE_CNO_IN_USE = 66,
  DAT_INVALID_STATE_CNO_DEAD = 67,
  DAT_INVALID_STATE_EVD_OPEN = 68,
  DAT_INVALID_STATE_EVD_ENABLED = 69,
  DAT_INVALID_STATE_EVD_DISABLED = 70,
  DAT_INVALID_STATE_EVD_WAITABLE = 71,
  DAT_INVALID_STATE_EVD_UNWAITABLE = 72,
  DAT_INVALID_STATE_EVD_IN_USE = 73,
  DAT_INVALID_STATE_EVD_CONFIG_NOTIFY = 74,
  DAT_INVALID_STATE_EVD_CONFIG_SOLICITED = 75,
  DAT_INVALID_STATE_EVD_CONFIG_THRESHOLD = 76,
  DAT_INVALID_STATE_EVD_WAITER = 77,
  DAT_INVALID_STATE_EVD_ASYNC = 78,
  DAT_INVALID_STATE_IA_IN_USE = 79,
  DAT_INVALID_STATE_LMR_IN_USE = 80,
  DAT_INVALID_STATE_LMR_FREE = 81,
  DAT_INVALID_STATE_PZ_IN_USE = 82,
  DAT_INVALID_STATE_PZ_FREE = 83,
  DAT_INVALID_STATE_SRQ_OPERATIONAL = 84,
  DAT_INVALID_STATE_SRQ_ERROR = 85,
  DAT_INVALID_STATE_SRQ_IN_USE = 86,
  /* DAT_PRIVILEGES_VIOLATION and DAT_PROTECTION_VIOLATION: the access refused. */
  DAT_PRIVILEGES_READ = 87,
  DAT_PRIVILEGES_WRITE = 88,
  DAT_PRIVILEGES_RDMA_READ = 89,
  DAT_PRIVILEGES_RDMA_WRITE = 90,
  DAT_PROTECTION_READ = 91,
  DAT_PROTECTION_WRITE = 92,
  DAT_PROTECTION_RDMA_READ = 93,
  DAT_PROTECTION_RDMA_WRITE = 94,
  /* DAT_INVALID_ADDRESS. */
  DAT_INVALID_ADDRESS_UNSUPPORTED = 95,
  DAT_INVALID_ADDRESS_UNREACHABLE = 96,
  DAT_INVALID_ADDRESS_MALFORMED = 97,
  /* DAT_PROVIDER_NOT_FOUND: the first part of the registry key that matched nothing. */
  DAT_NAME_NOT_REGISTERED = 98,
  DAT_MAJOR_NOT_FOUND = 99,
  DAT_MINOR_NOT_FOUND = 100,
  DAT_THREAD_SAFETY_NOT_FOUND = 101,
  /* DAT_INVALID_PARAMETER of systems that enforce relaxed ordering; never returned on Linux. */
  DAT_INVALID_RO_COOKIE = 102
} DAT_RETURN_SUBTYPE;

#ifdef __cplusplus
}
#endif

#endif /* _DAT_ERROR_H_ */
