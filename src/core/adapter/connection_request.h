// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/adapter/connection_request.h: a CR: a request that waits for accept, reject or handoff.
// A CR may outlive its service point. Each of the three answers destroys the CR.
#pragma once

#include <memory>
#include <vector>

#include "base/status.h"
#include "core/object/object.h"
#include "core/port/transport.h"

namespace datum {

class Endpoint;
class InterfaceAdapter;

bool asks_for_datagrams(const IncomingConnection& incoming);

class ConnectionRequest final : public Object {
 public:
  ConnectionRequest(InterfaceAdapter& adapter, std::unique_ptr<IncomingConnection> incoming,
                    ConnQual qualifier, Endpoint* endpoint);
  ~ConnectionRequest() override;

  const Address& remote_address() const { return remote_address_; }
  ConnQual remote_port() const { return incoming_->remote_port(); }
  // The private data of the consumer that sent the request.
  PrivateData private_data() const;
  // True: an endpoint of datagrams sent the request. Only an endpoint of the same kind can accept
  // it.
  bool for_datagrams() const { return for_datagrams_; }
  Endpoint* endpoint() const { return endpoint_; }

  // Success: the CR is consumed and the caller destroys it. Failure: nothing has changed.
  Status accept(Endpoint* endpoint, PrivateData data);
  // The data travel only if both peers speak DAT 2.0.
  void reject(PrivateData data);
  Status handoff(ConnQual qualifier);

 private:
  // The EP that came with the request goes back to its consumer. An EP made by the provider is
  // destroyed.
  void give_back_endpoint();

  InterfaceAdapter& owner_;
  std::unique_ptr<IncomingConnection> incoming_;
  Address remote_address_;
  ConnQual qualifier_;
  bool for_datagrams_;
  Endpoint* endpoint_;
};

} // namespace datum
