// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/link/link_channel.h: one connection inside a link.
// Lives here: handshake, sending, receiving, serving Reads, direct access, acknowledgement.
// Not here:   the ring's polling and the table of connections (link.h).
// Threads:    the adapter's lock.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "base/intrusive_list.h"
#include "core/port/timer.h"
#include "core/port/transport.h"
#include "core/port/waiting_messages.h"
#include "transport/link/fabric.h"
#include "transport/link/link_state.h"
#include "transport/link/record.h"

namespace datum {

class Link;
class LinkTransport;

// How much a sender may have on the way that the receiver has not placed: what a receiver that
// has posted nothing may have to keep (decision 305: a documented bound).
inline constexpr std::uint32_t kSendWindow = 64 * 1024;

// One turn of a copy: other endpoints wait for it (decision 312: less than a millisecond), and
// so does the consumer, since the post takes the first turn itself. Nobody could do that for it
// meanwhile: whoever copies holds the adapter's lock, and to wake a thread takes as long as half a
// turn. Shorter turns cost where the kernel copies: each is a system call with the pages to look up
// anew.
inline constexpr std::uint64_t kDirectTurn = 1024 * 1024;

// The list of channels that have no link, or none any more, and something to report.
struct UnlinkedTag;
using UnlinkedChannel = ListHook<UnlinkedTag>;

class LinkChannel final : public Channel, public UnlinkedChannel, private DialEvents {
 public:
  // Active side; dial() comes next.
  LinkChannel(LinkTransport& transport, ChannelEvents& events, const ChannelOptions& options);
  // Passive side, not answered yet.
  LinkChannel(LinkTransport& transport, Link& link, const RecordHeader& request, PrivateData data);
  ~LinkChannel() override;

  Status dial(const Address& address, ConnQual qualifier, PrivateData data);

  // --- Channel ---------------------------------------------------------------------------------
  StartResult start(const WorkRequest& request) override;
  StartResult start_now(const WorkRequest& request) override;
  void warm_up(const RemoteTriplet* target) override;
  bool should_look_first(const WorkRequest& request) const override;
  void on_receive_posted() override;
  void catch_up() override;
  bool waits_for_receive(bool oldest_is_message) override;
  void close(CloseMode mode) override;
  ConnQual local_port() const override { return local_port_; }
  ConnQual remote_port() const override { return remote_port_; }
  Address remote_address() const override { return remote_address_; }
  const char* path() const override;
  std::string path_reason() const override;

  // --- answering a request (LinkIncoming) --------------------------------------------------------
  void accept(PrivateData data, ChannelEvents& events, const ChannelOptions& options);
  void refuse(bool by_consumer, PrivateData data);
  PrivateData private_data() const { return private_data_; }

  // --- for Link
  // ------------------------------------------------------------------------------------
  std::uint32_t number() const { return number_; }
  std::uint32_t peer_number() const { return peer_number_; }
  void set_number(std::uint32_t number) { number_ = number; }
  // A record for this connection. False: it cannot be; the link is broken off.
  bool handle(const RecordHeader& header, const std::byte* payload) {
    return take_message(header, payload) || handle_any(header, payload);
  }
  // Continues what was put off. True: something moved.
  bool work();
  // More can be done right away, without waiting for the peer.
  bool has_work() const;
  // Others have had the turn in which it would have copied.
  bool waits_for_turn() const { return waits_for_turn_ && has_work(); }
  // Tells the peer what has been placed, if it has not been told. False: no room.
  bool flush_ack();
  void on_link_lost();

  bool listed_for_ack = false;
  bool listed_for_work = false;

 private:
  struct Staged {
    RecordHeader header;
    std::vector<std::byte> payload;
    MessageNote note;
  };
  // What was started, and what of it the peer is known to have: see waits_for_receive().
  struct Reached {
    std::uint32_t sent = 0;
    std::uint32_t sent_octets = 0;
    std::uint32_t acked = 0;
    std::uint32_t returned = 0;
    bool operator==(const Reached&) const = default;
  };
  struct ServedRead {
    Stag stag;
    std::uint64_t address;
    std::uint64_t length;
    std::uint64_t done;
    bool atomic = false;
    std::uint64_t value = 0; // atomic: the answer
  };
  class ReceiveTimer final : public Timer {
   public:
    explicit ReceiveTimer(LinkChannel& channel) : channel_(channel) {}

