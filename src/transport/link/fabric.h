// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/link/fabric.h: the environment of the link protocol: finding a peer, sharing a segment
// with it, waking it, touching its memory, noticing its death.
// Implementations: transport/shm (processes of one host), transport/sim (a virtual network).
// Threads:    the adapter's lock, in both directions.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/status.h"
#include "core/port/region_table.h"
#include "core/port/transport.h"
#include "core/port/types.h"
#include "transport/link/segment.h"

namespace datum {

// The peer's memory, as far as the kernel permits access to it.
class DirectAccess {
 public:
  virtual ~DirectAccess() = default;
  // The peer's region entries. The caller checks them, under a mark.
  virtual std::span<const RegionEntry> regions() = 0;
  // The address in this process of the byte that the peer has at `entry.base`. nullptr: the region
  // cannot be mapped. `writable`: the caller will write to the memory. May be called often, since
  // mappings are cached.
  virtual std::byte* map(const RegionEntry& entry, Stag stag, bool writable) = 0;
  // Prefetches the cache line of the byte at `address`, which the caller is about to write. False:
  // the byte is not mapped yet.
  virtual bool prefetch(Stag, std::uint64_t /*address*/) { return false; }
  // Copies between local segments and the peer's memory without a mapping. write() writes the last
  // bytes last. False: the peer has ended, or its memory is no longer there.
  virtual bool write(std::uint64_t remote, std::span<const Segment> from) = 0;
  virtual bool read(std::uint64_t remote, std::span<const Segment> into) = 0;
};

// One end of a link. The fabric owns the port, which lives until on_link_lost() has returned.
class LinkPort {
 public:
  virtual ~LinkPort() = default;
  virtual LinkSegment& segment() = 0;
  virtual int side() const = 0;
  // Wakes the peer's adapter, which then reads its ring.
  virtual void ring_doorbell() = 0;
  // nullptr: the kernel forbids direct access, or it was switched off.
  virtual DirectAccess* direct() = 0;
  // True: the peer has direct access to this side, so it may fetch large messages itself.
  virtual bool peer_has_direct() const = 0;
  // See Channel.
  virtual const char* path() const = 0;
  virtual std::string path_reason() const { return {}; }
  virtual Address peer_address() const = 0;
  // True: the peer may run only on the processor that is the only one of this thread.
  virtual bool shares_core() const { return false; }
  // The peer broke the protocol: end the link. on_link_lost() follows, not inside this call.
  virtual void condemn(const char* reason) = 0;
};

enum class DialFailure : std::uint8_t {
  NobodyListens, // no such qualifier at that address
  Refused,       // a peer is there, but makes no link
  Unreachable,   // the address is not one that this fabric can reach
};

class DialEvents {
 public:
  // `port` leads to the adapter that was dialled. An existing link to that adapter is used again.
  virtual void on_dialled(LinkPort& port) = 0;
  virtual void on_dial_failed(DialFailure failure) = 0;

 protected:
  ~DialEvents() = default;
};

// A dial under way. Destroying this object cancels the dial.
class Dial {
 public:
  virtual ~Dial() = default;
};

// A published qualifier. Destroying it releases the name.
class PublishedName {
 public:
  virtual ~PublishedName() = default;
  virtual ConnQual qualifier() const = 0;
};

// Whether a link that has been without connections may go.
enum class IdleLink : std::uint8_t {
  Drop,  // the link carries nothing; the peer repeats on a new link what it still sends here
  Later, // a record has just come
  InUse, // the link has connections again; on_idle() follows when it has none
};

class FabricEvents {
 public:
  // A new link stands, dialled by the peer or by this adapter. Called before on_dialled(). The
  // callee must not ring the doorbell, because the peer may not know of the link yet.
  virtual void on_link(LinkPort& port) = 0;
  // The peer rang the doorbell of this link.
  virtual void on_doorbell(LinkPort& port) = 0;
  virtual void on_link_lost(LinkPort& port) = 0;
  // After Drop the fabric ends the link at once: on_link_lost() comes next.
  virtual IdleLink judge_idle(LinkPort& port) = 0;

 protected:
  ~FabricEvents() = default;
};

class Fabric {
 public:
  virtual ~Fabric() = default;
  virtual const Address& address() const = 0;
  virtual NamedAttributes attributes() const = 0;
  // RegionTable::kCapacity zeroed entries, placed where peers with direct access can see them.
  virtual std::span<RegionEntry> region_storage() = 0;
  virtual void attach(const TransportHost& host, FabricEvents& events) = 0;

  virtual Result<std::unique_ptr<PublishedName>> publish(ConnQual qualifier) = 0;
  // Any free qualifier that fits in 16 bits and is not privileged.
  virtual Result<std::unique_ptr<PublishedName>> publish_any() = 0;
  // Fails at once only for an impossible address (InvalidAddress) or for lack of resources.
  virtual Result<std::unique_ptr<Dial>> dial(const Address& address, ConnQual qualifier,
                                             DialEvents& events) = 0;
  // True: fence_everywhere() also fences the processors of peers, so the side that fences often
  // needs only a light fence (base/fence.h).
  virtual bool fences_everywhere() const { return false; }
  // Orders earlier writes of this process before its later reads, against every peer.
  virtual void fence_everywhere() { std::atomic_thread_fence(std::memory_order_seq_cst); }

  // Does work of the fabric outside the links, without a system call: the simulator delivers what
  // is due. True: something was due.
  virtual bool progress() = 0;
  // False: this fabric never has such work.
  virtual bool needs_progress() const { return true; }
  // The link has no connection left. The fabric may drop it.
  virtual void on_idle(LinkPort& port) = 0;
  // True: no peer is inside a direct access through `stag`, which has been revoked. False: the
  // fabric has not waited for the peers, and the link layer waits for the marks in the segments.
  virtual bool quiesce(Stag stag);
};

} // namespace datum
