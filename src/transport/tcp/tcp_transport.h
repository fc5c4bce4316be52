// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/tcp/tcp_transport.h: the transport over TCP and iWARP, between hosts, and to other
// implementations of iWARP.
// Lives here: the calls of the core. Its parts: tcp_listener, tcp_channel, tcp_connection.
// Threads:    the adapter's lock.
#pragma once

#include <memory>
#include <string>

#include "transport/tcp/preferred_way.h"
#include "transport/tcp/tcp_context.h"

namespace datum {

class TcpTransport final : public Transport {
 public:
  // `address`: a sockaddr_in or sockaddr_in6. Fails with InvalidAddress or for lack of memory.
  static Result<std::unique_ptr<TcpTransport>> create(const Address& address, Reactor& reactor,
                                                      const TcpOptions& options);
  ~TcpTransport() override;
  TcpTransport(const TcpTransport&) = delete;
  TcpTransport& operator=(const TcpTransport&) = delete;

  const Limits& limits() const override { return limits_; }
  const Address& address() const override { return address_; }
  NamedAttributes attributes() const override;
  // Texts about the way that connections take.
  std::string way_to_other_hosts() const;
  std::string way_to_this_host() const;
  std::span<RegionEntry> region_storage() override;
  DirectAccessGate* gate() override { return nullptr; } // all access is under the adapter's lock
  void attach(const TransportHost& host) override { context_.lent = host; }
  Result<std::unique_ptr<Listener>> listen(ConnQual qualifier, ListenerEvents& events) override;
  Result<std::unique_ptr<Listener>> listen_any(ListenerEvents& events) override;
  Result<std::unique_ptr<Channel>> connect(const Address& address, ConnQual qualifier,
                                           PrivateData data, ChannelEvents& events,
                                           const ChannelOptions& options) override;
  // `why`: why the connection takes TCP; see Channel::path_reason(). `preferred` may be nullptr.
  Result<std::unique_ptr<Channel>> connect(const Address& address, ConnQual qualifier,
                                           PrivateData data, ChannelEvents& events,
                                           const ChannelOptions& options, const std::string& why,
                                           PreferredWay* preferred);
  // A caller that skips progress() while has_work() is false calls this instead.
  void pass() { context_.begin_turn(); }
  bool has_work() const {
    return !context_.pending.empty() || !context_.continuing.empty() || context_.some_ended ||
           !context_.untold.empty();
  }
  bool progress() override;
  bool set_attention(Attention attention) override;
  bool data_by_descriptors() const override { return context_.connections != 0; }
  Duration descriptor_gap() const override {
    if (context_.connections == 0) return waiting::kDoorbellsOnly;
    return context_.in_batches ? waiting::kBetweenBatches : 0;
  }

 private:
  // The region table. Its pages cost nothing until they are used.
  class Regions {
   public:
    Regions();
    ~Regions();
    Regions(const Regions&) = delete;
    Regions& operator=(const Regions&) = delete;
    std::span<RegionEntry> entries();
    explicit operator bool() const { return memory_ != nullptr; }

   private:
    void* memory_ = nullptr;
  };

  TcpTransport(const Address& address, const HostAddress& host, Reactor& reactor,
               const TcpOptions& options);
  void reap();
  bool run_pending();
  bool continue_others();
  void tell_ends();
  void send_last_messages();
  bool look_at_ending(Instant until);

  const Address address_;
  Limits limits_;
  Regions regions_;
  TcpContext context_;
};

} // namespace datum
