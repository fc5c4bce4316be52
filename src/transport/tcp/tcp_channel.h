// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/tcp/tcp_channel.h: the Channel of the port (core/port) over a TCP connection.
// Lives here: the calls of the core on a connection.
// Not here:   finding the peer (tcp_dial), the work of a connection (tcp_connection).
// Threads:    the adapter's lock.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "transport/tcp/tcp_dial.h"

namespace datum {

class TcpChannel final : public Channel, private TcpDialer {
 public:
  // `why`: why the connection takes TCP; see Channel::path_reason().
  TcpChannel(TcpContext& context, ChannelEvents& events, const ChannelOptions& options,
             std::string why)
      : context_(context), events_(events), options_(options), why_(std::move(why)) {}
  ~TcpChannel() override;

  Status dial(const HostAddress& host, ConnQual qualifier, PrivateData data,
              PreferredWay* preferred);
  // `connection` holds a request that waits for its answer.
  void accept(std::unique_ptr<TcpConnection> connection, const SocketName& peer, PrivateData data);

  // --- Channel ---------------------------------------------------------------------------------
  StartResult start(const WorkRequest& request) override;
  StartResult start_now(const WorkRequest& request) override;
  void on_receive_posted() override;
  void catch_up() override;
  bool waits_for_receive(bool oldest_is_message) override;
  void close(CloseMode mode) override;
  ConnQual local_port() const override { return local_port_; }
  ConnQual remote_port() const override { return remote_port_; }
  Address remote_address() const override { return write_address(remote_); }
  const char* path() const override { return "tcp"; }
  std::string path_reason() const override { return why_; }

 private:
  void on_reply(std::unique_ptr<TcpConnection> connection) override;
  void on_dial_failed(ConnectFailure failure) override { events_.on_connect_failed(failure, {}); }
  iwarp::Wishes wishes() const;

  TcpContext& context_;
  ChannelEvents& events_;
  const ChannelOptions options_;
  const std::string why_;
  std::unique_ptr<TcpConnection> connection_;
  HostAddress remote_;
  ConnQual remote_port_ = 0;
  ConnQual local_port_ = 0;
  std::unique_ptr<TcpDial> dial_; // until a peer replies
};

} // namespace datum
