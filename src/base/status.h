// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/status.h: how a call of the core ended: type and detail, as symbols.
// Lives here: the error vocabulary of the DAT specification without its numbers.
// Not here:   DAT_RETURN values; each facade has its own numbering (facade/).
#pragma once

#include <cstdint>
#include <tl/expected.hpp>

namespace datum {

// The return types of DAT 1.2 and 2.0, in the order of their common numbering. The last ones are
// only for facades of 2.0.
enum class Type : std::uint8_t {
  Success,
  Abort,
  ConnQualInUse,
  InsufficientResources,
  InternalError,
  InvalidHandle,
  InvalidParameter,
  InvalidState,
  LengthError,
  ModelNotSupported,
  ProviderNotFound,
  PrivilegesViolation,
  ProtectionViolation,
  QueueEmpty,
  QueueFull,
  TimeoutExpired,
  ProviderAlreadyRegistered,
  ProviderInUse,
  InvalidAddress,
  InterruptedCall,
  ConnQualUnavailable,
  // Since DAT 2.0.
  ReservedLmr,
  PortInUse,
  CommNotSupported,
};

// The subtypes. Their numbers differ between DAT 1.2 and 2.0, so none is given here.
enum class Detail : std::uint8_t {
  None,
  Interrupted,
  ResourceMemory,
  ResourceDevice,
  ResourceTep,
  ResourceTevd,
  ResourceProtectionDomain,
  ResourceMemoryRegion,
  ResourceErrorHandler,
  ResourceCredits,
  ResourceSrq,
  HandleIa,
  HandleEp,
  HandleLmr,
  HandleRmr,
  HandlePz,
  HandlePsp,
  HandleRsp,
  HandleCr,
  HandleCno,
  HandleEvdCr,
  HandleEvdRequest,
  HandleEvdRecv,
  HandleEvdConn,
  HandleEvdAsync,
  HandleSrq,
  Handle1,
  Handle2,
  Handle3,
  Handle4,
  Handle5,
  Handle6,
  Handle7,
  Handle8,
  Handle9,
  Handle10,
  Arg1,
  Arg2,
  Arg3,
  Arg4,
  Arg5,
  Arg6,
  Arg7,
  Arg8,
  Arg9,
  Arg10,
  EpUnconnected,
  EpActiveConnectionPending,
  EpPassiveConnectionPending,
  EpTentativeConnectionPending,
  EpConnected,
  EpDisconnected,
  EpReserved,
  EpCompletionPending,
  EpDisconnectPending,
  EpProviderControl,
  EpNotReady,
  EpRecvWatermark,
  EpPz,
  EpEvdRequest,
  EpEvdRecv,
  EpEvdConnect,
  CnoInUse,
  CnoDead,
  EvdOpen,
  EvdEnabled,
  EvdDisabled,
  EvdWaitable,
  EvdUnwaitable,
  EvdInUse,
  EvdConfigNotify,
  EvdConfigSolicited,
  EvdConfigThreshold,
  EvdWaiter,
  EvdAsync,
  IaInUse,
  LmrInUse,
  LmrFree,
  PzInUse,
  PzFree,
  SrqOperational,
  SrqError,
  SrqInUse,
  PrivilegesRead,
  PrivilegesWrite,
  PrivilegesRdmaRead,
  PrivilegesRdmaWrite,
  ProtectionRead,
  ProtectionWrite,
  ProtectionRdmaRead,
  ProtectionRdmaWrite,
  AddressUnsupported,
  AddressUnreachable,
  AddressMalformed,
  // Since DAT 2.0.
  HandleCsp,
};

class [[nodiscard]] Status {
 public:
  constexpr Status() = default;
  constexpr Status(Type type, Detail detail = Detail::None) : type_(type), detail_(detail) {}
  constexpr bool ok() const { return type_ == Type::Success; }
  constexpr Type type() const { return type_; }
  constexpr Detail detail() const { return detail_; }
  constexpr bool operator==(const Status&) const = default;

 private:
  Type type_ = Type::Success;
  Detail detail_ = Detail::None;
};

inline constexpr Status kOk{};

template <class T>
using Result = tl::expected<T, Status>;

// The kernel's answer: a value, or errno.
template <class T>
using OrErrno = tl::expected<T, int>;

constexpr tl::unexpected<Status> fail(Type type, Detail detail = Detail::None) {
  return tl::unexpected<Status>(Status(type, detail));
}
constexpr tl::unexpected<Status> fail(Status status) {
  return tl::unexpected<Status>(status);
}

} // namespace datum
