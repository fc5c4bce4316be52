// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/link/link_incoming.h: a request that waits for the consumer's answer.
#pragma once

#include <memory>

#include "transport/link/link_channel.h"

namespace datum {

class LinkIncoming final : public IncomingConnection {
 public:
  explicit LinkIncoming(std::unique_ptr<LinkChannel> channel) : channel_(std::move(channel)) {}
  ~LinkIncoming() override {
    if (channel_) channel_->refuse(false, {});
  }
  Address remote_address() const override { return channel_->remote_address(); }
  ConnQual remote_port() const override { return channel_->remote_port(); }
  PrivateData private_data() const override { return channel_->private_data(); }
  std::unique_ptr<Channel> accept(PrivateData data, ChannelEvents& events,
                                  const ChannelOptions& options) override {
    channel_->accept(data, events, options);
    return std::move(channel_);
  }
  void reject_by_consumer(PrivateData data) override {
    channel_->refuse(true, data);
    channel_.reset();
  }

 private:
  std::unique_ptr<LinkChannel> channel_;
};

} // namespace datum
