// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/port/transport.h: the port between the core and the transports.
// Lives here: what a transport offers (listen, connect, progress) and what the core lends it.
//             docs/design/seam.md compares four transports with it.
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

// A request that arrived and waits for an answer. Destroying it unanswered refuses it in the
// provider's name.
class IncomingConnection {
 public:
  virtual ~IncomingConnection() = default;
  virtual Address remote_address() const = 0;
  virtual ConnQual remote_port() const = 0;
  virtual PrivateData private_data() const = 0;
  // Never fails. If the requester has gone, the channel reports on_connect_failed().
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

// What the core lends a transport for the transport's life.
struct TransportHost {
  Progress* progress = nullptr;
  TimerQueue* timers = nullptr;
  RegionTable* regions = nullptr;
  Random* random = nullptr;

  // Arms the timer, and makes a sleeping thread notice it.
  void arm(Timer& timer, Instant when) const {
    const bool sooner = when < timers->next();
    timers->arm(timer, when);
    if (sooner) progress->wake();
  }
};

enum class Attention : std::uint8_t {
  Polling, // a thread calls progress() all the time
  Asleep,  // no thread does until the transport's descriptors become readable or wake() is called
};

class Transport {
 public:
  virtual ~Transport() = default;
  virtual const Limits& limits() const = 0;
  virtual const Address& address() const = 0;
  virtual NamedAttributes attributes() const = 0;

  // RegionTable::kCapacity entries that peers may read, and the gate that knows which of them peers
  // use.
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
  // Tells peers whether they have to ring. True: look again, since something may have come
  // meanwhile.
  virtual bool set_attention(Attention attention) = 0;
  // False: descriptors only ring.
  virtual bool data_by_descriptors() const { return false; }
  // The longest time for which a poller may not look at the descriptors.
  virtual Duration descriptor_gap() const { return waiting::kDoorbellsOnly; }
  // Called now and then while a thread polls, and before a thread sleeps. It tells peers what has
  // been taken from them, and rings a peer that said it polls but takes nothing. Returns the latest
  // time for the next call.
  virtual Instant watch(Instant) { return kNever; }
};

} // namespace datum
