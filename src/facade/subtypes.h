// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/subtypes.h: the symbolic details of the core as subtypes of one DAT version, whose headers
// were included before (v1/traits.h).
#pragma once

#include <array>
#include <cstddef>

#include "base/status.h"

namespace datum::subtypes {

struct Subtype {
  Detail detail;
  DAT_RETURN_SUBTYPE number;
};

inline constexpr Subtype kList[] = {
    {Detail::None, DAT_NO_SUBTYPE},
    {Detail::Interrupted, DAT_SUB_INTERRUPTED},
    {Detail::ResourceMemory, DAT_RESOURCE_MEMORY},
    {Detail::ResourceDevice, DAT_RESOURCE_DEVICE},
    {Detail::ResourceTep, DAT_RESOURCE_TEP},
    {Detail::ResourceTevd, DAT_RESOURCE_TEVD},
    {Detail::ResourceProtectionDomain, DAT_RESOURCE_PROTECTION_DOMAIN},
    {Detail::ResourceMemoryRegion, DAT_RESOURCE_MEMORY_REGION},
    {Detail::ResourceErrorHandler, DAT_RESOURCE_ERROR_HANDLER},
    {Detail::ResourceCredits, DAT_RESOURCE_CREDITS},
    {Detail::ResourceSrq, DAT_RESOURCE_SRQ},
    {Detail::HandleIa, DAT_INVALID_HANDLE_IA},
    {Detail::HandleEp, DAT_INVALID_HANDLE_EP},
    {Detail::HandleLmr, DAT_INVALID_HANDLE_LMR},
    {Detail::HandleRmr, DAT_INVALID_HANDLE_RMR},
    {Detail::HandlePz, DAT_INVALID_HANDLE_PZ},
    {Detail::HandlePsp, DAT_INVALID_HANDLE_PSP},
    {Detail::HandleRsp, DAT_INVALID_HANDLE_RSP},
    {Detail::HandleCr, DAT_INVALID_HANDLE_CR},
    {Detail::HandleCno, DAT_INVALID_HANDLE_CNO},
    {Detail::HandleEvdCr, DAT_INVALID_HANDLE_EVD_CR},
    {Detail::HandleEvdRequest, DAT_INVALID_HANDLE_EVD_REQUEST},
    {Detail::HandleEvdRecv, DAT_INVALID_HANDLE_EVD_RECV},
    {Detail::HandleEvdConn, DAT_INVALID_HANDLE_EVD_CONN},
    {Detail::HandleEvdAsync, DAT_INVALID_HANDLE_EVD_ASYNC},
    {Detail::HandleSrq, DAT_INVALID_HANDLE_SRQ},
    {Detail::Handle1, DAT_INVALID_HANDLE1},
    {Detail::Handle2, DAT_INVALID_HANDLE2},
    {Detail::Handle3, DAT_INVALID_HANDLE3},
    {Detail::Handle4, DAT_INVALID_HANDLE4},
    {Detail::Handle5, DAT_INVALID_HANDLE5},
    {Detail::Handle6, DAT_INVALID_HANDLE6},
    {Detail::Handle7, DAT_INVALID_HANDLE7},
    {Detail::Handle8, DAT_INVALID_HANDLE8},
    {Detail::Handle9, DAT_INVALID_HANDLE9},
    {Detail::Handle10, DAT_INVALID_HANDLE10},
    {Detail::Arg1, DAT_INVALID_ARG1},
    {Detail::Arg2, DAT_INVALID_ARG2},
    {Detail::Arg3, DAT_INVALID_ARG3},
    {Detail::Arg4, DAT_INVALID_ARG4},
    {Detail::Arg5, DAT_INVALID_ARG5},
    {Detail::Arg6, DAT_INVALID_ARG6},
    {Detail::Arg7, DAT_INVALID_ARG7},
    {Detail::Arg8, DAT_INVALID_ARG8},
    {Detail::Arg9, DAT_INVALID_ARG9},
    {Detail::Arg10, DAT_INVALID_ARG10},
    {Detail::EpUnconnected, DAT_INVALID_STATE_EP_UNCONNECTED},
    {Detail::EpActiveConnectionPending, DAT_INVALID_STATE_EP_ACTCONNPENDING},
    {Detail::EpPassiveConnectionPending, DAT_INVALID_STATE_EP_PASSCONNPENDING},
    {Detail::EpTentativeConnectionPending, DAT_INVALID_STATE_EP_TENTCONNPENDING},
    {Detail::EpConnected, DAT_INVALID_STATE_EP_CONNECTED},
    {Detail::EpDisconnected, DAT_INVALID_STATE_EP_DISCONNECTED},
    {Detail::EpReserved, DAT_INVALID_STATE_EP_RESERVED},
    {Detail::EpCompletionPending, DAT_INVALID_STATE_EP_COMPLPENDING},
    {Detail::EpDisconnectPending, DAT_INVALID_STATE_EP_DISCPENDING},
    {Detail::EpProviderControl, DAT_INVALID_STATE_EP_PROVIDERCONTROL},
    {Detail::EpNotReady, DAT_INVALID_STATE_EP_NOTREADY},
    {Detail::EpRecvWatermark, DAT_INVALID_STATE_EP_RECV_WATERMARK},
    {Detail::EpPz, DAT_INVALID_STATE_EP_PZ},
    {Detail::EpEvdRequest, DAT_INVALID_STATE_EP_EVD_REQUEST},
    {Detail::EpEvdRecv, DAT_INVALID_STATE_EP_EVD_RECV},
    {Detail::EpEvdConnect, DAT_INVALID_STATE_EP_EVD_CONNECT},
    {Detail::CnoInUse, DAT_INVALID_STATE_CNO_IN_USE},
    {Detail::CnoDead, DAT_INVALID_STATE_CNO_DEAD},
    {Detail::EvdOpen, DAT_INVALID_STATE_EVD_OPEN},
    {Detail::EvdEnabled, DAT_INVALID_STATE_EVD_ENABLED},
    {Detail::EvdDisabled, DAT_INVALID_STATE_EVD_DISABLED},
    {Detail::EvdWaitable, DAT_INVALID_STATE_EVD_WAITABLE},
    {Detail::EvdUnwaitable, DAT_INVALID_STATE_EVD_UNWAITABLE},
    {Detail::EvdInUse, DAT_INVALID_STATE_EVD_IN_USE},
    {Detail::EvdConfigNotify, DAT_INVALID_STATE_EVD_CONFIG_NOTIFY},
    {Detail::EvdConfigSolicited, DAT_INVALID_STATE_EVD_CONFIG_SOLICITED},
    {Detail::EvdConfigThreshold, DAT_INVALID_STATE_EVD_CONFIG_THRESHOLD},
    {Detail::EvdWaiter, DAT_INVALID_STATE_EVD_WAITER},
    {Detail::EvdAsync, DAT_INVALID_STATE_EVD_ASYNC},
    {Detail::IaInUse, DAT_INVALID_STATE_IA_IN_USE},
    {Detail::LmrInUse, DAT_INVALID_STATE_LMR_IN_USE},
    {Detail::LmrFree, DAT_INVALID_STATE_LMR_FREE},
    {Detail::PzInUse, DAT_INVALID_STATE_PZ_IN_USE},
    {Detail::PzFree, DAT_INVALID_STATE_PZ_FREE},
    {Detail::SrqOperational, DAT_INVALID_STATE_SRQ_OPERATIONAL},
    {Detail::SrqError, DAT_INVALID_STATE_SRQ_ERROR},
    {Detail::SrqInUse, DAT_INVALID_STATE_SRQ_IN_USE},
    {Detail::PrivilegesRead, DAT_PRIVILEGES_READ},
    {Detail::PrivilegesWrite, DAT_PRIVILEGES_WRITE},
    {Detail::PrivilegesRdmaRead, DAT_PRIVILEGES_RDMA_READ},
    {Detail::PrivilegesRdmaWrite, DAT_PRIVILEGES_RDMA_WRITE},
    {Detail::ProtectionRead, DAT_PROTECTION_READ},
    {Detail::ProtectionWrite, DAT_PROTECTION_WRITE},
    {Detail::ProtectionRdmaRead, DAT_PROTECTION_RDMA_READ},
    {Detail::ProtectionRdmaWrite, DAT_PROTECTION_RDMA_WRITE},
    {Detail::AddressUnsupported, DAT_INVALID_ADDRESS_UNSUPPORTED},
    {Detail::AddressUnreachable, DAT_INVALID_ADDRESS_UNREACHABLE},
    {Detail::AddressMalformed, DAT_INVALID_ADDRESS_MALFORMED},
#if DAT_VERSION_MAJOR >= 2
    {Detail::HandleCsp, DAT_INVALID_HANDLE_CSP},
#else
    {Detail::HandleCsp, DAT_NO_SUBTYPE}, // there are none
#endif
};

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
