// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/link/link_transport.h: the transport over a fabric of links.
// Lives here: listeners, links, the gate that keeps direct access and dat_lmr_free apart.
#pragma once

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/intrusive_list.h"
#include "core/port/timer.h"
#include "core/port/transport.h"
#include "transport/link/direct_copy.h"
#include "transport/link/fabric.h"
#include "transport/link/link.h"
#include "transport/link/link_channel.h"

namespace datum {

struct LinkOptions {
  Limits limits;
  // How long a message waits for a Recv (DATUM_RNR_TIMEOUT); 0: not at all; empty: the default.
  std::optional<Duration> receive_timeout = std::nullopt;
};

class LinkTransport final : public Transport, private FabricEvents, private DirectAccessGate {
 public:
  LinkTransport(Fabric& fabric, const LinkOptions& options);
  ~LinkTransport() override;

  // --- Transport -------------------------------------------------------------------------------
  const Limits& limits() const override { return options_.limits; }
  const Address& address() const override { return fabric_.address(); }
  NamedAttributes attributes() const override { return fabric_.attributes(); }
  std::span<RegionEntry> region_storage() override { return fabric_.region_storage(); }
  DirectAccessGate* gate() override { return this; }
  void attach(const TransportHost& host) override;
  Result<std::unique_ptr<Listener>> listen(ConnQual qualifier, ListenerEvents& events) override;
  Result<std::unique_ptr<Listener>> listen_any(ListenerEvents& events) override;
  Result<std::unique_ptr<Channel>> connect(const Address& address, ConnQual qualifier,
                                           PrivateData data, ChannelEvents& events,
                                           const ChannelOptions& options) override;
  bool progress() override;
  bool set_attention(Attention attention) override;
  bool shares_core() const override;
  Instant watch(Instant now) override;

  // --- for links and channels --------------------------------------------------------------------
  const TransportHost& host() const { return host_; }
  const LinkOptions& options() const { return options_; }
  // The most octets of private data: those of the consumer, and the mark that the core puts in
  // front of them.
  std::uint32_t most_private_data() const {
    return static_cast<std::uint32_t>(options_.limits.max_private_data) + kPrivateDataMark;
  }
  Fabric& fabric() { return fabric_; }
  Link* find_link(LinkPort& port);
  ListenerEvents* find_listener(ConnQual qualifier);
  void stop_listening(ConnQual qualifier) { listeners_.erase(qualifier); }
  ConnQual next_local_port();
  // Lists channels without a link that have something to report.
  void list_for_work(LinkChannel& channel);
  void unlist(LinkChannel& channel);
  // Called if progress() lacked memory. A timer makes a thread call progress() again.
  void try_again_soon();
  // Lets a simulated network deliver what is due for this adapter.
  void take_from_fabric();
  // In each progress() all connections together copy at most one quantum, since other work waits.
  // False: less than `octets` is left of the quantum, and the copy waits for the next progress().
  bool take_turn(std::uint64_t octets) {
    if (octets <= quantum_left_) {
      quantum_left_ -= octets;
      return true;
    }
    turn_was_short_ = true;
    return false;
  }

 private:
  class NamedListener;
  // The timer does nothing itself: the thread that runs timers also calls progress().
  class Retry final : public Timer {
    void on_expired(Instant) override {}
  };
  Result<std::unique_ptr<Listener>> adopt(Result<std::unique_ptr<PublishedName>> name,
                                          ListenerEvents& events);
  bool run_unlinked();

  // FabricEvents
  void on_link(LinkPort& port) override;
  void on_doorbell(LinkPort& port) override;
  void on_link_lost(LinkPort& port) override;
  IdleLink judge_idle(LinkPort& port) override;
  // DirectAccessGate
  void quiesce(Stag stag) override;

  Fabric& fabric_;
  const bool drives_fabric_;
  LinkOptions options_;
  TransportHost host_;
  Attention attention_ = Attention::Polling;
  std::vector<std::unique_ptr<Link>> links_;
  std::size_t first_link_ = 0; // the link that gets the first turn of copying
  std::uint64_t quantum_left_ = 0;
  bool turn_was_short_ = false;
  std::vector<std::unique_ptr<Link>> lost_links_; // destroyed outside their own callbacks
  std::unordered_map<ConnQual, ListenerEvents*> listeners_;
  IntrusiveList<LinkChannel, UnlinkedTag> unlinked_;
  Retry retry_;
  std::uint64_t ports_given_ = 0;
};

} // namespace datum
