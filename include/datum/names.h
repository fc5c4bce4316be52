/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * <datum/names.h>: the names of numbers that a DAT program gets: events, completions, states.
 * Lives here: a name for each value of four types, the same as in the header of DAT. If only one
 *             version of DAT has a value, only programs of that version have its name.
 * Not here:   return codes: dat_strerror() and, for extensions, dat_strerror_extension().
 * Manual:     datum_names(3). Nothing to link with; safe in each thread and in signal handlers.
 *
 * The functions are static: a program may have files of both versions, in which they differ.
 * They switch over numbers, not over the type: any number may come, and -Wswitch-enum stays quiet.
 */
#ifndef DATUM_NAMES_H
#define DATUM_NAMES_H

#ifndef _UDAT_H_
#error "include <dat/udat.h> (DAT 1.2) or <dat2/udat.h> (DAT 2.0) before <datum/names.h>"
#endif

/* The name of an event: the event_number of a DAT_EVENT. */
static inline const char* datum_event_name(DAT_EVENT_NUMBER number) {
  const unsigned int value = number;
  switch (value) {
  case DAT_DTO_COMPLETION_EVENT: return "DAT_DTO_COMPLETION_EVENT";
  case DAT_RMR_BIND_COMPLETION_EVENT: return "DAT_RMR_BIND_COMPLETION_EVENT";
  case DAT_CONNECTION_REQUEST_EVENT: return "DAT_CONNECTION_REQUEST_EVENT";
  case DAT_CONNECTION_EVENT_ESTABLISHED: return "DAT_CONNECTION_EVENT_ESTABLISHED";
  case DAT_CONNECTION_EVENT_PEER_REJECTED: return "DAT_CONNECTION_EVENT_PEER_REJECTED";
  case DAT_CONNECTION_EVENT_NON_PEER_REJECTED: return "DAT_CONNECTION_EVENT_NON_PEER_REJECTED";
  case DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR:
    return "DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR";
  case DAT_CONNECTION_EVENT_DISCONNECTED: return "DAT_CONNECTION_EVENT_DISCONNECTED";
  case DAT_CONNECTION_EVENT_BROKEN: return "DAT_CONNECTION_EVENT_BROKEN";
  case DAT_CONNECTION_EVENT_TIMED_OUT: return "DAT_CONNECTION_EVENT_TIMED_OUT";
  case DAT_CONNECTION_EVENT_UNREACHABLE: return "DAT_CONNECTION_EVENT_UNREACHABLE";
  case DAT_ASYNC_ERROR_EVD_OVERFLOW: return "DAT_ASYNC_ERROR_EVD_OVERFLOW";
  case DAT_ASYNC_ERROR_IA_CATASTROPHIC: return "DAT_ASYNC_ERROR_IA_CATASTROPHIC";
  case DAT_ASYNC_ERROR_EP_BROKEN: return "DAT_ASYNC_ERROR_EP_BROKEN";
  case DAT_ASYNC_ERROR_TIMED_OUT: return "DAT_ASYNC_ERROR_TIMED_OUT";
  case DAT_ASYNC_ERROR_PROVIDER_INTERNAL_ERROR: return "DAT_ASYNC_ERROR_PROVIDER_INTERNAL_ERROR";
  case DAT_SOFTWARE_EVENT: return "DAT_SOFTWARE_EVENT";
#if DAT_VERSION_MAJOR == 2
  case DAT_HA_DOWN_TO_1: return "DAT_HA_DOWN_TO_1";
  case DAT_HA_UP_TO_MULTI_PATH: return "DAT_HA_UP_TO_MULTI_PATH";
  case DAT_EXTENSION_EVENT: return "DAT_EXTENSION_EVENT";
  case DAT_IW_EXTENSION_RANGE_BASE: return "DAT_IW_EXTENSION_RANGE_BASE";
  /* The numbers of <dat2/dat_ib_extensions.h>, which need not be included. */
  case 0x40000: return "DAT_IB_DTO_EVENT";
  case 0x40001: return "DAT_IB_UD_CONNECTION_REQUEST_EVENT";
  case 0x40002: return "DAT_IB_UD_CONNECTION_EVENT_ESTABLISHED";
  case 0x40003: return "DAT_IB_UD_CONNECTION_REJECT_EVENT";
  case 0x40004: return "DAT_IB_UD_CONNECTION_ERROR_EVENT";
  case 0x40005: return "DAT_IB_COLLECTIVE_EVENT";
#endif
  default: return "unknown event";
  }
}

