// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/link/channel_frame.h: the state that the parts of a channel share, and their calls on
// the channel.
// Lives here: the connection's state and link, the number that each end gives the connection, the
//             head of every record, how much of the peer's data has been placed, and how much the
//             peer has been told of that.
// Not here:   the state of a single part (link_handshake.h, link_sender.h, link_receiver.h,
//             read_responder.h); the table of states (link_state.h).
// Threads:    the adapter's lock.
#pragma once

#include <cstdint>

#include "base/assertion.h"
#include "core/port/channel.h"
#include "transport/link/link_state.h"
#include "transport/link/record.h"

namespace datum {

class Link;
class LinkTransport;
struct TransportHost;

// The other end, as its Connect or Accept described it.
struct LinkPeer {
  std::uint32_t number = 0; // the peer's number for the connection; 0: not known yet
  std::uint32_t zone = 0;
  std::uint32_t endpoint = 0;
  std::int32_t reads_in = 0;

  LinkPeer() = default;
  explicit LinkPeer(const ConnectFields& fields)
      : number(fields.number), zone(fields.zone), endpoint(fields.endpoint),
        reads_in(fields.reads_in) {}
};

class ChannelFrame {
 public:
  ChannelFrame(const ChannelFrame&) = delete;
  ChannelFrame& operator=(const ChannelFrame&) = delete;

  LinkTransport& transport() const { return transport_; }
  const TransportHost& host() const;
  // nullptr: the connection has no link yet, or no longer has one.
  Link* link() const { return link_; }
  ChannelEvents* events() const { return events_; }
  const ChannelOptions& options() const { return options_; }
  LinkState state() const { return state_; }
  // Code that calls an event checks open() again afterwards, since the event may have ended the
  // connection.
  bool open() const { return state_ == LinkState::Open; }
  std::uint32_t number() const { return number_; }
  const LinkPeer& peer() const { return peer_; }

  // --- records -----------------------------------------------------------------------------------
  // Every record tells the peer what has been placed. stamp() leaves `ring_word` unset, because the
  // ring stores the sequence there when the record is published.
  void stamp(RecordHeader& header, RecordType type, std::uint8_t flags, std::uint32_t length) {
    header.type = type;
    header.flags = flags;
    header.status = 0;
    header.unused = 0;
    header.connection = peer_.number;
    header.acked = told_placed_ = placed_;
    header.returned = told_octets_ = placed_octets_;
    header.length = length;
  }
  RecordHeader header(RecordType type) {
    RecordHeader header{};
    stamp(header, type, 0, 0);
    return header;
  }

  // --- acknowledgement ---------------------------------------------------------------------------
  // Counts `messages` more of the peer's messages and Writes, and `octets` more of its Sends, as
  // placed.
  void add_placed(std::uint32_t messages, std::uint32_t octets) {
    placed_ += messages;
    placed_octets_ += octets;
  }
  // Undoes add_placed(): the messages were not placed after all, and no record has reported them.
  void take_back_placed(std::uint32_t messages, std::uint32_t octets) {
    DATUM_ASSERT(placed_ - told_placed_ >= messages && placed_octets_ - told_octets_ >= octets);
    placed_ -= messages;
    placed_octets_ -= octets;
  }
  // The next progress() of the link sends an Ack that reports what was placed, unless another
  // record has reported it before.
  [[gnu::always_inline]] inline void owe_ack(); // link.h
  void count_placed(std::uint32_t messages, std::uint32_t octets);
  // Tells the peer what has been placed, unless it has been told already. False: the ring has no
  // room.
  bool flush_ack();
  bool listed_for_ack = false; // belongs to Link

  // --- calls of the parts on the channel; an ordinary message or request needs none --------------
  // want_work(): the next progress() of the links calls LinkChannel::work(). want_room(): work() is
  // called once the outgoing ring has room again.
  virtual void want_work() = 0;
  virtual void want_room() = 0;
  // Tells the peer which of its requests failed here, and ends the connection. The failed request
  // has the class `kind`. `before`: how many earlier requests of that class have not ended either.
  virtual void terminate(RequestClass kind, DtoStatus status, std::uint32_t before) = 0;
  void terminate(RequestClass kind, DtoStatus status) { terminate(kind, status, 0); }
  // Ends a connection whose peer knows why, or need not know.
  virtual void end(CloseReason reason) = 0;
  // Adds this channel to the link's connections. False: the link has no number left, or memory is
  // lacking.
  virtual bool join(Link& link) = 0;
  // Removes this channel from its link, if it has one, and from every list.
  virtual void part() = 0;

 protected:
  struct Start {
    LinkState state = LinkState::Dialling;
    Link* link = nullptr;
    ChannelEvents* events = nullptr;
    ChannelOptions options = {};
    LinkPeer peer = {};
  };
  ChannelFrame(LinkTransport& transport, const Start& start)
      : transport_(transport), link_(start.link), events_(start.events), options_(start.options),
        state_(start.state), peer_(start.peer) {}
  virtual ~ChannelFrame() = default;
  void set_link(Link* link, std::uint32_t number) {
    link_ = link;
    number_ = number;
  }

 private:
  // Only LinkHandshake changes state_, events_ and peer_.
  friend class LinkHandshake;

  LinkTransport& transport_;
  Link* link_;
  ChannelEvents* events_;
  ChannelOptions options_;
  LinkState state_;
  std::uint32_t number_ = 0;
  LinkPeer peer_;
  std::uint32_t placed_ = 0;
  std::uint32_t placed_octets_ = 0;
  std::uint32_t told_placed_ = 0;
  std::uint32_t told_octets_ = 0;
};

} // namespace datum
