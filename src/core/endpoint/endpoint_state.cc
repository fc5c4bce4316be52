// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "core/endpoint/endpoint_state.h"

namespace datum {

Status invalid_state(EpState state) {
  switch (state) {
  case EpState::Unconnected: return {Type::InvalidState, Detail::EpUnconnected};
  case EpState::Reserved: return {Type::InvalidState, Detail::EpReserved};
  case EpState::PassivePending: return {Type::InvalidState, Detail::EpPassiveConnectionPending};
  case EpState::ActivePending: return {Type::InvalidState, Detail::EpActiveConnectionPending};
  case EpState::TentativePending: return {Type::InvalidState, Detail::EpTentativeConnectionPending};
  case EpState::Datagrams:
  case EpState::Connected: return {Type::InvalidState, Detail::EpConnected};
  case EpState::DisconnectPending: return {Type::InvalidState, Detail::EpDisconnectPending};
  case EpState::Disconnected: return {Type::InvalidState, Detail::EpDisconnected};
  case EpState::CompletionPending: return {Type::InvalidState, Detail::EpCompletionPending};
  }
  return {Type::InternalError};
}

} // namespace datum
