// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// harness/dat.h: the DAT version that the tests are compiled for; each test is compiled once for
// libdat.so.1 and once for libdat2.so.2. DATUM_DAT_MAJOR says which.
// Lives here: the headers, the values that differ between the versions, and, in the form that both
//             versions have, the calls to which DAT 2.0 added arguments.
// Not here:   what only one version has; those tests are in files of their own.
#pragma once

#if DATUM_DAT_MAJOR == 1
#include <dat/dat_registry.h>
#elif DATUM_DAT_MAJOR == 2
#include <dat2/dat_registry.h>
#else
#error "compile with DATUM_DAT_MAJOR=1 or =2"
#endif

namespace datum::test {

// Triplets whatever their layout is.
inline DAT_LMR_TRIPLET local_part(DAT_LMR_CONTEXT context, DAT_VADDR address, DAT_VLEN length) {
  DAT_LMR_TRIPLET part{};
  part.lmr_context = context;
  part.virtual_address = address;
  part.segment_length = static_cast<decltype(part.segment_length)>(length);
  return part;
}

#if DATUM_DAT_MAJOR == 1
inline constexpr DAT_UINT32 kApiMajor = 1;
inline constexpr DAT_UINT32 kApiMinor = 2;
using SegmentLength = DAT_VLEN;

inline DAT_VADDR& address_in(DAT_RMR_TRIPLET& part) {
  return part.target_address;
}
inline DAT_OS_WAIT_PROXY_AGENT agent_in(const DAT_CNO_PARAM& param) {
  return param.agent;
}

inline constexpr DAT_MEM_TYPE kStronglyOrdered = DAT_MEM_TYPE_SO_VIRTUAL;

inline constexpr DAT_UINT64 kCnoFields = 0x3;
inline constexpr DAT_UINT64 kEpFields = 0x7ffff7ff;
inline constexpr DAT_UINT64 kUnusedEpField = 0x800;       // between EP fields and EP attributes
inline constexpr DAT_UINT64 kUnknownEpField = 0x80000000; // above all fields
inline constexpr DAT_UINT64 kLmrFields = 0x3ff;
inline constexpr DAT_UINT64 kRmrFields = 0x1f;
inline constexpr int kUnknownEvdFlag = 0x200;
inline constexpr int kUnknownService = 1;
inline constexpr int kUnknownPrivilege = 0x40;
inline constexpr int kSrqOperational = 0;
// True: the own side may read memory that it registered without the right to read (DAT2.18).
inline constexpr bool kAlwaysReadable = false;
// True: the event of the request that an RSP took names the RSP (DAT2.30).
inline constexpr bool kNamesSpentRsp = false;
// True: an asynchronous error tells that a connected EP has left its SRQ (DAT2.87).
inline constexpr bool kReportsSrqLeft = false;

// Positions of the arguments that DAT 2.0 moved.
inline constexpr DAT_RETURN_SUBTYPE kArgLmrHandle = DAT_INVALID_ARG7;
inline constexpr DAT_RETURN_SUBTYPE kArgBindTriplet = DAT_INVALID_ARG2;
inline constexpr DAT_RETURN_SUBTYPE kArgBindPrivileges = DAT_INVALID_ARG3;
inline constexpr DAT_RETURN_SUBTYPE kArgBindFlags = DAT_INVALID_ARG6;
#else
inline constexpr DAT_UINT32 kApiMajor = 2;
inline constexpr DAT_UINT32 kApiMinor = 0;
using SegmentLength = DAT_SEG_LENGTH;

inline DAT_VADDR& address_in(DAT_RMR_TRIPLET& part) {
  return part.virtual_address;
}
inline DAT_OS_WAIT_PROXY_AGENT agent_in(const DAT_CNO_PARAM& param) {
  return param.proxy.agent;
}

inline constexpr DAT_MEM_TYPE kStronglyOrdered = DAT_MEM_TYPE_VIRTUAL; // the only virtual type

inline constexpr DAT_UINT64 kCnoFields = 0x7;
inline constexpr DAT_UINT64 kEpFields = 0x7fffffff;
inline constexpr DAT_UINT64 kUnusedEpField = 0x200000000;
inline constexpr DAT_UINT64 kUnknownEpField = 0x200000000;
inline constexpr DAT_UINT64 kLmrFields = 0x7ff;
inline constexpr DAT_UINT64 kRmrFields = 0x7f;
inline constexpr int kUnknownEvdFlag = 0x400;  // above the flag of extensions
inline constexpr int kUnknownService = 2;      // above the service of datagrams
inline constexpr int kUnknownPrivilege = 0x80; // above the right of atomic operations
inline constexpr int kSrqOperational = 1;
inline constexpr bool kAlwaysReadable = true;
inline constexpr bool kNamesSpentRsp = true;
inline constexpr bool kReportsSrqLeft = true;

inline constexpr DAT_RETURN_SUBTYPE kArgLmrHandle = DAT_INVALID_ARG8;
inline constexpr DAT_RETURN_SUBTYPE kArgBindTriplet = DAT_INVALID_ARG3;
inline constexpr DAT_RETURN_SUBTYPE kArgBindPrivileges = DAT_INVALID_ARG4;
inline constexpr DAT_RETURN_SUBTYPE kArgBindFlags = DAT_INVALID_ARG8;
#endif

inline DAT_RMR_TRIPLET remote_part(DAT_RMR_CONTEXT context, DAT_VADDR address, DAT_VLEN length) {
  DAT_RMR_TRIPLET part{};
  part.rmr_context = context;
  address_in(part) = address;
  part.segment_length = static_cast<SegmentLength>(length);
  return part;
}

} // namespace datum::test

#if DATUM_DAT_MAJOR == 2

inline DAT_RETURN dat_cr_reject(DAT_CR_HANDLE cr) {
  return dat_cr_reject(cr, 0, nullptr);
}

inline DAT_RETURN dat_lmr_create(DAT_IA_HANDLE ia, DAT_MEM_TYPE type, DAT_REGION_DESCRIPTION region,
                                 DAT_VLEN length, DAT_PZ_HANDLE pz, DAT_MEM_PRIV_FLAGS privileges,
                                 DAT_LMR_HANDLE* lmr, DAT_LMR_CONTEXT* lmr_context,
                                 DAT_RMR_CONTEXT* rmr_context, DAT_VLEN* registered_size,
                                 DAT_VADDR* registered_address) {
  return dat_lmr_create(ia, type, region, length, pz, privileges, DAT_VA_TYPE_VA, lmr, lmr_context,
                        rmr_context, registered_size, registered_address);
}

// The form without the LMR: the context in the triplet names the LMR.
inline DAT_RETURN dat_rmr_bind(DAT_RMR_HANDLE rmr, const DAT_LMR_TRIPLET* triplet,
                               DAT_MEM_PRIV_FLAGS privileges, DAT_EP_HANDLE ep,
                               DAT_RMR_COOKIE cookie, DAT_COMPLETION_FLAGS flags,
                               DAT_RMR_CONTEXT* context) {
  return dat_rmr_bind(rmr, DAT_HANDLE_NULL, triplet, privileges, DAT_VA_TYPE_VA, ep, cookie, flags,
                      context);
}

#endif
