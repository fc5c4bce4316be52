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
  const std::string name; // of the host, for lines about a lack of memory
  const TcpOptions options;
  const Congestion congestion;
  TransportHost lent;
  Attention attention = Attention::Polling;
  iwarp::ChunkPool chunks;
  // What arrives that nobody knows a place for yet; empty between two reads.
  std::vector<std::byte> staging;
  // Of one system call; here, since a poller would set them to zero for each.
  static constexpr std::size_t kPieces = 128;
  std::array<Segment, kPieces> places;
  std::array<iwarp::Octets, kPieces> octets;
  // How often progress() was called, by whomever, and how often something arrived.
  std::uint64_t turns = 0;
  // The last read that found something found many messages or octets, or that many messages have
  // been placed.
  bool in_batches = false;
  IntrusiveList<TcpListener, ListenerTag> listeners;
  // They have something to do that waits for progress().
  IntrusiveList<TcpConnection, PendingTag> pending;
  // They had their share of a turn, and have more to send: whoever is pending goes first.
  IntrusiveList<TcpConnection, PendingTag> continuing;
  TcpTurn turn;
  PostingHabit habit;
  // Nobody holds them any more; they end in order, or have ended.
  IntrusiveList<TcpConnection, EndingTag> ending;
  std::size_t endings = 0; // of `ending`
  bool some_ended = false;
  // Their ends are not told yet, the oldest first, then requests; see TcpTransport::tell_ends().
  IntrusiveList<TcpConnection, UntoldTag> untold;
  std::uint64_t looks = 0;       // at all sockets, for the sake of those
  bool looking = false;          // such a look is under way
  bool at_work = false;          // one of the connections is, with the memory above
  std::uint32_t connections = 0; // sockets that data may come by
  std::uint64_t made = 0;        // connections, ever

  Instant now() const { return lent.progress->now(); }
  // What an IA listens on, and connects from: its address, or any of this host.
  std::optional<HostAddress> scope() const {
    return options.every_address ? std::nullopt : std::optional(host);
  }
  // Why there is no other way.
  const char* why_alone() const {
    return options.no_shared_memory.empty() ? "DATUM_TRANSPORT=tcp"
                                            : options.no_shared_memory.c_str();
  }
  // Why a connection that came in takes this way.
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
  // Arms, and gets a sleeping thread to notice.
  void arm(Timer& timer, Instant when);
  // Of those that end, the one that has done so for longest. False: there is none. Not from within
  // anything that a connection called.
  bool give_up_oldest();

  // What is told of those that come, of those that go out, and of service points.
  ShortageLog accept_shortage;
  ShortageLog connect_shortage;
  ShortageLog listen_shortage;
  HolderLog told_holders;
};

} // namespace datum