   private:
    void on_expired(Instant now) override;
    LinkChannel& channel_;
  };

  // DialEvents
  void on_dialled(LinkPort& port) override;
  void on_dial_failed(DialFailure failure) override;

  // link_channel_send.cc
  // Every record tells the peer what has been placed. The ring's own word is left alone.
  void stamp(RecordHeader& header, RecordType type, std::uint8_t flags, std::uint32_t length) {
    header.type = type;
    header.flags = flags;
    header.status = 0;
    header.unused = 0;
    header.connection = peer_number_;
    header.acked = told_placed_ = placed_;
    header.returned = told_octets_ = placed_octets_;
    header.length = length;
  }
  RecordHeader header(RecordType type);
  std::uint32_t unplaced() const { return sent_ - acked_; }
  std::uint32_t window_left() const { return kSendWindow - (sent_octets_ - returned_); }
  bool busy_sending() const { return partial_ != nullptr || direct_ != nullptr || fetched_out_; }
  StartResult later(bool ring_full);
  StartResult start_send(const WorkRequest& request);
  StartResult start_noted(const WorkRequest& request);
  StartResult start_write(const WorkRequest& request);
  bool peer_serves_reads();
  StartResult start_read(const WorkRequest& request);
  StartResult start_atomic(const WorkRequest& request);
  bool send_note(const MessageNote& note);
  // What a peer has to leave out of addresses in a region of ours.
  std::uint64_t shift_of(Stag stag) const;
  StartResult start_partial(const WorkRequest& request);
  bool send_fetch(const WorkRequest& request);
  bool send_piece(const WorkRequest& request, std::uint64_t offset, std::uint32_t size);
  bool send_line(const WorkRequest& request, std::uint32_t size);
  bool continue_partial();
  bool serve_reads();

  // link_channel_direct.cc
  bool suits_direct(const WorkRequest& request) const;
  // Posting order: nothing may overtake what is still in the ring.
  bool may_go_direct(const WorkRequest& request) const {
    return unplaced() == 0 && suits_direct(request);
  }
  StartResult start_direct(const WorkRequest& request);
  // One turn. False: failed, and failure_ says how.
  bool direct_turn();
  bool continue_direct();
  bool fetch_turn();
  // What the next turn copies, both ways.
  std::uint64_t next_turn() const;
  bool may_copy_now(std::uint64_t octets);
  DtoStatus copy_direct(const RemoteTriplet& remote, Access right,
                        std::span<const LocalTriplet> local, std::uint64_t offset,
                        std::uint64_t length);
  DtoStatus copy_marked(const RemoteTriplet& remote, Access right,
                        std::span<const LocalTriplet> local, std::uint64_t offset,
                        std::uint64_t length);

  // link_channel_receive.cc
  bool take_message(const RecordHeader& header, const std::byte* payload);
  bool handle_any(const RecordHeader& header, const std::byte* payload);
  bool take_counters(const RecordHeader& header) {
    return (header.acked == acked_ && header.returned == returned_) || take_progress(header);
  }
  bool take_progress(const RecordHeader& header);
  bool handle_open(const RecordHeader& header, const std::byte* payload);
  bool on_send(const RecordHeader& header, const std::byte* payload);
  bool on_fetch(const RecordHeader& header, const std::byte* payload);
  bool on_write(const RecordHeader& header, const std::byte* payload);
  bool on_read_request(const RecordHeader& header);
  bool on_atomic(const RecordHeader& header);
  bool on_note(const RecordHeader& header);
  bool refuses(const MessageNote& note);
  void complete_message(std::uint64_t length, bool solicited, const MessageNote& note);
  // One more Read or atomic operation may be served. False: too many, and terminated.
  bool has_read_slot();
  void refuse_read(DtoStatus status);
  bool on_read_data(const RecordHeader& header, const std::byte* payload);
  void on_terminate(const RecordHeader& header);
  bool on_accept(const RecordHeader& header, const std::byte* payload);
  bool fetch_pending() const;
  bool message_under_way() const;
  bool begins_message() const;
  std::size_t most_staged() const;
  // Messages that wait for a receive, and Writes carried out meanwhile.
  std::uint32_t waiting() const;
  void stage(const RecordHeader& header, const std::byte* payload, const MessageNote& note);
  // False: no receive, it has to wait.
  bool deliver(const RecordHeader& header, const std::byte* payload, const MessageNote& note);
  bool start_fetch(const RecordHeader& header, const std::byte* payload, const MessageNote& note);
  void deliver_staged();
  void watch_patience();
  void count_placed(std::uint32_t messages, std::uint32_t octets);
  void count_write_placed();
  void finish_fetch();

