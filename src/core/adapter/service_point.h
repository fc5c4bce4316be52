// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/adapter/service_point.h: a PSP or an RSP: where connection requests arrive.
#pragma once

#include <memory>

#include "base/status.h"
#include "core/events/event_dispatcher.h"
#include "core/object/object.h"
#include "core/object/ref.h"
#include "core/port/transport.h"

namespace datum {

class Endpoint;
class InterfaceAdapter;

class ServicePoint final : public Object, public ListenerEvents {
 public:
  // The side that provides the EP of a request: the values of DAT_PSP_FLAGS.
  enum class EpSource : std::uint8_t { Consumer = 0, Provider = 1 };

  // Makes a PSP, or a CSP, which has a socket address (DAT 2.0).
  ServicePoint(InterfaceAdapter& adapter, EventDispatcher& evd, EpSource source,
               ObjectKind kind = ObjectKind::PublicServicePoint);
  // Makes an RSP. If `endpoint` is null, the provider makes an EP when the request arrives
  // (decision 19).
  ServicePoint(InterfaceAdapter& adapter, EventDispatcher& evd, Endpoint* endpoint);
  ~ServicePoint() override;

  // Starts listening; a null qualifier lets the transport choose.
  Status listen(const ConnQual* qualifier);

  bool reserved() const { return kind() == ObjectKind::ReservedServicePoint; }
  // True: the only request of the RSP has arrived, and the RSP no longer listens (decision 20).
  bool spent() const { return spent_; }
  ConnQual qualifier() const { return qualifier_; }
  EventDispatcher* evd() const { return evd_.get(); }
  Endpoint* endpoint() const { return endpoint_; }
  EpSource ep_source() const { return source_; }
  // The address with which a CSP was created.
  const Address& address() const { return address_; }
  void set_address(const Address& address) { address_ = address; }

  // A request arrived, or was handed off to this point. The point refuses a request that it cannot
  // present.
  void on_request(std::unique_ptr<IncomingConnection> request) override;

 private:
  bool present(std::unique_ptr<IncomingConnection>& request, bool datagrams);

  InterfaceAdapter& owner_;
  Ref<EventDispatcher> evd_;
  EpSource source_;
  Endpoint* endpoint_ = nullptr;
  bool spent_ = false;
  ConnQual qualifier_ = 0;
  Address address_;
  std::unique_ptr<Listener> listener_;
};

} // namespace datum
