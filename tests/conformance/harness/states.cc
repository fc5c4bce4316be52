// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "states.h"

namespace datum::test {

const char* short_name(DAT_EP_STATE state) {
  switch (state) {
  case DAT_EP_STATE_UNCONNECTED: return "U";
  case DAT_EP_STATE_RESERVED: return "R";
  case DAT_EP_STATE_PASSIVE_CONNECTION_PENDING: return "PP";
  case DAT_EP_STATE_TENTATIVE_CONNECTION_PENDING: return "TP";
  case DAT_EP_STATE_ACTIVE_CONNECTION_PENDING: return "AP";
  case DAT_EP_STATE_COMPLETION_PENDING: return "CP";
  case DAT_EP_STATE_CONNECTED: return "C";
  case DAT_EP_STATE_DISCONNECT_PENDING: return "DP";
  case DAT_EP_STATE_DISCONNECTED: return "D";
  default: return "UNCONFIGURED";
  }
}

DAT_RETURN_SUBTYPE state_subtype(DAT_EP_STATE state) {
  switch (state) {
  case DAT_EP_STATE_UNCONNECTED: return DAT_INVALID_STATE_EP_UNCONNECTED;
  case DAT_EP_STATE_RESERVED: return DAT_INVALID_STATE_EP_RESERVED;
  case DAT_EP_STATE_PASSIVE_CONNECTION_PENDING: return DAT_INVALID_STATE_EP_PASSCONNPENDING;
  case DAT_EP_STATE_TENTATIVE_CONNECTION_PENDING: return DAT_INVALID_STATE_EP_TENTCONNPENDING;
  case DAT_EP_STATE_ACTIVE_CONNECTION_PENDING: return DAT_INVALID_STATE_EP_ACTCONNPENDING;
  case DAT_EP_STATE_COMPLETION_PENDING: return DAT_INVALID_STATE_EP_COMPLPENDING;
  case DAT_EP_STATE_CONNECTED: return DAT_INVALID_STATE_EP_CONNECTED;
  case DAT_EP_STATE_DISCONNECT_PENDING: return DAT_INVALID_STATE_EP_DISCPENDING;
  case DAT_EP_STATE_DISCONNECTED: return DAT_INVALID_STATE_EP_DISCONNECTED;
  default: return DAT_NO_SUBTYPE;
  }
}

EpInState::EpInState()
    : ia_(open_ia()), side_(std::make_unique<Side>(ia_)),
      listener_(std::make_unique<Listener>(ia_)) {
  ep_ = side_->ep();
}

EpInState::~EpInState() {
  // A request without an answer keeps its EP from being freed, and so does an RSP. The EP must be
  // freed before the memory of a Send that is still under way. The members' destructors free the
  // rest.
  cr_.free();
  rsp_.free();
  side_->ep().free();
}

void EpInState::ep_is_gone() {
  if (side_->ep().get() == ep_) side_->ep().release();
  ep_ = DAT_HANDLE_NULL;
}

void EpInState::reserve() {
  request_evd_ = create_evd(ia_, DAT_EVD_CR_FLAG);
  rsp_ = create_rsp(ia_, free_qualifier(), ep_, request_evd_);
}

void EpInState::passive_pending() {
  reserve();
  DAT_RSP_PARAM param{};
  EXPECT_DAT_OK(dat_rsp_query(rsp_, DAT_RSP_FIELD_ALL, &param));
  peer_ia_ = open_ia();
  peer_ = std::make_unique<Side>(peer_ia_);
  EXPECT_DAT_OK(connect(peer_->ep(), address_of(ia_), param.conn_qual));
  cr_ = expect_request(request_evd_);
}

void EpInState::tentative() {
  listener_ = std::make_unique<Listener>(ia_, DAT_PSP_PROVIDER_FLAG);
  peer_ia_ = open_ia();
  peer_ = std::make_unique<Side>(peer_ia_);
  EXPECT_DAT_OK(connect(peer_->ep(), *listener_));
  cr_ = listener_->expect_request();
  DAT_CR_PARAM param{};
  EXPECT_DAT_OK(dat_cr_query(cr_, DAT_CR_FIELD_LOCAL_EP_HANDLE, &param));
  ep_ = param.local_ep_handle;
}

void EpInState::active_pending() {
  peer_ia_ = open_ia();
  listener_ = std::make_unique<Listener>(peer_ia_);
  peer_ = std::make_unique<Side>(peer_ia_);
  EXPECT_DAT_OK(connect(ep_, *listener_));
  cr_ = listener_->expect_request();
}

void EpInState::completion_pending() {
  process_.emplace(PeerProcess::of_this_program());
  EXPECT_EQ(process_->ask("connect " + std::to_string(listener_->qualifier())), "ok");
  Cr request = listener_->expect_request();
  process_->stop();
  EXPECT_DAT_OK(accept(request, ep_));
}

void EpInState::connected() {
  peer_ia_ = open_ia();
  peer_ = std::make_unique<Side>(peer_ia_);
  establish(*side_, *peer_);
}

void EpInState::disconnect_pending() {
  connected();
  // A Send is carried through only when the peer posts a Recv, and this peer posts none.
  message_.emplace(side_->buffer(16));
  EXPECT_DAT_OK(post_send(ep_, {message_->segment()}, 1));
  EXPECT_DAT_OK(dat_ep_disconnect(ep_, DAT_CLOSE_GRACEFUL_FLAG));
}

void EpInState::disconnected() {
  connected();
  EXPECT_DAT_OK(dat_ep_disconnect(ep_, DAT_CLOSE_ABRUPT_FLAG));
  expect_connection_event(side_->connect_evd(), DAT_CONNECTION_EVENT_DISCONNECTED, ep_);
  expect_connection_event(peer_->connect_evd(), DAT_CONNECTION_EVENT_DISCONNECTED, peer_->ep());
}

std::unique_ptr<EpInState> put_ep_in_state(DAT_EP_STATE state) {
  if (state == DAT_EP_STATE_COMPLETION_PENDING && transport() == "sim") return nullptr;
  std::unique_ptr<EpInState> made(new EpInState);
  switch (state) {
  case DAT_EP_STATE_RESERVED: made->reserve(); break;
  case DAT_EP_STATE_PASSIVE_CONNECTION_PENDING: made->passive_pending(); break;
  case DAT_EP_STATE_TENTATIVE_CONNECTION_PENDING: made->tentative(); break;
  case DAT_EP_STATE_ACTIVE_CONNECTION_PENDING: made->active_pending(); break;
  case DAT_EP_STATE_COMPLETION_PENDING: made->completion_pending(); break;
  case DAT_EP_STATE_CONNECTED: made->connected(); break;
  case DAT_EP_STATE_DISCONNECT_PENDING: made->disconnect_pending(); break;
  case DAT_EP_STATE_DISCONNECTED: made->disconnected(); break;
  default: break;
  }
  EXPECT_EQ(ep_state(made->ep()), state) << "instead of " << short_name(state);
  return made;
}

} // namespace datum::test