/* The name of the status of a completion, of a DTO or of a bind. */
static inline const char* datum_dto_status_name(DAT_DTO_COMPLETION_STATUS status) {
  const unsigned int value = status;
  switch (value) {
  case DAT_DTO_SUCCESS: return "DAT_DTO_SUCCESS";
  case DAT_DTO_ERR_FLUSHED: return "DAT_DTO_ERR_FLUSHED";
  case DAT_DTO_ERR_LOCAL_LENGTH: return "DAT_DTO_ERR_LOCAL_LENGTH";
  case DAT_DTO_ERR_LOCAL_EP: return "DAT_DTO_ERR_LOCAL_EP";
  case DAT_DTO_ERR_LOCAL_PROTECTION: return "DAT_DTO_ERR_LOCAL_PROTECTION";
  case DAT_DTO_ERR_BAD_RESPONSE: return "DAT_DTO_ERR_BAD_RESPONSE";
  case DAT_DTO_ERR_REMOTE_ACCESS: return "DAT_DTO_ERR_REMOTE_ACCESS";
  case DAT_DTO_ERR_REMOTE_RESPONDER: return "DAT_DTO_ERR_REMOTE_RESPONDER";
  case DAT_DTO_ERR_TRANSPORT: return "DAT_DTO_ERR_TRANSPORT";
  case DAT_DTO_ERR_RECEIVER_NOT_READY: return "DAT_DTO_ERR_RECEIVER_NOT_READY";
  case DAT_DTO_ERR_PARTIAL_PACKET: return "DAT_DTO_ERR_PARTIAL_PACKET";
  case DAT_RMR_OPERATION_FAILED: return "DAT_RMR_OPERATION_FAILED";
#if DAT_VERSION_MAJOR == 2
  case DAT_DTO_ERR_LOCAL_MM_ERROR: return "DAT_DTO_ERR_LOCAL_MM_ERROR";
#endif
  default: return "unknown DTO status";
  }
}

/* The name of an endpoint's state, from dat_ep_get_status() or dat_ep_query(). */
static inline const char* datum_ep_state_name(DAT_EP_STATE state) {
  const unsigned int value = state;
  switch (value) {
  case DAT_EP_STATE_UNCONNECTED: return "DAT_EP_STATE_UNCONNECTED";
  case DAT_EP_STATE_UNCONFIGURED_UNCONNECTED: return "DAT_EP_STATE_UNCONFIGURED_UNCONNECTED";
  case DAT_EP_STATE_RESERVED: return "DAT_EP_STATE_RESERVED";
  case DAT_EP_STATE_UNCONFIGURED_RESERVED: return "DAT_EP_STATE_UNCONFIGURED_RESERVED";
  case DAT_EP_STATE_PASSIVE_CONNECTION_PENDING: return "DAT_EP_STATE_PASSIVE_CONNECTION_PENDING";
  case DAT_EP_STATE_UNCONFIGURED_PASSIVE: return "DAT_EP_STATE_UNCONFIGURED_PASSIVE";
  case DAT_EP_STATE_ACTIVE_CONNECTION_PENDING: return "DAT_EP_STATE_ACTIVE_CONNECTION_PENDING";
  case DAT_EP_STATE_TENTATIVE_CONNECTION_PENDING:
    return "DAT_EP_STATE_TENTATIVE_CONNECTION_PENDING";
  case DAT_EP_STATE_UNCONFIGURED_TENTATIVE: return "DAT_EP_STATE_UNCONFIGURED_TENTATIVE";
  case DAT_EP_STATE_CONNECTED: return "DAT_EP_STATE_CONNECTED";
  case DAT_EP_STATE_DISCONNECT_PENDING: return "DAT_EP_STATE_DISCONNECT_PENDING";
  case DAT_EP_STATE_DISCONNECTED: return "DAT_EP_STATE_DISCONNECTED";
  case DAT_EP_STATE_COMPLETION_PENDING: return "DAT_EP_STATE_COMPLETION_PENDING";
#if DAT_VERSION_MAJOR == 2
  case DAT_EP_STATE_CONNECTED_SINGLE_PATH: return "DAT_EP_STATE_CONNECTED_SINGLE_PATH";
  case DAT_EP_STATE_CONNECTED_MULTI_PATH: return "DAT_EP_STATE_CONNECTED_MULTI_PATH";
#endif
  default: return "unknown endpoint state";
  }
}

/* The name of a handle's type, from dat_get_handle_type(). */
static inline const char* datum_handle_type_name(DAT_HANDLE_TYPE type) {
  const unsigned int value = type;
  switch (value) {
  case DAT_HANDLE_TYPE_CR: return "DAT_HANDLE_TYPE_CR";
  case DAT_HANDLE_TYPE_EP: return "DAT_HANDLE_TYPE_EP";
  case DAT_HANDLE_TYPE_EVD: return "DAT_HANDLE_TYPE_EVD";
  case DAT_HANDLE_TYPE_IA: return "DAT_HANDLE_TYPE_IA";
  case DAT_HANDLE_TYPE_LMR: return "DAT_HANDLE_TYPE_LMR";
  case DAT_HANDLE_TYPE_PSP: return "DAT_HANDLE_TYPE_PSP";
  case DAT_HANDLE_TYPE_PZ: return "DAT_HANDLE_TYPE_PZ";
  case DAT_HANDLE_TYPE_RMR: return "DAT_HANDLE_TYPE_RMR";
  case DAT_HANDLE_TYPE_RSP: return "DAT_HANDLE_TYPE_RSP";
  case DAT_HANDLE_TYPE_CNO: return "DAT_HANDLE_TYPE_CNO";
  case DAT_HANDLE_TYPE_SRQ: return "DAT_HANDLE_TYPE_SRQ";
#if DAT_VERSION_MAJOR == 2
  case DAT_HANDLE_TYPE_CSP: return "DAT_HANDLE_TYPE_CSP";
  case DAT_HANDLE_TYPE_EXTENSION_BASE: return "DAT_HANDLE_TYPE_EXTENSION_BASE";
#endif
  default: return "unknown handle type";
  }
}

#endif
