// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/endpoint/endpoint_state.h: the EP state table, in one place.
// Not here:   the actions besides the change of state (connection.cc, connection_events.cc).
#pragma once

#include <array>
#include <cstdint>

#include "base/state_table.h"
#include "base/status.h"

namespace datum {

// The values of DAT_EP_STATE; the UNCONFIGURED_* states are never entered (decision 7).
enum class EpState : std::uint8_t {
  Unconnected = 0,
  Reserved = 2,         // for an RSP
  PassivePending = 4,   // a request has come on its RSP
  ActivePending = 6,    // connect was called, and has no answer yet
  TentativePending = 7, // made by the provider for a request on a PSP or RSP
  Connected = 9,
  DisconnectPending = 10, // ends gracefully: posted requests are still carried out
  Disconnected = 11,      // the connection ended, or the attempt failed; a reset leaves this state
  CompletionPending = 12, // accepted, and the peer does not know it yet
  // An endpoint of datagrams after its first connect or accept. The endpoint stays in this state,
  // whichever peers it gets later. seen_as() shows it to consumers as Connected.
  Datagrams = 16,
};

// The value of DAT_EP_STATE.
constexpr EpState seen_as(EpState state) {
  return state == EpState::Datagrams ? EpState::Connected : state;
}

enum class EpEvent : std::uint8_t {
  // The consumer's calls.
  Connect, // dat_ep_connect, dat_ep_dup_connect
  Reserve, // dat_rsp_create
  Release, // dat_rsp_free, or dat_cr_reject of its request
  Accept,  // dat_cr_accept
  Abort,   // dat_ep_disconnect(ABRUPT)
  Drain,   // dat_ep_disconnect(GRACEFUL)
  Reset,   // dat_ep_reset
  Opened,  // the first or another peer of an endpoint of datagrams, by connect or accept
  // Events at the endpoint.
  Requested, // a request arrived on its RSP
  Established,
  ConnectFailed,
  Drained, // of a graceful disconnect: the last request has ended, or waits for a Recv for too long
  Lost,    // the peer disconnected, or the connection broke
};

using EpRow = StateRow<EpState, EpEvent>;

// Without a row, a call of the consumer returns DAT_INVALID_STATE, and an event from the peer is
// ignored.
inline constexpr std::array kEpTable{
    // dat_ep_connect, dat_ep_dup_connect: an unconnected EP only; after a failure the consumer has
    // to reset the EP first.
    EpRow{EpState::Unconnected, EpEvent::Connect, EpState::ActivePending},
    EpRow{EpState::Unconnected, EpEvent::Reserve, EpState::Reserved},
    EpRow{EpState::Unconnected, EpEvent::Accept, EpState::CompletionPending},
    EpRow{EpState::Reserved, EpEvent::Release, EpState::Unconnected},
    EpRow{EpState::Reserved, EpEvent::Requested, EpState::PassivePending},
    EpRow{EpState::PassivePending, EpEvent::Accept, EpState::CompletionPending},
    EpRow{EpState::PassivePending, EpEvent::Release, EpState::Unconnected},
    EpRow{EpState::TentativePending, EpEvent::Accept, EpState::CompletionPending},
    EpRow{EpState::ActivePending, EpEvent::Established, EpState::Connected},
    EpRow{EpState::ActivePending, EpEvent::ConnectFailed, EpState::Disconnected},
    EpRow{EpState::ActivePending, EpEvent::Lost, EpState::Disconnected},
    EpRow{EpState::CompletionPending, EpEvent::Established, EpState::Connected},
    EpRow{EpState::CompletionPending, EpEvent::ConnectFailed, EpState::Disconnected},
    EpRow{EpState::CompletionPending, EpEvent::Lost, EpState::Disconnected},
    // dat_ep_disconnect: either flag aborts a connection that is being set up.
    EpRow{EpState::ActivePending, EpEvent::Abort, EpState::Disconnected},
    EpRow{EpState::ActivePending, EpEvent::Drain, EpState::Disconnected},
    EpRow{EpState::CompletionPending, EpEvent::Abort, EpState::Disconnected},
    EpRow{EpState::CompletionPending, EpEvent::Drain, EpState::Disconnected},
    EpRow{EpState::Connected, EpEvent::Abort, EpState::Disconnected},
    EpRow{EpState::Connected, EpEvent::Drain, EpState::DisconnectPending},
    EpRow{EpState::DisconnectPending, EpEvent::Abort, EpState::Disconnected},
    EpRow{EpState::DisconnectPending, EpEvent::Drain, EpState::DisconnectPending},
    EpRow{EpState::DisconnectPending, EpEvent::Drained, EpState::Disconnected},
    EpRow{EpState::Disconnected, EpEvent::Abort, EpState::Disconnected},
    EpRow{EpState::Disconnected, EpEvent::Drain, EpState::Disconnected},
    EpRow{EpState::Connected, EpEvent::Lost, EpState::Disconnected},
    EpRow{EpState::DisconnectPending, EpEvent::Lost, EpState::Disconnected},
    EpRow{EpState::Unconnected, EpEvent::Opened, EpState::Datagrams},
    EpRow{EpState::Datagrams, EpEvent::Opened, EpState::Datagrams},
    // A graceful disconnect drains nothing: a Send of a datagram ends as it is posted.
    EpRow{EpState::Datagrams, EpEvent::Abort, EpState::Disconnected},
    EpRow{EpState::Datagrams, EpEvent::Drain, EpState::Disconnected},
    EpRow{EpState::Datagrams, EpEvent::Lost, EpState::Disconnected},
    // dat_ep_reset: in UNCONNECTED it does nothing, and preposted Recvs stay.
    EpRow{EpState::Disconnected, EpEvent::Reset, EpState::Unconnected},
    EpRow{EpState::Unconnected, EpEvent::Reset, EpState::Unconnected},
};

inline constexpr std::array kEpStates{EpState::Unconnected,       EpState::Reserved,
                                      EpState::PassivePending,    EpState::ActivePending,
                                      EpState::TentativePending,  EpState::Connected,
                                      EpState::DisconnectPending, EpState::Disconnected,
                                      EpState::CompletionPending, EpState::Datagrams};
inline constexpr std::array kEpEvents{
    EpEvent::Connect,   EpEvent::Reserve,     EpEvent::Release,       EpEvent::Accept,
    EpEvent::Abort,     EpEvent::Drain,       EpEvent::Reset,         EpEvent::Opened,
    EpEvent::Requested, EpEvent::Established, EpEvent::ConnectFailed, EpEvent::Drained,
    EpEvent::Lost};

static_assert(every_enumerator_is_in(kEpStates) && every_enumerator_is_in(kEpEvents));
static_assert(no_two_rows_match(kEpTable));
// These two states need no row that leads to them: an EP begins in Unconnected, or in
// TentativePending if the provider makes it for a request.
static_assert(every_state_is_reached(kEpTable, kEpStates,
                                     std::array{EpState::Unconnected, EpState::TentativePending}));
static_assert(every_state_is_left(kEpTable, kEpStates, kEpEvents)); // no state is final

// DAT_INVALID_STATE with the subtype that names the state.
[[gnu::cold]] Status invalid_state(EpState state);

} // namespace datum
