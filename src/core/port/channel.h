// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/port/channel.h: a connection of a transport, and its calls to the endpoint that it belongs
// to.
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
// readable, until the channel has reported the end of the request or was closed.
struct WorkRequest {
  Opcode opcode = Opcode::Send;
  bool solicited = false;
  std::uint64_t length = 0;
  std::span<const LocalTriplet> local; // checked when it was posted; see recheck_local()
  RemoteTriplet remote;                // RDMA only
  RequestExtra extra{};                // is_extended() only; `length` of an Atomic is 8
};

enum class StartResult : std::uint8_t {
  Started,  // the channel reports its end later, in starting order within its class
  Finished, // it has ended successfully, as has every request started before it
  Later,    // no room now; on_room() follows
};

enum class ConnectFailure : std::uint8_t {
  PeerRejected,
  NonPeerRejected,
  NobodyListens, // not now, but a listener may come a moment later
  Unreachable,
};
enum class CloseReason : std::uint8_t { Disconnected, Broken };

// The requests of each class end in posting order: Sends and Writes are one class, Reads and
// Atomics the other.
enum class RequestClass : std::uint8_t { Placed, Read };

enum class TakeResult : std::uint8_t {
  Taken,
  NoReceive,  // no Recv is posted: the message waits until on_receive_posted()
  Protection, // the Recv has failed because its memory is gone, or the connection broke
};

// The calls of a channel to the endpoint that it belongs to.
class ChannelEvents {
 public:
  // `data`: on the active side the accepter's private data, on the passive side nothing. The peer
  // serves at most `peer_reads_in` RDMA Reads at a time.
  virtual void on_established(PrivateData data, std::int32_t peer_reads_in) = 0;
  // `data`: the private data of the peer's reject.
  virtual void on_connect_failed(ConnectFailure failure, PrivateData data) = 0;

  // Initiator: the next `count` Sends and Writes have been placed at the peer.
  virtual void on_placed(std::uint32_t count) = 0;
  // The oldest request of the class Read has all its data in local memory.
  virtual void on_read_done() = 0;
  // A request of the class `kind` failed. `before` older requests of that class have not ended. The
  // next call of the channel is on_closed(Broken).
  virtual void on_request_failed(RequestClass kind, DtoStatus status, std::uint32_t before) = 0;
  virtual void on_room() = 0;
  // False: a region named by the request is gone; the channel must not touch its memory.
  virtual bool recheck_local(const WorkRequest& request, Access right) const = 0;

  // Target: takes the Recv for the next message. If a Recv was taken and has not completed yet,
  // returns that Recv again.
  virtual TakeResult take_receive(std::span<const LocalTriplet>& into, std::uint64_t& capacity) = 0;
  virtual void complete_receive(std::uint64_t length, bool solicited) = 0;
  // Does take_receive(), the copy and complete_receive() for a whole message. False: it did
  // nothing, and take_receive() decides.
  virtual bool place_message(const std::byte* payload, std::uint64_t length, bool solicited) = 0;
  virtual void fail_receive(DtoStatus status) = 0;
  // DATUM_RNR_TIMEOUT is not set, and a message has waited for its Recv as long as strict mode
  // allows. True: the message may go on waiting, without a time limit.
  virtual bool may_wait_on() = 0;
  // `messages` more messages have waited as long as strict mode allows, each since its arrival.
  virtual void count_long_waits(std::size_t messages) = 0;
  // DATUM_RNR_TIMEOUT is set to `limit`, and the time is over. The connection is about to break.
  virtual void on_wait_over(Duration limit) = 0;
  // Called before a message with a note is delivered. Checks whether the peer may send the note.
  virtual AccessFault check_note(const MessageNote& note) const = 0;
  virtual void complete_noted(std::uint64_t length, bool solicited, const MessageNote& note) = 0;
  // Without a fault, `memory` becomes the address of the range in this process.
  virtual AccessFault check_remote(Stag stag, std::uint64_t address, std::uint64_t length,
                                   Access right, std::uint64_t& memory) const = 0;

  // The channel's last call to the endpoint. During this call the endpoint must not destroy the
  // channel, but may pass it to AdapterContext::retire().
  virtual void on_closed(CloseReason reason) = 0;

 protected:
  ~ChannelEvents() = default;
};

enum class CloseMode : std::uint8_t {
  Disconnect, // the peer's consumer sees DISCONNECTED (or a refused connection while connecting)
  Abort,      // the peer's consumer sees BROKEN
};

// One reliable connection, from connect or accept on. Destroying a channel without close() is an
// Abort.
class Channel {
 public:
  virtual ~Channel() = default;
  virtual StartResult start(const WorkRequest& request) = 0;
  // Starts the request only if all of it can leave during this call. So `request` and its segments
  // need not stay. Later: the request cannot leave during this call, and no on_room() follows.
  virtual StartResult start_now(const WorkRequest& request) = 0;
  // Called when a Send, or a Write to `target`, is posted, before the core checks the post. The
  // channel may prefetch the memory that start_now() will write. The memory is then fetched while
  // the core checks.
  virtual void prefetch(const RemoteTriplet* /*target*/) {}
  // True: the caller polls before it starts the request. The peer may have sent something that is
  // still unread, and that lets the request take a faster way.
  virtual bool should_look_first(const WorkRequest&) const { return false; }
  // A Recv was posted while a message waited for a Recv.
  virtual void on_receive_posted() = 0;
  // A post is about to be refused, and an answer that the peer has already sent might prevent that.
  // Takes everything that has arrived for this connection, even behind messages for other
  // connections, and sends what is queued. It may call any function of ChannelEvents, and does not
  // block.
  virtual void catch_up() = 0;
  // Called repeatedly while a graceful disconnect waits for its requests. True: nothing has moved
  // since the last call, and a Recv seems to be missing. It may be missing at the peer, for the
  // oldest request, if that is a message. Or it is missing on this side, so a message of the peer
  // blocks the answers behind it.
  virtual bool waits_for_receive(bool oldest_is_message) = 0;
  // Ends the connection. Afterwards the channel calls its events no more.
  virtual void close(CloseMode mode) = 0;
  virtual ConnQual local_port() const = 0;
  virtual ConnQual remote_port() const = 0;
  virtual Address remote_address() const = 0;
  // The present path of the connection, and the reason why no faster path is used. An empty reason:
  // there is no faster path, or no connection.
  virtual const char* path() const = 0;
  virtual std::string path_reason() const = 0;
};

// An endpoint's contribution to a connection.
struct ChannelOptions {
  std::uint32_t zone = 0;     // the EP's protection zone
  std::uint32_t endpoint = 0; // the EP's number
  std::int32_t reads_in = 0;  // Reads that the EP serves at a time
  std::int32_t reads_out = 0; // Reads that the EP has outstanding at most
  // The consumer chose reads_out, and may have agreed on it with the peer's consumer.
  bool reads_out_chosen = false;
  // Of a connect: the consumer's time limit. A transport that asks several addresses divides the
  // time until then among them. The core, not the transport, gives up at the limit.
  Instant deadline = kNever;
};

} // namespace datum
