// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// harness/names.h: short names of DAT's constants, as the rule lists write them, once for all
// files.
#pragma once

#include "dat.h"

namespace datum::test {

inline constexpr auto kEstablished = DAT_CONNECTION_EVENT_ESTABLISHED;
inline constexpr auto kPeerRejected = DAT_CONNECTION_EVENT_PEER_REJECTED;
inline constexpr auto kRefused = DAT_CONNECTION_EVENT_NON_PEER_REJECTED;
inline constexpr auto kAcceptError = DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR;
inline constexpr auto kDisconnected = DAT_CONNECTION_EVENT_DISCONNECTED;
inline constexpr auto kBroken = DAT_CONNECTION_EVENT_BROKEN;
inline constexpr auto kTimedOut = DAT_CONNECTION_EVENT_TIMED_OUT;

inline constexpr auto kU = DAT_EP_STATE_UNCONNECTED;
inline constexpr auto kR = DAT_EP_STATE_RESERVED;
inline constexpr auto kPP = DAT_EP_STATE_PASSIVE_CONNECTION_PENDING;
inline constexpr auto kTP = DAT_EP_STATE_TENTATIVE_CONNECTION_PENDING;
inline constexpr auto kAP = DAT_EP_STATE_ACTIVE_CONNECTION_PENDING;
inline constexpr auto kCP = DAT_EP_STATE_COMPLETION_PENDING;
inline constexpr auto kC = DAT_EP_STATE_CONNECTED;
inline constexpr auto kDP = DAT_EP_STATE_DISCONNECT_PENDING;
inline constexpr auto kD = DAT_EP_STATE_DISCONNECTED;

inline constexpr auto kDefault = DAT_COMPLETION_DEFAULT_FLAG;
inline constexpr auto kSolicited = DAT_COMPLETION_SOLICITED_WAIT_FLAG;
inline constexpr auto kUnsignalled = DAT_COMPLETION_UNSIGNALLED_FLAG;
inline constexpr auto kThreshold = DAT_COMPLETION_EVD_THRESHOLD_FLAG;

inline constexpr auto kRemoteRead = DAT_MEM_PRIV_REMOTE_READ_FLAG;
inline constexpr auto kRemoteWrite = DAT_MEM_PRIV_REMOTE_WRITE_FLAG;

} // namespace datum::test
