// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/endpoint/connect_attempt.h: a connect under way: the peer and what it is asked, and for how
// long the question is repeated while no peer listens yet.
// Not here:   the consumer's time limit, and the channel; the connector has both.
// Threads:    the adapter's lock.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/status.h"
#include "core/port/timer.h"
#include "core/port/transport.h"
#include "core/port/types.h"

namespace datum {

class AdapterContext;

// The object that connects. It may destroy the attempt from inside a call.
class Connector {
 public:
  // The peer was asked again. The answer comes by this channel.
  virtual void on_asked_again(std::unique_ptr<Channel> channel) = 0;

 protected:
  ~Connector() = default;
};

// Programs, such as Debian's dtest, tell their peers where they listen a moment before they do. So
// "no listener" is an answer only after a grace.
class ConnectAttempt final : private Timer {
 public:
  struct ConnectTarget {
    Address address;
    ConnQual qualifier = 0;
    PrivateData data; // copied
    ChannelOptions options;
  };
  ConnectAttempt(AdapterContext& adapter, const ConnectTarget& question, ChannelEvents& events,
                 Connector& connector);

  Result<std::unique_ptr<Channel>> ask();
  // The answer was that no peer listens. True: the peer will be asked again. False: the answer is
  // final.
  bool is_patient();

 private:
  void on_expired(Instant now) override;
  std::unique_ptr<Channel> ask_again();

  AdapterContext& adapter_;
  ChannelEvents& events_;
  Connector& connector_;
  const Address address_;
  const ConnQual qualifier_;
  const std::vector<std::byte> data_;
  const ChannelOptions options_;
  Instant asked_ = 0;
  Instant patient_until_ = kNever; // kNever: every question so far was answered by a listener
  Duration pause_;
};

} // namespace datum
