// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/object/adapter_context.h: an open IA as the objects made through it see it.
// Lives here: the environment that the facade gives the IA, its transport, its table of regions,
//             its counters, and the work that is deferred until no call of the IA is on the stack.
// Not here:   creation and destruction of objects (core/adapter/interface_adapter.h), and the
//             services that only one room needs (event_services.h, memory_index.h,
//             datagram_services.h).
// Threads:    the adapter's lock.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/assertion.h"
#include "base/leniency.h"
#include "base/random.h"
#include "core/object/object.h"
#include "core/object/tally.h"
#include "core/port/progress.h"
#include "core/port/region_table.h"
#include "core/port/timer.h"
#include "core/port/transport.h"

namespace datum {

// The lower bound of Environment::drain_patience, whatever DATUM_RNR_TIMEOUT is set to.
inline constexpr Duration kLeastDrainPatience = 100 * kMillisecond;

class AdapterContext {
 public:
  struct Environment {
    HandleSource* handles = nullptr;
    Progress* progress = nullptr;
    TimerQueue* timers = nullptr;
    Random* random = nullptr;
    bool datagrams = false;     // the consumer knows datagrams (DAT 2.0)
    Duration connect_grace = 0; // a connect is repeated this long if no peer listens
    bool strict = false;        // the letter of the manual, without leniencies
    // A graceful disconnect gives up after this time without progress of its requests.
    Duration drain_patience = kSecond;
    // True: when the connection of an EP with an SRQ ends, an asynchronous event reports that the
    // EP takes nothing more from the SRQ, as in InfiniBand (DAT 2.0).
    bool reports_srq_left = false;
  };
  AdapterContext(const Environment& environment, Transport& transport);
  AdapterContext(const AdapterContext&) = delete;
  AdapterContext& operator=(const AdapterContext&) = delete;

  const Limits& limits() const { return transport_.limits(); }
  Transport& transport() { return transport_; }
  Progress& progress() { return *environment_.progress; }
  RegionTable& regions() { return regions_; }
  TimerQueue& timers() { return *environment_.timers; }
  HandleSource& handles() { return *environment_.handles; }
  Random& random() { return *environment_.random; }
  Leniencies& leniencies() { return leniencies_; }
  const Leniencies& leniencies() const { return leniencies_; }
  AdapterTally& tally() { return tally_; }
  Duration connect_grace() const { return environment_.connect_grace; }
  Duration drain_patience() const { return environment_.drain_patience; }
  bool knows_datagrams() const { return environment_.datagrams; }
  bool reports_srq_left() const { return environment_.reports_srq_left; }
  // The number of a zone or an endpoint; never 0.
  std::uint32_t next_number() {
    ++last_number_;
    DATUM_ASSERT(last_number_ != 0);
    return last_number_;
  }

  // --- work that is deferred until no call of the IA is on the stack ---
  // True: something is deferred. The facade takes the deferred work before it releases the lock.
  bool has_deferred() const { return deferred_; }
  void set_deferred() { deferred_ = true; }
  // The caller carries out the deferred work.
  void clear_deferred() { deferred_ = false; }
  // Keeps a channel that may be on the call stack, and destroys it once the stack is unwound.
  void retire(std::unique_ptr<Channel> channel) {
    if (!channel) return;
    deferred_ = true;
    DATUM_ASSERT(retired_.size() < retired_.capacity());
    retired_.push_back(std::move(channel));
  }
  bool has_retired() const { return !retired_.empty(); }
  void destroy_retired() {
    if (!retired_.empty()) destroy_retired_channels();
  }
  // Retiring a channel must need no memory. An endpoint or a peer of datagrams owns at most one
  // channel. So its creator first makes room, then counts the new owner.
  void make_room_to_retire();
  void count_channel_owner(std::int32_t change) {
    channel_owners_ += change;
    DATUM_ASSERT(channel_owners_ >= 0);
    DATUM_ASSERT(static_cast<std::size_t>(channel_owners_) <= retired_.capacity());
  }

  // --- threads that are blocked in a wait -------------------------------------------------------
  void count_blocked(std::int32_t change);
  // Returns when no thread is blocked in a wait any more. The caller has told the waiters to leave.
  void wait_until_unblocked();

 private:
  void destroy_retired_channels();

  const Environment environment_;
  Transport& transport_;
  RegionTable regions_;
  AdapterTally tally_;
  Leniencies leniencies_;
  std::vector<std::unique_ptr<Channel>> retired_;
  WaitPoint unblocked_;
  std::int32_t channel_owners_ = 0;
  std::int32_t blocked_ = 0;
  std::uint32_t last_number_ = 0;
  bool deferred_ = false;
  bool awaits_unblocked_ = false;
};

} // namespace datum
