// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/link/channel_frame.h: the state that the parts of a channel share, and their calls on
// the channel.
// Lives here: the connection's state and link, the number that each end gives it, the head of every
//             record, how much of the peer's data has been placed and how much of that the peer
//             knows.
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
  std::uint32_t number = 0; // its number for the connection; 0: not known yet
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
  // Code that calls an event checks it again: the connection may have ended in the event.
  bool open() const { return state_ == LinkState::Open; }
  std::uint32_t number() const { return number_; }
  const LinkPeer& peer() const { return peer_; }

  // --- records -----------------------------------------------------------------------------------
  // Every record tells the peer what has been placed. stamp() leaves `ring_word` alone: the ring
  // stores the sequence there when the record is published.
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
  // This many more of the peer's messages and Writes, and octets of its Sends, have been placed.
  void add_placed(std::uint32_t messages, std::uint32_t octets) {
    placed_ += messages;
    placed_octets_ += octets;
  }
  // Takes add_placed() back: they were not placed after all, and no record has reported them.
  void take_back_placed(std::uint32_t messages, std::uint32_t octets) {
    DATUM_ASSERT(placed_ - told_placed_ >= messages && placed_octets_ - told_octets_ >= octets);
    placed_ -= messages;
    placed_octets_ -= octets;
  }
  // At the next look at the link an Ack reports what was placed, unless another record has left
  // before.
  [[gnu::always_inline]] inline void owe_ack(); // link.h
  void count_placed(std::uint32_t messages, std::uint32_t octets);
  // Tells the peer what has been placed, if it does not know yet. False: there is no room.
  bool flush_ack();
  bool listed_for_ack = false; // belongs to Link

  // --- calls of the parts on the channel; an ordinary message or request needs none --------------
  // want_work(): LinkChannel::work() is called at the next look at the links. want_room(): it is
  // called once the outgoing ring has room again.
  virtual void want_work() = 0;
  virtual void want_room() = 0;
  // Tells the peer which of its requests failed here, and ends the connection. The failed request
  // has the class `kind`; `before` earlier requests of that class have not ended either.
  virtual void terminate(RequestClass kind, DtoStatus status, std::uint32_t before) = 0;
  void terminate(RequestClass kind, DtoStatus status) { terminate(kind, status, 0); }
  // Ends a connection whose peer knows why, or need not know.
  virtual void end(CloseReason reason) = 0;
  // Becomes one of the link's connections. False: the link has no number left, or no memory.
  virtual bool join(Link& link) = 0;
  // Leaves the link, if it has one, and every list.
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
  // Only LinkHandshake changes the state, the receiver of events, and what is known of the peer.
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
