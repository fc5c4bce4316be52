// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/tcp/tcp_channel.h: the seam's channel over a TCP connection.
// Lives here: dialling (candidate ports, the older revision), what the core asks of a connection.
// Threads:    the adapter's lock.
#pragma once

#include <memory>
#include <vector>

#include "transport/tcp/qualifier.h"
#include "transport/tcp/tcp_connection.h"

namespace datum {

class TcpChannel final : public Channel, private TcpOwner, private Timer {
 public:
  // `why` it is TCP: see Channel::path_reason().
  TcpChannel(TcpContext& context, ChannelEvents& events, const ChannelOptions& options,
             const char* why)
      : context_(context), events_(events), options_(options), why_(why) {}
  ~TcpChannel() override;

  Status dial(const HostAddress& host, ConnQual qualifier, PrivateData data);
  // Of a request that waits for its answer.
  void accept(std::unique_ptr<TcpConnection> connection, PrivateData data);

  // --- Channel ---------------------------------------------------------------------------------
  StartResult start(const WorkRequest& request) override;
  StartResult start_now(const WorkRequest& request) override;
  void on_receive_posted() override;
  void close(CloseMode mode) override;
  ConnQual local_port() const override { return local_port_; }
  ConnQual remote_port() const override { return remote_port_; }
  Address remote_address() const override { return write_address(remote_); }
  const char* path() const override { return "tcp"; }
  std::string path_reason() const override { return why_; }

 private:
  static constexpr std::uint8_t kRevision = 2;
  static constexpr std::uint8_t kOldRevision = 1;

  void on_tcp_connected(int error) override;
  void on_silent_refusal() override;
  bool may_ask_elsewhere() const override { return !ports_.empty(); }
  void on_not_here() override { attempt_soon(); }
  void on_expired(Instant now) override; // the next attempt, or the report of why there is none

  Status attempt();
  bool attempts_now();
  void attempt_soon();
  void begin();
  void after_failure(int error);
  void hang_up();
  iwarp::Wishes wishes(std::uint8_t revision) const;

  TcpContext& context_;
  ChannelEvents& events_;
  const ChannelOptions options_;
  const char* const why_;
  std::unique_ptr<TcpConnection> connection_;
  HostAddress remote_;
  ConnQual remote_port_ = 0;
  ConnQual local_port_ = 0;
  // While it dials.
  std::vector<std::uint16_t> ports_; // not tried yet, last first
  std::vector<std::byte> data_;
  std::uint16_t port_ = 0;
  std::uint8_t revision_ = kRevision;
  ConnectFailure failure_ = ConnectFailure::NonPeerRejected; // so far
};

} // namespace datum
