// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/shm/shm_fabric.h: links between processes (or adapters) of one network namespace.
// Lives here: the functions that the link protocol calls. The parts of the fabric: shm_listener and
//             half_open (the dialled side), shm_dial (dialling), shm_port and link_table (links),
//             direct_access (peers' memory), quiesce (waiting for peers). How it works and what is
//             trusted: docs/design/shm.md.
// Not here:   records, connections, acknowledgements (transport/link).
// Bounds:     ShmOptions: links, half-open handshakes. Per link four descriptors (socket, pidfd,
//             the peer's life token and memory) and the mappings that map_cache.h bounds.
// Threads:    the adapter's lock. Names, dials and the reactor's handlers end before the fabric.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "base/fence.h"
#include "progress/reactor.h"
#include "transport/host/host_address.h"
#include "transport/link/fabric.h"
#include "transport/shm/life_token.h"
#include "transport/shm/quiesce.h"
#include "transport/shm/rendezvous.h"
#include "transport/shm/sealed_memory.h"
#include "transport/shm/shm_context.h"
#include "transport/shm/shm_options.h"

namespace datum {

class ShmFabric final : public Fabric {
 public:
  // `address`: a sockaddr_in or sockaddr_in6. Fails with InvalidAddress, or for lack of
  // descriptors or memory.
  static Result<std::unique_ptr<ShmFabric>> create(const Address& address, Reactor& reactor,
                                                   const ShmOptions& options);
  ~ShmFabric() override;
  ShmFabric(const ShmFabric&) = delete;
  ShmFabric& operator=(const ShmFabric&) = delete;

  const Address& address() const override { return address_; }
  NamedAttributes attributes() const override;
  std::span<RegionEntry> region_storage() override;
  void attach(const TransportHost& host, FabricEvents& events) override;

  Result<std::unique_ptr<PublishedName>> publish(ConnQual qualifier) override;
  Result<std::unique_ptr<PublishedName>> publish_any() override;
  // With TCP beside this fabric: the process whose names made the last publish() fail, unless that
  // process is known to run as this user.
  std::optional<QualifierHolder> take_holder() {
    return std::exchange(context_.blocking_holder, std::nullopt);
  }
  // Looks for the listener that a dial would find. The next dial uses the socket that was
  // connected.
  Finding find(const HostAddress& host, ConnQual qualifier);
  // Keeps no socket.
  bool is_offered(const HostAddress& host, ConnQual qualifier);
  Result<std::unique_ptr<Dial>> dial(const Address& address, ConnQual qualifier,
                                     DialEvents& events) override;
  bool fences_everywhere() const override { return fences_; }
  void fence_everywhere() override { shared_heavy_fence(); }
  bool progress() override { return false; }
  bool needs_progress() const override { return false; }
  void on_idle(LinkPort& port) override { static_cast<ShmPort&>(port).on_idle(); }

  // The DirectAccessGate of the transport calls this; see quiesce.h.
  bool quiesce(Stag stag) override {
    quiescence_.wait_for(stag);
    return true;
  }
  // True: some of the memory was isolated from a stopped peer. It must be registered without a
  // backing file.
  bool is_isolated(std::uint64_t base, std::uint64_t length) const {
    return quiescence_.is_isolated({base, length});
  }

  // The address in this adapter's names. Empty: the names are for every address of the host.
  std::optional<HostAddress> scope() const;
  Instant now() const { return context_.now(); }
  std::size_t links() const { return context_.links.size(); }
  std::size_t half_open() const { return context_.half_open.size(); }

 private:
  ShmFabric(const Address& address, const HostAddress& host, Reactor& reactor,
            const ShmOptions& options, SealedMemory table);
  Greeting introduce() const;

  const Address address_;
  const HostAddress host_;
  SealedMemory table_;
  LifeToken life_;
  const bool fences_;         // heavy fences reach other processes: see base/fence.h
  const std::uint64_t nonce_; // peers read this member: see DirectTerms
  ShmContext context_;
  Quiescence quiescence_;
  struct {
    HostAddress host;
    ConnQual qualifier = 0;
    GuardedFd rendezvous;
  } found_;
};

} // namespace datum
