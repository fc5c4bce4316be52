// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/paths/path_transport.h: one IA that reaches the processes of this host through shared
// memory and all others over TCP.
// A qualifier is the number of a service point. Up to 65535 it is also a TCP port. A rendezvous is
// the UNIX socket by which processes of this host find a service point over shared memory. Its
// holder is the process that listens there. Up to 65535, a process believes a holder only if the
// holder's user also has the TCP port (transport/shm/rendezvous.h).
// Lives here: the choice, made once for each connection before it begins; a qualifier published on
//             both paths.
// Not here:   the paths. A channel belongs to the chosen transport, with nothing in between.
// Threads:    the adapter's lock.
#pragma once

#include <memory>
#include <optional>

#include "base/shortage.h"
#include "transport/host/descriptors_left.h"
#include "transport/host/qualifier_holder.h"
#include "transport/link/link_transport.h"
#include "transport/shm/shm_fabric.h"
#include "transport/tcp/tcp_transport.h"

namespace datum {

class PathTransport final : public Transport, private PreferredWay {
 public:
  // `fabric` must take no TCP ports (ShmOptions::ports_are_claimed).
  PathTransport(ShmFabric& fabric, const LinkOptions& options, std::unique_ptr<TcpTransport> tcp);

  const Limits& limits() const override { return limits_; }
  const Address& address() const override { return links_.address(); }
  NamedAttributes attributes() const override;
  std::span<RegionEntry> region_storage() override { return links_.region_storage(); }
  DirectAccessGate* gate() override { return links_.gate(); }
  void attach(const TransportHost& host) override;
  Result<std::unique_ptr<Listener>> listen(ConnQual qualifier, ListenerEvents& events) override;
  Result<std::unique_ptr<Listener>> listen_any(ListenerEvents& events) override;
  Result<std::unique_ptr<Channel>> connect(const Address& address, ConnQual qualifier,
                                           PrivateData data, ChannelEvents& events,
                                           const ChannelOptions& options) override;
  bool progress() override;
  bool set_attention(Attention attention) override;
  bool data_by_descriptors() const override;
  Duration descriptor_gap() const override;
  bool shares_core() const override { return !tcp_->data_by_descriptors() && links_.shares_core(); }
  Instant watch(Instant now) override { return links_.watch(now); }

 private:
  class BothWays;

  bool may_offer_shared_memory();
  std::optional<DescriptorsLeft> too_few_for_a_link() const;
  // If listening over TCP has succeeded, logs that it is without shared memory.
  Result<std::unique_ptr<Listener>> without_links(const DescriptorsLeft& found,
                                                  Result<std::unique_ptr<Listener>> over_tcp);
  Result<std::unique_ptr<Listener>> listen_beside(const QualifierHolder& holder, ConnQual qualifier,
                                                  ListenerEvents& events);
  bool is_there(const HostAddress& host, ConnQual qualifier) override;
  void tell_over_tcp_alone(ConnQual qualifier, const QualifierHolder& holder);

  ShmFabric& fabric_;
  LinkTransport links_;
  std::unique_ptr<TcpTransport> tcp_;
  Limits limits_;
  bool told_forbidden_ = false;
  ShortageLog shortage_of_links_;
  unsigned told_version_ = 0; // the last other version of the same-host protocol that was logged
  HolderLog told_holders_;
};

} // namespace datum
