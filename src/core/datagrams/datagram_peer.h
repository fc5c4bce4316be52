// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/datagrams/datagram_peer.h: a peer that an endpoint of datagrams can reach: the channel that
// carries the datagrams, from connect or accept on (docs/design/ud.md).
// Lives here: resolving, sending without ever waiting, what arrives, and when the channel may end.
// Not here:   Recvs and completions (core/endpoint), the set of peers (datagrams.h).
// Threads:    the adapter's lock, held by every caller including the channel.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/assertion.h"
#include "base/intrusive_list.h"
#include "base/status.h"
#include "core/datagrams/datagram_addresses.h"
#include "core/datagrams/datagram_backlog.h"
#include "core/datagrams/datagram_peer_state.h"
#include "core/endpoint/connect_attempt.h"
#include "core/events/event.h"
#include "core/port/timer.h"
#include "core/port/transport.h"
#include "core/port/types.h"

namespace datum {

class AdapterContext;
class DatagramServices;
class Datagrams;
struct DatagramPeerTag;

class DatagramPeer final : public ListHook<DatagramPeerTag>,
                           public ChannelEvents,
                           private Connector {
 public:
  enum class Role : std::uint8_t { Active, Passive };
  DatagramPeer(Datagrams& owner, Role role, const Address& remote);
  ~DatagramPeer();

  DatagramAddress address() const { return address_; }
  const Address& remote_address() const { return remote_; }
  std::uint32_t number() const { return number_; }
  PrivateData private_data() const { return private_data_; }
  const Datagrams& owner() const {
    DATUM_ASSERT(owner_ != nullptr); // it has not departed
    return *owner_;
  }
  // True: the consumer may send to the peer. The peer was reached, and may have ended since.
  bool addressable() const {
    return (state_ == State::Open || state_ == State::Gone) && !forgotten_;
  }
  bool failed() const { return state_ == State::Failed; }

  Status connect(ConnQual qualifier, std::uint32_t timeout_us, PrivateData data);
  void accept(IncomingConnection& incoming, PrivateData data);
  // True: the backlog can keep one more datagram. If it is full, a poll may make room: an
  // acknowledgement of the peer may have arrived.
  bool has_room() const { return !backlog_.full(); }
  // False: the datagram is lost. The segments need not stay either way.
  bool send(const WorkRequest& work);
  // The consumer sends nothing more. What the peer sends is still received.
  void forget();
  // The endpoint ends. True: some datagrams have not been placed yet. They leave without the
  // endpoint until `deadline`, and what the peer sends is dropped. False: no datagram is left, and
  // the caller calls close().
  bool depart(Instant deadline);
  // Nothing is sent or received from here on.
  void close(CloseMode mode);

  // --- ChannelEvents -----------------------------------------------------------------------------
  void on_established(PrivateData data, std::int32_t peer_reads_in) override;
  void on_connect_failed(ConnectFailure failure, PrivateData data) override;
  void on_placed(std::uint32_t count) override;
  void on_read_done() override {}
  void on_request_failed(RequestClass, DtoStatus, std::uint32_t) override {}
  void on_room() override { start_kept(); }
  // Always true: the channel or the backlog copies a datagram within its post.
  bool recheck_local(const WorkRequest&, Access) const override { return true; }
  TakeResult take_receive(std::span<const LocalTriplet>& into, std::uint64_t& capacity) override;
  void complete_receive(std::uint64_t length, bool solicited) override;
  bool place_message(const std::byte* payload, std::uint64_t length, bool solicited) override;
  void fail_receive(DtoStatus) override {}
  // A datagram that finds no Recv is dropped.
  bool may_wait_on() override { return false; }
  void count_long_waits(std::size_t) override {}
  void on_wait_over(Duration) override {}
  AccessFault check_note(const MessageNote& note) const override;
  void complete_noted(std::uint64_t length, bool solicited, const MessageNote& note) override;
  AccessFault check_remote(Stag, std::uint64_t, std::uint64_t, Access,
                           std::uint64_t&) const override {
    return AccessFault::BadStag; // datagrams share no memory
  }
  void on_closed(CloseReason reason) override;

 private:
  using State = DatagramPeerState;
  using Happened = DatagramPeerEvent;
  // The timer of the attempt to connect, and of the departure.
  class PatienceTimer final : public Timer {
   public:
    explicit PatienceTimer(DatagramPeer& peer) : peer_(peer) {}

   private:
    void on_expired(Instant now) override;
    DatagramPeer& peer_;
  };

  // Connector
  void on_asked_again(std::unique_ptr<Channel> channel) override { channel_ = std::move(channel); }

  void on(Happened event);
  ChannelOptions options() const;
  std::size_t most_private_data() const;
  void forget_private_data();
  void drop_channel(CloseMode mode);
  void end_attempt();
  void failed_by(EventKind kind, PrivateData data = {});
  void lose_the_rest();
  void become_spent();
  void start_kept();
  void send_last_message();
  void close_if_both_forgot();
  bool all_placed() const { return backlog_.all_started() && started_ == placed_; }
  void take(const std::byte* payload, std::uint64_t length, bool solicited);

  DatagramServices& services_;
  AdapterContext& adapter_;
  Datagrams* owner_; // nullptr: the peer has departed
  Role role_;
  State state_ = State::Resolving;
  bool forgotten_ = false;
  bool peer_forgot_ = false;
  bool owes_last_message_ = false;
  std::uint32_t number_ = 0;
  DatagramAddress address_;
  Address remote_;
  std::vector<std::byte> private_data_;
  std::unique_ptr<Channel> channel_;
  std::unique_ptr<ConnectAttempt> attempt_; // while the active side resolves
  PatienceTimer timer_{*this};

  std::uint32_t started_ = 0; // messages that the channel has taken
  std::uint32_t placed_ = 0;  // of those, placed at the peer
  DatagramBacklog backlog_;
  WorkRequest last_message_;
  // A datagram that arrives in parts, until it is whole.
  std::unique_ptr<std::byte[]> parts_;
  LocalTriplet parts_segment_;
};

} // namespace datum
