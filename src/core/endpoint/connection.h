// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/endpoint/connection.h: the connection of an EP, from the first call about it to its end.
// Lives here: the state, connecting and accepting, the channel, each way to end.
// Not here:   the table of states (endpoint_state.h), requests and messages (request_stream.h,
//             inbox.h), what the consumer is told (connect_reports.h).
// Threads:    the adapter's lock.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/assertion.h"
#include "base/status.h"
#include "core/endpoint/connect_attempt.h"
#include "core/endpoint/connect_reports.h"
#include "core/endpoint/datagram_peers.h"
#include "core/endpoint/drain.h"
#include "core/endpoint/endpoint_frame.h"
#include "core/endpoint/endpoint_state.h"
#include "core/endpoint/inbox.h"
#include "core/endpoint/request_stream.h"
#include "core/port/timer.h"
#include "core/port/transport.h"
#include "core/port/types.h"

namespace datum {

// The path of a connection, and the reason why no faster path is used. Both are empty without a
// connection.
struct Path {
  std::string name;
  std::string reason;
};

class Connection final : private Connector, private Drained {
 public:
  // The other parts of the EP. The connection opens and flushes them, and its channel calls
  // `events`.
  struct Neighbours {
    RequestStream& requests;
    Inbox& inbox;
    ChannelEvents& events;
  };
  Connection(EndpointFrame& frame, const Neighbours& neighbours, const ConnectEvd::Choice& evd,
             EpState initial);
  ~Connection();

  EpState state() const { return state_; }
  // nullptr: there is no connection, or the state is ACTIVE_CONNECTION_PENDING and the peer will be
  // asked again.
  Channel* channel() const { return channel_.get(); }
  ConnectReports& reports() { return reports_; }
  const ConnectReports& reports() const { return reports_; }
  const Address& remote_address() const { return remote_address_; }
  ConnQual remote_port() const { return remote_port_; }
  ConnQual local_port() const { return local_port_; }
  Path path() const;
  // nullptr: the EP is for connections, not for datagrams.
  DatagramPeers* peers() const { return peers_.get(); }
  void set_peers(std::unique_ptr<DatagramPeers> peers) {
    DATUM_ASSERT(!peers_ && state_ == EpState::Unconnected);
    peers_ = std::move(peers);
  }

  // --- by the consumer ---
  Status connect(const Address& address, ConnQual qualifier, std::uint32_t timeout_us,
                 PrivateData data);
  Status dup_connect(const Connection& original, std::uint32_t timeout_us, PrivateData data);
  Status disconnect(bool graceful);
  Status reset();
  Status can_free() const;
  // Drops the channel without a further event for the consumer.
  void abandon();

  // --- by service points and connection requests ---
  Status reserve();                                                                 // U -> R
  void release_reservation();                                                       // R or PP -> U
  void requested(const Address& remote, ConnQual remote_port, ConnQual local_port); // R -> PP
  // Checks what dat_cr_accept needs of its EP, and changes nothing. `own`: the EP came with the
  // request.
  Status check_accept(bool own) const;
  void accept(IncomingConnection& incoming, ConnQual local_port, PrivateData data);

  // --- by the channel: see ChannelEvents ---
  void on_established(PrivateData data, std::int32_t peer_reads_in);
  void on_connect_failed(ConnectFailure failure, PrivateData data);
  void on_closed(CloseReason reason);

  // --- by the other parts ---
  // Ends the connection for a reason on this side: lost completions, the hard watermark, memory
  // that was freed.
  void break_off();
  // `evd` has lost the event ESTABLISHED of the connection with the number `connection`.
  void establishment_lost(const ForeignEvd& evd, std::uint32_t connection);
  void on_requests_retired();
  // Called before a post is refused: takes what the peer has sent already. That may retire the
  // channel. The adapter destroys the channel when the call is over.
  void catch_up();
  // An EP of datagrams gets its first peer, or a further one.
  void open_for_datagrams();

 private:
  // The consumer's time limit of an attempt to connect.
  class ConnectTimer final : public Timer {
   public:
    explicit ConnectTimer(Connection& connection) : connection_(connection) {}

   private:
    void on_expired(Instant) override { connection_.on_too_late(); }
    Connection& connection_;
  };

  // Connector
  void on_asked_again(std::unique_ptr<Channel> channel) override;
  // Drained
  void on_drained() override;

  // The only function that writes the state. False: the table has no such row.
  bool on(EpEvent event);
  ChannelOptions channel_options() const;
  void on_too_late();
  void drop_channel(CloseMode mode);
  // The outcome is known, or the consumer has ended the attempt.
  void end_attempt();
  // Called once the state is DISCONNECTED: flushes everything posted, then reports `last`.
  void enter_disconnected(EventKind last, PrivateData data = {});
  void flush();
  void report(EventKind kind, PrivateData data = {});
  // The EVD lost the event ESTABLISHED. The consumer would never learn that the EP is connected, so
  // the connection ends (decision 219).
  void end_unreported();

  EndpointFrame& frame_;
  const Neighbours neighbours_;
  ConnectReports reports_;
  EpState state_;
  ConnectReports::Role role_ = ConnectReports::Role::Connecter;
  std::unique_ptr<Channel> channel_;
  std::unique_ptr<ConnectAttempt> attempt_; // in ACTIVE_CONNECTION_PENDING
  ConnectTimer connect_timer_{*this};
  Drain drain_; // in DISCONNECT_PENDING
  Address remote_address_;
  ConnQual remote_port_ = 0;
  ConnQual local_port_ = 0;
  ConnQual connected_to_ = 0; // the qualifier that connect() asked for
  std::unique_ptr<DatagramPeers> peers_;
};

} // namespace datum
