// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/subtypes.h: maps the symbolic details of the core to subtypes of one DAT version. The
// headers of that version have to be included before (v1/traits.h).
#pragma once

#include <array>
#include <cstddef>

#include "base/status.h"

namespace datum::subtypes {

struct Subtype {
  Detail detail;
  DAT_RETURN_SUBTYPE number;
  const char* name;
};

#define DATUM_SUBTYPE(detail, constant)                                                            \
  { Detail::detail, constant, #constant }

inline constexpr Subtype kList[] = {
    DATUM_SUBTYPE(None, DAT_NO_SUBTYPE),
    DATUM_SUBTYPE(Interrupted, DAT_SUB_INTERRUPTED),
    DATUM_SUBTYPE(ResourceMemory, DAT_RESOURCE_MEMORY),
    DATUM_SUBTYPE(ResourceDevice, DAT_RESOURCE_DEVICE),
    DATUM_SUBTYPE(ResourceTep, DAT_RESOURCE_TEP),
    DATUM_SUBTYPE(ResourceTevd, DAT_RESOURCE_TEVD),
    DATUM_SUBTYPE(ResourceProtectionDomain, DAT_RESOURCE_PROTECTION_DOMAIN),
    DATUM_SUBTYPE(ResourceMemoryRegion, DAT_RESOURCE_MEMORY_REGION),
    DATUM_SUBTYPE(ResourceErrorHandler, DAT_RESOURCE_ERROR_HANDLER),
    DATUM_SUBTYPE(ResourceCredits, DAT_RESOURCE_CREDITS),
    DATUM_SUBTYPE(ResourceSrq, DAT_RESOURCE_SRQ),
    DATUM_SUBTYPE(HandleIa, DAT_INVALID_HANDLE_IA),
    DATUM_SUBTYPE(HandleEp, DAT_INVALID_HANDLE_EP),
    DATUM_SUBTYPE(HandleLmr, DAT_INVALID_HANDLE_LMR),
    DATUM_SUBTYPE(HandleRmr, DAT_INVALID_HANDLE_RMR),
    DATUM_SUBTYPE(HandlePz, DAT_INVALID_HANDLE_PZ),
    DATUM_SUBTYPE(HandlePsp, DAT_INVALID_HANDLE_PSP),
    DATUM_SUBTYPE(HandleRsp, DAT_INVALID_HANDLE_RSP),
    DATUM_SUBTYPE(HandleCr, DAT_INVALID_HANDLE_CR),
    DATUM_SUBTYPE(HandleCno, DAT_INVALID_HANDLE_CNO),
    DATUM_SUBTYPE(HandleEvdCr, DAT_INVALID_HANDLE_EVD_CR),
    DATUM_SUBTYPE(HandleEvdRequest, DAT_INVALID_HANDLE_EVD_REQUEST),
    DATUM_SUBTYPE(HandleEvdRecv, DAT_INVALID_HANDLE_EVD_RECV),
    DATUM_SUBTYPE(HandleEvdConn, DAT_INVALID_HANDLE_EVD_CONN),
    DATUM_SUBTYPE(HandleEvdAsync, DAT_INVALID_HANDLE_EVD_ASYNC),
    DATUM_SUBTYPE(HandleSrq, DAT_INVALID_HANDLE_SRQ),
    DATUM_SUBTYPE(Handle1, DAT_INVALID_HANDLE1),
    DATUM_SUBTYPE(Handle2, DAT_INVALID_HANDLE2),
    DATUM_SUBTYPE(Handle3, DAT_INVALID_HANDLE3),
    DATUM_SUBTYPE(Handle4, DAT_INVALID_HANDLE4),
    DATUM_SUBTYPE(Handle5, DAT_INVALID_HANDLE5),
    DATUM_SUBTYPE(Handle6, DAT_INVALID_HANDLE6),
    DATUM_SUBTYPE(Handle7, DAT_INVALID_HANDLE7),
    DATUM_SUBTYPE(Handle8, DAT_INVALID_HANDLE8),
    DATUM_SUBTYPE(Handle9, DAT_INVALID_HANDLE9),
    DATUM_SUBTYPE(Handle10, DAT_INVALID_HANDLE10),
    DATUM_SUBTYPE(Arg1, DAT_INVALID_ARG1),
    DATUM_SUBTYPE(Arg2, DAT_INVALID_ARG2),
    DATUM_SUBTYPE(Arg3, DAT_INVALID_ARG3),
    DATUM_SUBTYPE(Arg4, DAT_INVALID_ARG4),
    DATUM_SUBTYPE(Arg5, DAT_INVALID_ARG5),
    DATUM_SUBTYPE(Arg6, DAT_INVALID_ARG6),
    DATUM_SUBTYPE(Arg7, DAT_INVALID_ARG7),
    DATUM_SUBTYPE(Arg8, DAT_INVALID_ARG8),
    DATUM_SUBTYPE(Arg9, DAT_INVALID_ARG9),
    DATUM_SUBTYPE(Arg10, DAT_INVALID_ARG10),
    DATUM_SUBTYPE(EpUnconnected, DAT_INVALID_STATE_EP_UNCONNECTED),
    DATUM_SUBTYPE(EpActiveConnectionPending, DAT_INVALID_STATE_EP_ACTCONNPENDING),
    DATUM_SUBTYPE(EpPassiveConnectionPending, DAT_INVALID_STATE_EP_PASSCONNPENDING),
    DATUM_SUBTYPE(EpTentativeConnectionPending, DAT_INVALID_STATE_EP_TENTCONNPENDING),
    DATUM_SUBTYPE(EpConnected, DAT_INVALID_STATE_EP_CONNECTED),
    DATUM_SUBTYPE(EpDisconnected, DAT_INVALID_STATE_EP_DISCONNECTED),
    DATUM_SUBTYPE(EpReserved, DAT_INVALID_STATE_EP_RESERVED),
    DATUM_SUBTYPE(EpCompletionPending, DAT_INVALID_STATE_EP_COMPLPENDING),
    DATUM_SUBTYPE(EpDisconnectPending, DAT_INVALID_STATE_EP_DISCPENDING),
    DATUM_SUBTYPE(EpProviderControl, DAT_INVALID_STATE_EP_PROVIDERCONTROL),
    DATUM_SUBTYPE(EpNotReady, DAT_INVALID_STATE_EP_NOTREADY),
    DATUM_SUBTYPE(EpRecvWatermark, DAT_INVALID_STATE_EP_RECV_WATERMARK),
    DATUM_SUBTYPE(EpPz, DAT_INVALID_STATE_EP_PZ),
    DATUM_SUBTYPE(EpEvdRequest, DAT_INVALID_STATE_EP_EVD_REQUEST),
    DATUM_SUBTYPE(EpEvdRecv, DAT_INVALID_STATE_EP_EVD_RECV),
    DATUM_SUBTYPE(EpEvdConnect, DAT_INVALID_STATE_EP_EVD_CONNECT),
    DATUM_SUBTYPE(CnoInUse, DAT_INVALID_STATE_CNO_IN_USE),
    DATUM_SUBTYPE(CnoDead, DAT_INVALID_STATE_CNO_DEAD),
    DATUM_SUBTYPE(EvdOpen, DAT_INVALID_STATE_EVD_OPEN),
    DATUM_SUBTYPE(EvdEnabled, DAT_INVALID_STATE_EVD_ENABLED),
    DATUM_SUBTYPE(EvdDisabled, DAT_INVALID_STATE_EVD_DISABLED),
    DATUM_SUBTYPE(EvdWaitable, DAT_INVALID_STATE_EVD_WAITABLE),
    DATUM_SUBTYPE(EvdUnwaitable, DAT_INVALID_STATE_EVD_UNWAITABLE),
    DATUM_SUBTYPE(EvdInUse, DAT_INVALID_STATE_EVD_IN_USE),
    DATUM_SUBTYPE(EvdConfigNotify, DAT_INVALID_STATE_EVD_CONFIG_NOTIFY),
    DATUM_SUBTYPE(EvdConfigSolicited, DAT_INVALID_STATE_EVD_CONFIG_SOLICITED),
    DATUM_SUBTYPE(EvdConfigThreshold, DAT_INVALID_STATE_EVD_CONFIG_THRESHOLD),
    DATUM_SUBTYPE(EvdWaiter, DAT_INVALID_STATE_EVD_WAITER),
    DATUM_SUBTYPE(EvdAsync, DAT_INVALID_STATE_EVD_ASYNC),
    DATUM_SUBTYPE(IaInUse, DAT_INVALID_STATE_IA_IN_USE),
    DATUM_SUBTYPE(LmrInUse, DAT_INVALID_STATE_LMR_IN_USE),
    DATUM_SUBTYPE(LmrFree, DAT_INVALID_STATE_LMR_FREE),
    DATUM_SUBTYPE(PzInUse, DAT_INVALID_STATE_PZ_IN_USE),
    DATUM_SUBTYPE(PzFree, DAT_INVALID_STATE_PZ_FREE),
    DATUM_SUBTYPE(SrqOperational, DAT_INVALID_STATE_SRQ_OPERATIONAL),
    DATUM_SUBTYPE(SrqError, DAT_INVALID_STATE_SRQ_ERROR),
    DATUM_SUBTYPE(SrqInUse, DAT_INVALID_STATE_SRQ_IN_USE),
    DATUM_SUBTYPE(PrivilegesRead, DAT_PRIVILEGES_READ),
    DATUM_SUBTYPE(PrivilegesWrite, DAT_PRIVILEGES_WRITE),
    DATUM_SUBTYPE(PrivilegesRdmaRead, DAT_PRIVILEGES_RDMA_READ),
    DATUM_SUBTYPE(PrivilegesRdmaWrite, DAT_PRIVILEGES_RDMA_WRITE),
    DATUM_SUBTYPE(ProtectionRead, DAT_PROTECTION_READ),
    DATUM_SUBTYPE(ProtectionWrite, DAT_PROTECTION_WRITE),
    DATUM_SUBTYPE(ProtectionRdmaRead, DAT_PROTECTION_RDMA_READ),
    DATUM_SUBTYPE(ProtectionRdmaWrite, DAT_PROTECTION_RDMA_WRITE),
    DATUM_SUBTYPE(AddressUnsupported, DAT_INVALID_ADDRESS_UNSUPPORTED),
    DATUM_SUBTYPE(AddressUnreachable, DAT_INVALID_ADDRESS_UNREACHABLE),
    DATUM_SUBTYPE(AddressMalformed, DAT_INVALID_ADDRESS_MALFORMED),
#if DAT_VERSION_MAJOR >= 2
    DATUM_SUBTYPE(HandleCsp, DAT_INVALID_HANDLE_CSP),
#else
    DATUM_SUBTYPE(HandleCsp, DAT_NO_SUBTYPE), // DAT 1.2 has no subtype for a CSP
#endif
};

#undef DATUM_SUBTYPE

inline constexpr std::size_t kDetails = static_cast<std::size_t>(Detail::HandleCsp) + 1;

// Indexed by Detail.
inline constexpr std::array<DAT_RETURN_SUBTYPE, kDetails> kNumbers = [] {
  std::array<DAT_RETURN_SUBTYPE, kDetails> table{};
  for (const Subtype& entry : kList) table[static_cast<std::size_t>(entry.detail)] = entry.number;
  return table;
}();

// Every detail has a number, and the details are listed in their order.
static_assert(std::size(kList) == kDetails);
static_assert([] {
  for (std::size_t i = 0; i != kDetails; ++i)
    if (static_cast<std::size_t>(kList[i].detail) != i) return false;
  return true;
}());

// The types need no table: their numbers are their order.
constexpr bool type_is(Type type, DAT_RETURN_TYPE number) {
  return static_cast<DAT_RETURN>(type) << 16U == static_cast<DAT_RETURN>(number);
}
static_assert(type_is(Type::Abort, DAT_ABORT));
static_assert(type_is(Type::InsufficientResources, DAT_INSUFFICIENT_RESOURCES));
static_assert(type_is(Type::InvalidHandle, DAT_INVALID_HANDLE));
static_assert(type_is(Type::ModelNotSupported, DAT_MODEL_NOT_SUPPORTED));
static_assert(type_is(Type::ProtectionViolation, DAT_PROTECTION_VIOLATION));
static_assert(type_is(Type::TimeoutExpired, DAT_TIMEOUT_EXPIRED));
static_assert(type_is(Type::InvalidAddress, DAT_INVALID_ADDRESS));
static_assert(type_is(Type::ConnQualUnavailable, DAT_CONN_QUAL_UNAVAILABLE));

} // namespace datum::subtypes
