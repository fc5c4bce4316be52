// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/tcp/tcp_incoming.h: a request that waits for the consumer's answer.
#pragma once

#include <memory>
#include <new>

#include "base/log.h"
#include "transport/tcp/tcp_channel.h"

namespace datum {

class TcpIncoming final : public IncomingConnection {
 public:
  // `prefix`: the length of the qualifier prefix in front of the consumer's private data.
  TcpIncoming(TcpContext& context, std::unique_ptr<TcpConnection> connection,
              const SocketName& peer, std::size_t prefix)
      : context_(context), connection_(std::move(connection)), prefix_(prefix), peer_(peer) {
    connection_->set_owner(nullptr);
  }
  ~TcpIncoming() override {
    if (!connection_) return;
    connection_->session().refuse(iwarp::Refusal::NotAccepted, context_.now());
    TcpConnection::release(std::move(connection_));
  }
  Address remote_address() const override { return write_address(peer_.host); }
  ConnQual remote_port() const override { return peer_.port; }
  PrivateData private_data() const override {
    return connection_->session().private_data().subspan(prefix_);
  }
  std::unique_ptr<Channel> accept(PrivateData data, ChannelEvents& events,
                                  const ChannelOptions& options) override {
    // If the answer cannot be sent, this throws before anything has changed. A peer that gets no
    // answer asks again.
    if (!connection_->session().can_answer()) throw std::bad_alloc();
    const char* why = context_.why(connection_->is_within_host());
    if (log_enabled(LogLevel::Debug))
      log(LogLevel::Debug, "accepting {} port {} over TCP: {}", to_text(peer_.host), peer_.port,
          why);
    auto channel = std::make_unique<TcpChannel>(context_, events, options, why);
    channel->accept(std::move(connection_), peer_, data);
    return channel;
  }
  void reject_by_consumer(PrivateData data) override {
    connection_->session().reject(data, context_.now());
    TcpConnection::release(std::move(connection_));
  }

 private:
  TcpContext& context_;
  std::unique_ptr<TcpConnection> connection_;
  const std::size_t prefix_;
  const SocketName peer_;
};

} // namespace datum
