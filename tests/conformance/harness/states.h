// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// harness/states.h: an endpoint in each state of the EP table.
// Lives here: bringing an EP into a state through the public API, as a consumer does, and
//             cleaning everything up again.
// Not here:   what may be done in a state (tests/rules/ep_table.rules).
#pragma once

#include "dat.h"

#include <memory>
#include <optional>
#include <vector>

#include "connection.h"
#include "two_processes.h"

namespace datum::test {

// U, R, PP, TP, AP, CP, C, DP, D of the rule list.
inline constexpr DAT_EP_STATE kEpStates[] = {
    DAT_EP_STATE_UNCONNECTED,
    DAT_EP_STATE_RESERVED,
    DAT_EP_STATE_PASSIVE_CONNECTION_PENDING,
    DAT_EP_STATE_TENTATIVE_CONNECTION_PENDING,
    DAT_EP_STATE_ACTIVE_CONNECTION_PENDING,
    DAT_EP_STATE_COMPLETION_PENDING,
    DAT_EP_STATE_CONNECTED,
    DAT_EP_STATE_DISCONNECT_PENDING,
    DAT_EP_STATE_DISCONNECTED,
};

const char* short_name(DAT_EP_STATE state);
// The subtype of DAT_INVALID_STATE that names the state.
DAT_RETURN_SUBTYPE state_subtype(DAT_EP_STATE state);

class EpInState {
 public:
  EpInState(const EpInState&) = delete;
  EpInState& operator=(const EpInState&) = delete;
  ~EpInState();

  DAT_EP_HANDLE ep() const { return ep_; }
  DAT_IA_HANDLE ia() const { return ia_; }
  // The PZ and the EVDs of the EP. In TP the EP has none: side() then has spare PZ and EVDs.
  Side& side() { return *side_; }
  // The request that owns the EP in PP and TP; null otherwise. Answer it with
  // dat_cr_...(cr().release()).
  Cr& cr() { return cr_; }
  Rsp& rsp() { return rsp_; }
  // The other end in C, DP, D and AP; the requester in PP and TP.
  Side& peer() { return *peer_; }
  // A service point of ia() that accepts connects.
  Listener& listener() { return *listener_; }
  // The stopped process that is the peer in CP.
  PeerProcess& process() { return *process_; }
  // The test calls this after it has destroyed the EP.
  void ep_is_gone();

 private:
  friend std::unique_ptr<EpInState> put_ep_in_state(DAT_EP_STATE state);
  EpInState();

  void reserve();
  void passive_pending();
  void tentative();
  void active_pending();
  void completion_pending();
  void connected();
  void disconnect_pending();
  void disconnected();

  Ia ia_;
  Ia peer_ia_;
  std::optional<PeerProcess> process_;
  std::unique_ptr<Side> side_;
  std::unique_ptr<Side> peer_;
  std::optional<Buffer> message_;
  std::unique_ptr<Listener> listener_;
  Evd request_evd_;
  Rsp rsp_;
  Cr cr_;
  DAT_EP_HANDLE ep_ = DAT_HANDLE_NULL;
};

// Checks that the EP is in that state. COMPLETION_PENDING needs a peer that does not react: a
// stopped second process. A simulated network has no second process: the result is null then, and
// the test skips.
std::unique_ptr<EpInState> put_ep_in_state(DAT_EP_STATE state);

} // namespace datum::test