  // link_channel.cc
  // The only writer of the state. False: no such row, and nothing has changed.
  bool on(LinkEvent event);
  Status start_dial();
  void dial_again();
  void want_work();
  bool confirm_has_left();
  void fail_later(RequestClass kind, DtoStatus status);
  void report_failure();
  // Tells the peer which of its requests failed here, and ends the connection.
  void terminate(RequestClass kind, DtoStatus status, std::uint32_t before = 0);
  void closed(CloseReason reason);
  void leave();

  LinkTransport& transport_;
  Link* link_ = nullptr;
  ChannelEvents* events_ = nullptr;
  ChannelOptions options_;
  LinkState state_;
  bool gone_ = false; // passive: the requester has left
  std::uint32_t number_ = 0;
  std::uint32_t peer_number_ = 0;
  std::uint32_t peer_zone_ = 0;
  std::uint32_t peer_endpoint_ = 0;
  std::int32_t peer_reads_in_ = 0;
  ConnQual local_port_ = 0;
  ConnQual remote_port_ = 0;
  Address remote_address_;
  std::vector<std::byte> private_data_;
  std::unique_ptr<Dial> dial_;
  int dials_ = 0;
  ConnectFailure connect_failure_ = ConnectFailure::NonPeerRejected;

  // Initiator.
  std::uint32_t sent_ = 0;  // Sends and Writes that went through the ring
  std::uint32_t acked_ = 0; // of those, placed
  std::uint32_t sent_octets_ = 0;
  std::uint32_t returned_ = 0;
  bool fetched_out_ = false; // the peer fetches a message: nothing else may start
  bool wants_room_ = false;
  bool confirm_waits_ = false; // for room in the ring, and counts as unplaced meanwhile
  const WorkRequest* partial_ = nullptr;
  std::uint64_t partial_done_ = 0;
  const WorkRequest* direct_ = nullptr;
  std::uint64_t direct_done_ = 0;
  bool waits_for_turn_ = false; // when it worked last
  std::deque<const WorkRequest*> reads_;
  std::uint64_t read_done_ = 0; // of the oldest
  bool failed_ = false;
  RequestClass failed_class_ = RequestClass::Placed;
  DtoStatus failed_status_ = DtoStatus::Success;

  // Target.
  std::uint32_t placed_ = 0;
  std::uint32_t placed_octets_ = 0;
  std::uint32_t told_placed_ = 0;
  std::uint32_t told_octets_ = 0;
  std::uint64_t message_done_ = 0;
  std::uint32_t staged_octets_ = 0;
  WaitingMessages<Staged> staged_;
  std::vector<FetchSegment> fetch_; // of the message being fetched
  std::uint64_t fetch_length_ = 0;
  std::uint64_t fetch_done_ = 0;
  bool fetching_ = false;
  bool fetch_solicited_ = false;
  MessageNote note_; // of the message whose end comes next
  MessageNote fetch_note_;
  std::deque<ServedRead> served_;
  ReceiveTimer receive_timer_{*this};

  // Of messages that wait for their Recvs. Last, since no other message needs it.
  bool tells_taken_ = false;           // the peer, that its message has been taken
  std::uint32_t fetch_found_recv_ = 0; // `sent_` as the peer said that this message has its Recv
  Reached reached_;                    // when that was looked at last
  std::uint64_t published_then_ = 0;   // by the whole link
};

} // namespace datum
