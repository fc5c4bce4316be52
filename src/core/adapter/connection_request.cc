// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "core/adapter/connection_request.h"

#include "base/refusal.h"
#include "core/adapter/interface_adapter.h"
#include "core/datagrams/datagram_mark.h"
#include "core/endpoint/endpoint.h"

namespace datum {

bool asks_for_datagrams(const IncomingConnection& incoming) {
  DatagramMark mark;
  return decode(incoming.private_data(), mark);
}

ConnectionRequest::ConnectionRequest(InterfaceAdapter& adapter,
                                     std::unique_ptr<IncomingConnection> incoming,
                                     ConnQual qualifier, Endpoint* endpoint)
    : Object(adapter, ObjectKind::ConnectionRequest), owner_(adapter),
      incoming_(std::move(incoming)), remote_address_(incoming_->remote_address()),
      qualifier_(qualifier), for_datagrams_(asks_for_datagrams(*incoming_)), endpoint_(endpoint) {}

ConnectionRequest::~ConnectionRequest() = default;

PrivateData ConnectionRequest::private_data() const {
  const PrivateData all = incoming_->private_data();
  return for_datagrams_ ? all.subspan(DatagramMark::kWireSize) : all;
}

Status ConnectionRequest::accept(Endpoint* endpoint, PrivateData data) {
  const bool own = endpoint_ != nullptr;
  // The caller gives an EP exactly when the request brought none (dat_cr_accept).
  if (own == (endpoint != nullptr)) {
    note_cause(
        {"ep_handle", own ? "an EP" : "null",
         own ? "null, since the request brought its EP" : "an EP, since the request has none", ""});
    return {Type::InvalidHandle, Detail::HandleEp};
  }
  Endpoint& chosen = own ? *endpoint_ : *endpoint;
  if (for_datagrams_ != (chosen.datagrams() != nullptr)) {
    note_cause({"service_type of the EP", "another than the request's", "the same", ""});
    return {Type::InvalidHandle, Detail::HandleEp};
  }
  if (const Status s = chosen.connection().check_accept(own); !s.ok()) return s;
  chosen.connection().accept(*incoming_, qualifier_, data); // if it throws, nothing has changed
  endpoint_ = nullptr;
  ++adapter().tally().accepted;
  return kOk;
}

void ConnectionRequest::give_back_endpoint() {
  if (endpoint_ == nullptr) return;
  if (endpoint_->state() == EpState::TentativePending)
    owner_.discard(*endpoint_);
  else
    endpoint_->connection().release_reservation();
  endpoint_ = nullptr;
}

void ConnectionRequest::reject(PrivateData data) {
  incoming_->reject_by_consumer(data);
  ++adapter().tally().rejected;
  give_back_endpoint();
}

Status ConnectionRequest::handoff(ConnQual qualifier) {
  ServicePoint* target = owner_.find_service_point(qualifier);
  if (target == nullptr) {
    note_cause("", qualifier, "", "");
    return {Type::InvalidParameter, Detail::Arg2};
  }
  give_back_endpoint();
  target->on_request(std::move(incoming_));
  return kOk;
}

} // namespace datum
