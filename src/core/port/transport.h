// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/port/transport.h: the port between the core and what moves bytes.
// Lives here: what a transport offers (listen, connect, progress) and what the core lends it.
//             Four transports are held against it: docs/design/seam.md.
// Not here:   a connection (channel.h).
// Threads:    every call, in both directions, is made with the adapter's lock held.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/random.h"
#include "base/status.h"
#include "core/port/channel.h"
#include "core/port/progress.h"
#include "core/port/region_table.h"
#include "core/port/timer.h"
#include "core/port/types.h"
#include "core/port/waiting.h"

namespace datum {

// A request that arrived and waits for an answer. Destroyed unanswered: refused by the provider.
class IncomingConnection {
 public:
  virtual ~IncomingConnection() = default;
  virtual Address remote_address() const = 0;
  virtual ConnQual remote_port() const = 0;
  virtual PrivateData private_data() const = 0;
  // Never fails: when the requester has gone, the channel reports on_connect_failed().
  virtual std::unique_ptr<Channel> accept(PrivateData data, ChannelEvents& events,
                                          const ChannelOptions& options) = 0;
  virtual void reject_by_consumer(PrivateData data) = 0;
};

class ListenerEvents {
 public:
  virtual void on_request(std::unique_ptr<IncomingConnection> request) = 0;

 protected:
  ~ListenerEvents() = default;
};

// Destroying it ends listening; requests already handed out stay answerable.
class Listener {
 public:
  virtual ~Listener() = default;
  virtual ConnQual qualifier() const = 0;
};

// What the core lends a transport for its life.
struct TransportHost {
  Progress* progress = nullptr;
  TimerQueue* timers = nullptr;
  RegionTable* regions = nullptr;
  Random* random = nullptr;

  // And gets a sleeping thread to notice.
  void arm(Timer& timer, Instant when) const {
    const bool sooner = when < timers->next();
    timers->arm(timer, when);
    if (sooner) progress->kick();
  }
};

enum class Attention : std::uint8_t {
  Polling, // somebody calls progress() all the time
  Asleep,  // nobody does until the transport's descriptors become readable or kick() is called
};

class Transport {
 public:
  virtual ~Transport() = default;
  virtual const Limits& limits() const = 0;
  virtual const Address& address() const = 0;
  virtual NamedAttributes attributes() const = 0;

  // RegionTable::kCapacity entries which peers may read, and the gate that keeps track of them.
  virtual std::span<RegionEntry> region_storage() = 0;
  virtual DirectAccessGate* gate() = 0;
  virtual void attach(const TransportHost& host) = 0;

  virtual Result<std::unique_ptr<Listener>> listen(ConnQual qualifier, ListenerEvents& events) = 0;
  virtual Result<std::unique_ptr<Listener>> listen_any(ListenerEvents& events) = 0;
  // Fails with InvalidAddress or InsufficientResources only; everything else arrives as an event.
  virtual Result<std::unique_ptr<Channel>> connect(const Address& address, ConnQual qualifier,
                                                   PrivateData data, ChannelEvents& events,
                                                   const ChannelOptions& options) = 0;

  // Moves what can be moved, without sleeping. True: something happened.
  virtual bool progress() = 0;
  // Tells peers whether they have to ring. True: look again, something may have come meanwhile.
  virtual bool set_attention(Attention attention) = 0;
  // Otherwise descriptors only ring.
  virtual bool data_by_descriptors() const { return false; }
  // The longest that a poller may go without a look at the descriptors.
  virtual Duration descriptor_gap() const { return waiting::kBellsOnly; }
  // Called now and then while somebody polls, and before somebody sleeps: peers are told what has
  // been taken from them, and one that said it polls but takes nothing is rung. Returns when to be
  // called again, at the latest.
  virtual Instant watch(Instant) { return kNever; }
};

} // namespace datum
