// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/port/transport.h: the port between the core and the transports.
// Lives here: the calls of a transport (listen, connect, progress), and the services that the core
//             lends it. docs/design/seam.md compares four transports with it.
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

// A request that arrived and waits for an answer. Destroying an unanswered request refuses it on
// behalf of the provider.
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

// Destroying the listener ends listening. Requests that it has handed out can still be answered.
class Listener {
 public:
  virtual ~Listener() = default;
  virtual ConnQual qualifier() const = 0;
};

// The parts of the core that a transport may use during its life.
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
  // No thread calls progress() until the transport's descriptors become readable or wake() is
  // called.
  Asleep,
};

class Transport {
 public:
  virtual ~Transport() = default;
  virtual const Limits& limits() const = 0;
  virtual const Address& address() const = 0;
  virtual NamedAttributes attributes() const = 0;

  // RegionTable::kCapacity entries that peers may read, and the gate that knows which entries peers
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
  // Tells peers whether they have to ring. True: the caller polls again, since data may have
  // arrived meanwhile.
  virtual bool set_attention(Attention attention) = 0;
  // True: data comes by descriptors. False: descriptors only ring.
  virtual bool data_by_descriptors() const { return false; }
  // A thread that polls checks the descriptors at least this often.
  virtual Duration descriptor_gap() const { return waiting::kDoorbellsOnly; }
  // True: there are peers, and each may run only on the processor that is the only one of this
  // thread, too. Until this thread gives up the processor, nothing comes from any peer. Asked where
  // no core is to spare.
  virtual bool shares_core() const { return false; }
  // Called now and then while a thread polls, and before a thread sleeps. It tells peers which of
  // their records were taken, and rings a peer that said it polls but takes nothing. Returns the
  // latest time for the next call.
  virtual Instant watch(Instant) { return kNever; }
};

} // namespace datum
