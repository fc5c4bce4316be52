// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/port/channel.h: a connection of a transport, and what it tells the endpoint it belongs to.
// Not here:   listening and connecting (transport.h); matching of Recvs, permission checks, flush,
//             ordering, suppression, read limits: the core does those once for every transport.
// Threads:    every call, in both directions, is made with the adapter's lock held.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/status.h"
#include "core/port/types.h"

namespace datum {

// One posted request as a channel sees it. Its address stays the same, and its segments stay
// readable, until the channel reported its end or was closed.
struct WorkRequest {
  Opcode opcode = Opcode::Send;
  bool solicited = false;
  std::uint64_t length = 0;
  std::span<const LocalTriplet> local; // checked when it was posted; see recheck_local()
  RemoteTriplet remote;                // RDMA only
  RequestExtra extra{};                // is_extended() only; of an atomic one `length` is 8
};

enum class StartResult : std::uint8_t {
  Started,  // its end will be reported, in the order of starting within its class
  Finished, // it has ended successfully; every request started before has ended, too
  Later,    // no room now: on_room() follows
};

enum class ConnectFailure : std::uint8_t {
  PeerRejected,
  NonPeerRejected,
  NobodyListens, // somebody may, a moment later
  Unreachable,
};
enum class CloseReason : std::uint8_t { Disconnected, Broken };

// Sends and Writes end in one order, Reads in another; both in posting order.
enum class RequestClass : std::uint8_t { Placed, Read };

enum class TakeResult : std::uint8_t {
  Taken,
  NoReceive,  // nothing posted: the message waits, on_receive_posted() follows
  Protection, // the Recv's memory is no longer its own; it has been failed
};

// What a channel tells, and asks, the endpoint it belongs to.
class ChannelEvents {
 public:
  // Active side: the accepter's private data. Passive side: nothing. The peer serves at most
  // `peer_reads_in` RDMA Reads at a time.
  virtual void on_established(PrivateData data, std::int32_t peer_reads_in) = 0;
  // `data`: what the peer's consumer said with its reject.
  virtual void on_connect_failed(ConnectFailure failure, PrivateData data) = 0;

  // Initiator: the next `count` Sends and Writes have been placed at the peer.
  virtual void on_placed(std::uint32_t count) = 0;
  // The oldest RDMA Read has all its data in local memory.
  virtual void on_read_done() = 0;
  // An unfinished request of `kind` failed, behind `before` others that have not ended either;
  // on_closed(Broken) follows, and nothing else before it.
  virtual void on_request_failed(RequestClass kind, DtoStatus status, std::uint32_t before) = 0;
  virtual void on_room() = 0;
  // False: a region named by the request is gone; the channel must not touch its memory.
  virtual bool recheck_local(const WorkRequest& request, Access right) const = 0;

  // Target: takes the Recv for the next message. At most one message is open at a time.
  virtual TakeResult take_receive(std::span<const LocalTriplet>& into, std::uint64_t& capacity) = 0;
  virtual void complete_receive(std::uint64_t length, bool solicited) = 0;
  // All of that for a message which is whole. False: nothing was done, take_receive() decides.
  virtual bool place_message(const std::byte* payload, std::uint64_t length, bool solicited) = 0;
  virtual void fail_receive(DtoStatus status) = 0;
  // DATUM_RNR_TIMEOUT is not set, and a message has waited for its Recv as long as strict mode lets
  // it. True: it waits on, for ever if need be.
  virtual bool may_wait_on() = 0;
  // So many more have waited for that long, each from its own arrival on.
  virtual void count_long_waits(std::size_t messages) = 0;
  // DATUM_RNR_TIMEOUT is set, to `limit`, and over: the connection is about to break.
  virtual void on_wait_over(Duration limit) = 0;
  // A message with a note. Asked before it is delivered: may the peer say this?
  virtual AccessFault check_note(const MessageNote& note) const = 0;
  virtual void complete_noted(std::uint64_t length, bool solicited, const MessageNote& note) = 0;
  // `memory`: where the range lies in this process, if there is no fault.
  virtual AccessFault check_remote(Stag stag, std::uint64_t address, std::uint64_t length,
                                   Access right, std::uint64_t& memory) const = 0;

  // The last call; the channel may be destroyed from within it only through Channel::retire().
  virtual void on_closed(CloseReason reason) = 0;

 protected:
  ~ChannelEvents() = default;
};

enum class CloseMode : std::uint8_t {
  Disconnect, // the peer's consumer sees DISCONNECTED (or a refused connection while connecting)
  Abort,      // the peer's consumer sees BROKEN
};

// One reliable connection, from connect or accept on. Destroying it without close() is an Abort.
class Channel {
 public:
  virtual ~Channel() = default;
  virtual StartResult start(const WorkRequest& request) = 0;
  // The same for what can leave during the call: `request` and its segments need not stay. Later:
  // not in this way, and nothing follows.
  virtual StartResult start_now(const WorkRequest& request) = 0;
  // A Send or, to `target`, a Write is being posted: what start_now() will write can be fetched
  // while it is checked. Nothing of it has been checked yet.
  virtual void warm_up(const RemoteTriplet* /*target*/) {}
  // What the peer has said already, but nobody has read, may let this request take a faster way.
  virtual bool should_look_first(const WorkRequest&) const { return false; }
  // A Recv was posted while a message waited for one.
  virtual void on_receive_posted() = 0;
  // A post is about to be refused for what the peer may have answered already: takes what has come
  // for this connection by now, also behind what has come for others, and lets go what waits for a
  // turn to leave. It may call any of the events, and waits for nothing.
  virtual void catch_up() = 0;
  // Asked again and again while the endpoint only waits for what it has started. True: nothing has
  // moved since the last time, and as far as this side can tell a Recv is missing: at the peer, for
  // the oldest request, which is a message then, or here, so that the peer's word is not read.
  virtual bool waits_for_receive(bool oldest_is_message) = 0;
  // Ends the connection; afterwards the channel calls its events no more.
  virtual void close(CloseMode mode) = 0;
  virtual ConnQual local_port() const = 0;
  virtual ConnQual remote_port() const = 0;
  virtual Address remote_address() const = 0;
  // Which path the connection takes now, and why not a faster one (empty: there is none).
  virtual const char* path() const = 0;
  virtual std::string path_reason() const = 0;
};

// What an endpoint brings along into a connection.
struct ChannelOptions {
  std::uint32_t zone = 0;        // the EP's protection zone
  std::uint32_t endpoint = 0;    // the EP's number
  std::int32_t reads_in = 0;     // Reads it serves at a time
  std::int32_t reads_out = 0;    // and has outstanding, at most
  bool reads_out_chosen = false; // its consumer says so, and may have agreed on it with the peer's
  // Of a connect: whoever has several places to ask at shares the time until then among them.
  // Giving up is the core's affair.
  Instant deadline = kNever;
};

} // namespace datum
