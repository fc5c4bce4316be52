// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/endpoint/connect_attempt.h: a connect under way: what is asked of whom, and for how long
// once more where nobody listens yet. Not here:   the consumer's timeout, and the channel: whoever
// connects has them. Threads:    the adapter's lock.
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

// Whoever connects. It may destroy the attempt from within.
class Connector {
 public:
  // It was asked again; the answer comes by this channel.
  virtual void on_asked_again(std::unique_ptr<Channel> channel) = 0;

 protected:
  ~Connector() = default;
};

// Programs tell their peers where they listen a moment before they do, as Debian's dtest does. So
// nobody is taken for an answer only after a grace.
class ConnectAttempt final : private Timer {
 public:
  struct Question {
    Address address;
    ConnQual qualifier = 0;
    PrivateData data; // copied
    ChannelOptions options;
  };
  ConnectAttempt(AdapterContext& adapter, const Question& question, ChannelEvents& events,
                 Connector& connector);

  Result<std::unique_ptr<Channel>> ask();
  // The answer is that nobody listens. True: it will be asked again. False: that is final.
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
  Instant patient_until_ = kNever; // kNever: nothing has tried its patience
  Duration pause_;
};

} // namespace datum
