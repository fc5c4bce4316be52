// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "core/adapter/service_point.h"

#include "base/refusal.h"

#include <new>

#include "base/log.h"
#include "core/adapter/interface_adapter.h"
#include "core/endpoint/endpoint.h"

namespace datum {

ServicePoint::ServicePoint(InterfaceAdapter& adapter, EventDispatcher& evd, EpSource source,
                           ObjectKind kind)
    : Object(adapter, kind), owner_(adapter), evd_(&evd), source_(source) {}

ServicePoint::ServicePoint(InterfaceAdapter& adapter, EventDispatcher& evd, Endpoint* endpoint)
    : Object(adapter, ObjectKind::ReservedServicePoint), owner_(adapter), evd_(&evd),
      source_(endpoint == nullptr ? EpSource::Provider : EpSource::Consumer), endpoint_(endpoint) {}

ServicePoint::~ServicePoint() {
  if (endpoint_ != nullptr) endpoint_->connection().release_reservation();
}

Status ServicePoint::listen(const ConnQual* qualifier) {
  Transport& transport = adapter().transport();
  try {
    Result<std::unique_ptr<Listener>> listener =
        qualifier != nullptr ? transport.listen(*qualifier, *this) : transport.listen_any(*this);
    if (!listener) {
      if (qualifier != nullptr)
        note_cause("conn_qual", *qualifier, "one that is free on this host", "");
      return listener.error();
    }
    listener_ = std::move(*listener);
  } catch (const std::bad_alloc&) {
    return {Type::InsufficientResources, Detail::ResourceMemory};
  }
  qualifier_ = listener_->qualifier();
  return kOk;
}

void ServicePoint::on_request(std::unique_ptr<IncomingConnection> request) {
  AdapterTally& tally = adapter().tally();
  const bool datagrams = asks_for_datagrams(*request);
  ++(datagrams ? tally.datagram_requests_arrived : tally.requests_arrived);
  // A request that cannot be presented is refused when `request` goes out of scope.
  if (spent_) return;
  try {
    if (!present(request, datagrams)) return;
  } catch (const std::bad_alloc&) {
    log_of_peer(LogLevel::Warn, "qualifier {}: no memory for a connection request: refused",
                qualifier_);
    return;
  }
  if (!reserved()) return;
  spent_ = true;
  owner_.count_spent_point();
  listener_.reset();
  evd_ = {};
  endpoint_ = nullptr; // the CR has the EP now, and may destroy it before this point is freed
}

bool ServicePoint::present(std::unique_ptr<IncomingConnection>& request, bool datagrams) {
  // The EVD is the backlog (dat_psp_create(3DAT), Parameters). If the EVD is full, the request is
  // refused (dat_ep_connect(3DAT), Description), and no EP is made in vain.
  if (evd_->full()) {
    ++adapter().tally().requests_without_room;
    return false;
  }
  // The request gets the EP of the RSP, an EP that the provider makes, or no EP. In the last case
  // the consumer names an EP when it accepts. Only then may the request be one of datagrams.
  const bool consumer_chooses = !reserved() && source_ == EpSource::Consumer;
  if (datagrams && !(consumer_chooses && adapter().knows_datagrams())) return false;
  if (endpoint_ != nullptr) {
    const Address remote = request->remote_address();
    const ConnQual port = request->remote_port();
    if (!owner_.present_request(*this, request, endpoint_)) return false;
    endpoint_->connection().requested(remote, port, qualifier_);
    return true;
  }
  if (source_ == EpSource::Consumer) return owner_.present_request(*this, request, nullptr);
  Result<Endpoint*> made = owner_.create_provider_endpoint();
  if (!made) return false;
  (*made)->connection().requested(request->remote_address(), request->remote_port(), qualifier_);
  if (owner_.present_request(*this, request, *made)) return true;
  owner_.discard(**made);
  return false;
}

} // namespace datum
