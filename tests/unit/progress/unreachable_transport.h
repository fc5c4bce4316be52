// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/unit/progress/unreachable_transport.h: a transport without peers, memory or attributes. Its
// derived classes define progress() and set_attention().
#pragma once

#include <memory>
#include <span>

#include "core/port/transport.h"

namespace datum::test {

class UnreachableTransport : public Transport {
 public:
  const Limits& limits() const final { return limits_; }
  const Address& address() const final { return address_; }
  NamedAttributes attributes() const final { return {}; }
  std::span<RegionEntry> region_storage() final { return {}; }
  DirectAccessGate* gate() final { return nullptr; }
  void attach(const TransportHost&) final {}
  Result<std::unique_ptr<Listener>> listen(ConnQual, ListenerEvents&) final {
    return fail(Type::ConnQualUnavailable);
  }
  Result<std::unique_ptr<Listener>> listen_any(ListenerEvents&) final {
    return fail(Type::ConnQualUnavailable);
  }
  Result<std::unique_ptr<Channel>> connect(const Address&, ConnQual, PrivateData, ChannelEvents&,
                                           const ChannelOptions&) final {
    return fail(Type::InvalidAddress);
  }

 private:
  Limits limits_;
  Address address_;
};

} // namespace datum::test
