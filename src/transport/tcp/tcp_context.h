// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/tcp/tcp_context.h: what the parts of one TCP transport share.
// Threads: the adapter's lock.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "base/intrusive_list.h"
#include "base/shortage.h"
#include "core/port/transport.h"
#include "progress/reactor.h"
#include "transport/host/host_address.h"
#include "transport/host/qualifier_holder.h"
#include "transport/iwarp/output_queue.h"
#include "transport/tcp/congestion.h"
#include "transport/tcp/posting_habit.h"
#include "transport/tcp/tcp_options.h"
#include "transport/tcp/tcp_turn.h"

namespace datum {

class TcpConnection;
class TcpListener;
struct ListenerTag;
struct PendingTag;
struct EndingTag;
struct UntoldTag;

struct TcpContext {
  TcpContext(Reactor& used_reactor, const HostAddress& own, const TcpOptions& chosen)
      : reactor(used_reactor), host(own), name(to_text(own)), options(chosen),
        staging(chosen.read_size) {}

  Reactor& reactor;
  const HostAddress host;
  const std::string name; // the host's address as text, for log lines when memory is short
  const TcpOptions options;
  const Congestion congestion;
  TransportHost lent;
  Attention attention = Attention::Polling;
  iwarp::ChunkPool chunks;
  // Takes octets that arrive before their place in memory is known. Holds none between two reads.
  std::vector<std::byte> staging;
  // The pieces of one system call. They are members because arrays on the stack would be set to
  // zero in each call.
  static constexpr std::size_t kPieces = 128;
  std::array<Segment, kPieces> places;
  std::array<iwarp::Octets, kPieces> octets;
  // Counts the calls of progress() and pass(), and the reads that found something.
  std::uint64_t turns = 0;
  // The last read that found something brought many octets or messages, or acknowledged many
  // messages.
  bool in_batches = false;
  IntrusiveList<TcpListener, ListenerTag> listeners;
  // Connections with work that waits for progress().
  IntrusiveList<TcpConnection, PendingTag> pending;
  // Connections that had their share of a turn and have more to send. `pending` goes first.
  IntrusiveList<TcpConnection, PendingTag> continuing;
  TcpTurn turn;
  PostingHabit habit;
  // Released connections, in the order of release. They end by themselves, or have ended.
  IntrusiveList<TcpConnection, EndingTag> ending;
  std::size_t endings = 0; // the length of `ending`
  bool some_ended = false;
  // Connections whose end or request is not reported yet. TcpTransport::tell_ends() sorts them, and
  // reports their events.
  IntrusiveList<TcpConnection, UntoldTag> untold;
  std::uint64_t looks = 0;       // how often tell_ends() has read all sockets
  bool looking = false;          // tell_ends() is reading all sockets
  bool at_work = false;          // a connection is at work, and uses the arrays above
  std::uint32_t connections = 0; // connections that have a socket
  std::uint64_t made = 0;        // connections so far

  Instant now() const { return lent.progress->now(); }
  // The address that an IA listens on and connects from. nullopt: every address of this host.
  std::optional<HostAddress> scope() const {
    return options.every_address ? std::nullopt : std::optional(host);
  }
  // Why the IA has no other transport.
  const char* why_alone() const {
    return options.no_shared_memory.empty() ? "DATUM_TRANSPORT=tcp"
                                            : options.no_shared_memory.c_str();
  }
  // Why an incoming connection takes TCP.
  const char* why(bool same_host) const {
    if (options.only_way) return why_alone();
    return same_host ? "the peer chose TCP, or offers nothing else" : "the peer is on another host";
  }
  void begin_turn() {
    ++turns;
    turn.begin();
    if (habit.waits()) habit.looked(now());
  }
  void schedule(TcpConnection& connection);
  void continue_later(TcpConnection& connection);
  bool others_wait(const TcpConnection& connection) const;
  void tell_later(TcpConnection& connection);
  // Arms the timer, and makes a sleeping thread notice it.
  void arm(Timer& timer, Instant when);
  // Ends the connection that was released first. False: `ending` is empty. A connection
  // that is at work must not call this.
  bool give_up_oldest();

  // Log lines about incoming connections, outgoing ones, and service points.
  ShortageLog accept_shortage;
  ShortageLog connect_shortage;
  ShortageLog listen_shortage;
  HolderLog told_holders;
};

} // namespace datum
