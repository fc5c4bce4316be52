// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/endpoint/connect_attempt.h: a connect under way: the address, the request to the peer, and
// how long the request is repeated while no peer listens yet.
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

// The object that connects. It may destroy the attempt during a call of on_asked_again().
class Connector {
 public:
  // The peer was asked again. The answer comes on `channel`.
  virtual void on_asked_again(std::unique_ptr<Channel> channel) = 0;

 protected:
  ~Connector() = default;
};

// Some programs, such as Debian's dtest, tell their peers where they listen a moment before they
// listen. So a connect that finds no listener is repeated during a grace, and refused only after
// it.
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
  // Called when no peer listens. True: a timer will ask the peer again. False: the answer is final.
  bool ask_later();

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
  Instant patient_until_ = kNever; // the end of the grace; kNever: it has not begun
  Duration pause_;
};

} // namespace datum
