// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/link/channel_frame.h: what the parts of a channel share, and what they ask of the whole.
// Lives here: the connection's state and link, what each end calls it, the head of every record,
//             how much of the peer's has been placed and how much of that the peer has been told.
// Not here:   what one part owns (link_handshake.h, link_sender.h, link_receiver.h,
//             read_responder.h); the table of states (link_state.h).
// Threads:    the adapter's lock.
#pragma once

#include <cstdint>

#include "core/port/channel.h"
#include "transport/link/link_state.h"
#include "transport/link/record.h"

namespace datum {

class Link;
class LinkTransport;
struct TransportHost;

// The other end, as its Connect or Accept said.
struct LinkPeer {
  std::uint32_t number = 0; // what it calls the connection; 0: not known yet
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
  // nullptr: there is none yet, or none any more.
  Link* link() const { return link_; }
  ChannelEvents* events() const { return events_; }
  const ChannelOptions& options() const { return options_; }
  LinkState state() const { return state_; }
  // Whatever calls an event asks again: the connection may have ended there.
  bool open() const { return state_ == LinkState::Open; }
  std::uint32_t number() const { return number_; }
  const LinkPeer& peer() const { return peer_; }

  // --- records -----------------------------------------------------------------------------------
  // Every record tells the peer what has been placed. The ring's own word is left alone.
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
  // So many more of the peer's messages and Writes, and octets of its Sends.
  void add_placed(std::uint32_t messages, std::uint32_t octets) {
    placed_ += messages;
    placed_octets_ += octets;
  }
  // It was not placed after all, and no record has told of it.
  void take_back_placed(std::uint32_t messages, std::uint32_t octets) {
    placed_ -= messages;
    placed_octets_ -= octets;
  }
  // A record of its own tells, unless another one leaves before the next look at the link.
  [[gnu::always_inline]] inline void owe_ack(); // link.h
  void count_placed(std::uint32_t messages, std::uint32_t octets);
  // Tells the peer what has been placed, if it has not been told. False: no room.
  bool flush_ack();
  bool listed_for_ack = false; // Link's

  // --- what the parts ask of the whole; a message or a request on its usual way does not ---------
  // work() is called at the next look at the links, or when there is room in the ring again.
  virtual void want_work() = 0;
  virtual void want_room() = 0;
  // Tells the peer which of its requests failed here, behind `before` others of its class, and ends
  // the connection.
  virtual void terminate(RequestClass kind, DtoStatus status, std::uint32_t before) = 0;
  void terminate(RequestClass kind, DtoStatus status) { terminate(kind, status, 0); }
  // Ends a connection whose peer has been told why, or need not be.
  virtual void end(CloseReason reason) = 0;
  // Becomes one of the link's connections. False: it has no number left for one.
  virtual bool join(Link& link) = 0;
  // Leaves the link, if there is one, and every list.
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
  // It alone changes the state, the receiver of events, and what is known of the peer.
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
