// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/object/tally.h: how often each kind of thing has happened to an object: numbers that only
// grow.
// Lives here: the counters that the core increments, on the hot path without a branch.
// Not here:   which counters of DAT these are (facade/v2/extension_counters.cc), and which of them
//             dat-info shows (provider/report.h; docs/design/inquiry.md, "A new counter").
// Threads:    the adapter's lock.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/port/types.h"

namespace datum {

struct Tally {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  void add(std::uint64_t length) {
    ++count;
    bytes += length;
  }
};

struct TallyByOpcode {
  Tally& operator[](Opcode opcode) { return tallies[static_cast<std::size_t>(opcode)]; }
  const Tally& operator[](Opcode opcode) const { return tallies[static_cast<std::size_t>(opcode)]; }
  std::array<Tally, kOpcodes> tallies;
};

struct EndpointTally {
  std::uint64_t connects = 0;
  std::uint64_t disconnects = 0;
  std::uint64_t stalls = 0; // starts of a request that found no room in the channel
  Tally recvs_posted;
  TallyByOpcode posted;   // accepted by a post
  TallyByOpcode received; // Recvs completed without an error, by the peer's opcode
};

struct DispatcherTally {
  std::uint64_t waits = 0;
  std::uint64_t blocked = 0;   // waits that slept
  std::uint64_t notified = 0;  // waits that slept and were woken by their event
  std::uint64_t found = 0;     // dequeues that found an event
  std::uint64_t empty = 0;     // dequeues that found no event
  std::uint64_t drives = 0;    // polls of the transport by waits and dequeues
  std::uint64_t driven_in = 0; // drives that brought an event into an empty queue
  std::uint64_t completions = 0;
  std::uint64_t connection_events = 0; // connection requests, too
};

struct AdapterTally {
  std::uint64_t psps = 0; // made at a qualifier of the consumer's choice
  std::uint64_t psps_anywhere = 0;
  std::uint64_t rsps = 0;
  std::uint64_t requests_sent = 0;
  std::uint64_t requests_arrived = 0;
  std::uint64_t requests_presented = 0;
  std::uint64_t requests_without_room = 0; // refused, since the EVD was full
  std::uint64_t accepted = 0;
  std::uint64_t rejected = 0;
  std::uint64_t rejected_by_peer = 0;
  std::uint64_t established = 0; // this side connected
  std::uint64_t established_passive = 0;
  std::uint64_t ended = 0; // connections that this side ended
  std::uint64_t ended_by_peer = 0;
  std::uint64_t refused = 0; // connects refused, but not by the peer's consumer
  std::uint64_t broken = 0;
  std::uint64_t timed_out = 0;
  std::uint64_t failed = 0; // the peer was unreachable, or an accept led to no connection
  std::uint64_t datagram_requests_sent = 0;
  std::uint64_t datagram_requests_arrived = 0;
  std::uint64_t datagram_addresses = 0;
  std::uint64_t datagrams_dropped = 0; // no Recv could hold them
  std::uint64_t datagrams_lost = 0;    // no room on the way, or the peer has ended
  std::uint64_t async_events = 0;
  std::uint64_t async_overflows = 0;
  std::uint64_t async_endpoints = 0;
  std::uint64_t access_faults = 0;     // accesses of peers that were refused
  std::uint64_t own_access_faults = 0; // requests that ended with REMOTE_ACCESS
};

// How the consumer has reset and stopped the counters of an object. An empty vector: it never did.
struct CounterMarks {
  std::vector<std::uint64_t> from;  // as they were when they were last set to zero
  std::vector<std::uint64_t> until; // as they were when they were stopped
};

// How many objects of one kind exist, and how many were made.
struct Population {
  std::int32_t alive = 0;
  std::uint64_t made = 0;
  std::uint64_t gone() const { return made - static_cast<std::uint64_t>(alive); }
};

} // namespace datum
