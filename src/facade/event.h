// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/event.h: converts events of the core to events of one DAT version. Hot path.
// Lives here: what the versions have in common. What differs is in their traits.
#pragma once

#include "core/events/event.h"
#include "facade/address.h"
#include "facade/context.h"

namespace datum {
namespace events {

inline DAT_EVENT_NUMBER number_of(EventKind kind) {
  switch (kind) {
  case EventKind::Dto: return DAT_DTO_COMPLETION_EVENT;
  case EventKind::Bind: return DAT_RMR_BIND_COMPLETION_EVENT;
  // The traits renumber the events of datagrams.
  case EventKind::DatagramsRequest:
  case EventKind::ConnectionRequest: return DAT_CONNECTION_REQUEST_EVENT;
  case EventKind::DatagramsResolved:
  case EventKind::DatagramsResolvedPassive:
  case EventKind::Established: return DAT_CONNECTION_EVENT_ESTABLISHED;
  case EventKind::DatagramsRejected:
  case EventKind::PeerRejected: return DAT_CONNECTION_EVENT_PEER_REJECTED;
  case EventKind::DatagramsFailed:
  case EventKind::NonPeerRejected: return DAT_CONNECTION_EVENT_NON_PEER_REJECTED;
  case EventKind::AcceptCompletionError: return DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR;
  case EventKind::Disconnected: return DAT_CONNECTION_EVENT_DISCONNECTED;
  case EventKind::Broken: return DAT_CONNECTION_EVENT_BROKEN;
  case EventKind::TimedOut: return DAT_CONNECTION_EVENT_TIMED_OUT;
  case EventKind::Unreachable: return DAT_CONNECTION_EVENT_UNREACHABLE;
  case EventKind::AsyncEvdOverflow: return DAT_ASYNC_ERROR_EVD_OVERFLOW;
  case EventKind::AsyncSrqLeft: return DAT_ASYNC_ERROR_EP_BROKEN;
  // DAT has no number for watermarks. EP_BROKEN would be wrong, since the EP is alive (decision
  // 17).
  case EventKind::AsyncWatermark: return DAT_ASYNC_ERROR_PROVIDER_INTERNAL_ERROR;
  case EventKind::Software: break;
  }
  return DAT_SOFTWARE_EVENT;
}

inline void write_dto(const Event& event, DAT_DTO_COMPLETION_EVENT_DATA& out) {
  out.ep_handle = event.object;
  out.user_cookie = to_context(event.cookie);
  out.status = static_cast<DAT_DTO_COMPLETION_STATUS>(event.status);
}

inline void write_bind(const Event& event, DAT_RMR_BIND_COMPLETION_EVENT_DATA& out) {
  out.rmr_handle = event.object;
  out.user_cookie = to_context(event.cookie);
  out.status = static_cast<DAT_RMR_BIND_COMPLETION_STATUS>(event.status);
}

inline void write_request(const Event& event, const Address& local_address,
                          DAT_CR_ARRIVAL_EVENT_DATA& out) {
  out.sp_handle.psp_handle = event.object;
  out.local_ia_address_ptr = to_sockaddr(local_address);
  out.conn_qual = event.value;
  out.cr_handle = const_cast<void*>(event.data);
}

inline void write_connection(const Event& event, DAT_CONNECTION_EVENT_DATA& out) {
  out.ep_handle = event.object;
  out.private_data_size = static_cast<DAT_COUNT>(event.size);
  out.private_data = const_cast<void*>(event.data);
}

} // namespace events

// Writes the fields that the consumer may read for this kind of event, and nothing beyond the
// DAT_EVENT.
template <class V, class Adapter>
[[gnu::always_inline]] inline void write_event(const Event& event, Token evd, Adapter& adapter,
                                               DAT_EVENT& out) {
  out.event_number = events::number_of(event.kind);
  out.evd_handle = evd;
  DAT_EVENT_DATA& data = out.event_data;
  switch (event.kind) {
  case EventKind::Dto:
    events::write_dto(event, data.dto_completion_event_data);
    V::write_dto(event, out);
    break;
  case EventKind::Bind: events::write_bind(event, data.rmr_completion_event_data); break;
  case EventKind::DatagramsRequest:
  case EventKind::ConnectionRequest:
    events::write_request(event, adapter.transport().address(), data.cr_arrival_event_data);
    V::write_request(event, out);
    break;
  case EventKind::AsyncEvdOverflow:
  case EventKind::AsyncSrqLeft:
  case EventKind::AsyncWatermark:
    data.asynch_error_event_data.dat_handle = event.object;
    data.asynch_error_event_data.reason = static_cast<DAT_COUNT>(event.value);
    break;
  case EventKind::Software:
    data.software_event_data.pointer = to_context(event.cookie).as_ptr;
    break;
  default:
    events::write_connection(event, data.connect_event_data);
    V::write_connection(event, adapter, out);
    break;
  }
}

} // namespace datum
