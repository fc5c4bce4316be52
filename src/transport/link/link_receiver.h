// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/link/link_receiver.h: the peer's messages and Writes that arrive.
// Lives here: which Recv a message gets, when a message is placed or fetched, which records may
//             follow which; Writes that came through the ring.
// Not here:   messages that wait (kept_messages.h), how a message is fetched (message_fetch.h), the
//             peer's Reads (read_responder.h).
// Threads:    the adapter's lock.
//
// The peer writes the records, so every field is checked before use. on_send() to on_write() return
// false if no honest peer sends such a record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "transport/link/channel_frame.h"
#include "transport/link/kept_messages.h"
#include "transport/link/message_fetch.h"

namespace datum {

class LinkReceiver {
 public:
  explicit LinkReceiver(ChannelFrame& frame);

  // --- the usual record: a whole message, while no other one is under way ------------------------
  bool can_place_whole(const RecordHeader& send) const {
    return message_done_ == 0 && !fetch_.under_way() && kept_.empty() && send.length <= kMaxPiece &&
           !note_.any();
  }
  // False: nothing was done, and on_send() decides.
  bool place_whole(const RecordHeader& send, const std::byte* payload);

  // --- records of an open connection -------------------------------------------------------------
  bool on_send(const RecordHeader& header, const std::byte* payload);
  bool on_fetch(const RecordHeader& header, const std::byte* payload);
  bool on_note(const RecordHeader& header);
  bool on_write(const RecordHeader& header, const std::byte* payload);

  // A Recv was posted: delivers messages that wait for one.
  void deliver_kept();

  // --- deferred work -----------------------------------------------------------------------------
  bool fetching() const { return fetch_.under_way(); }
  std::uint64_t left_to_copy() const { return fetch_.left(); }
  // Makes one turn of the fetch that is under way.
  void continue_fetch();
  // Tells the sender that a kept message was taken from the ring. The sender needs that to answer
  // whether a message waits for its Recv (LinkSender::waits_for_receive()).
  void tell_kept();

  // Called when the connection has ended: no timer of this part expires afterwards.
  void stop() { kept_.stop(); }

 private:
  enum class Recv : std::uint8_t { Missing, Refused, Taken };
  // Takes a Recv for a message that has `length` octets so far. Refused: the message has failed,
  // and both sides have been told.
  Recv take_receive(std::uint64_t length, const MessageNote& note,
                    std::span<const LocalTriplet>& into);
  // False: there is no Recv, and the message has to wait.
  bool deliver(const RecordHeader& header, const std::byte* payload, const MessageNote& note);
  bool start_fetch(const RecordHeader& header, const std::byte* payload, const MessageNote& note);
  bool fetch_pending() const { return fetch_.under_way() || kept_.ends_with_fetch(); }
  bool message_under_way() const;
  bool refuses(const MessageNote& note);
  void complete(std::uint64_t length, bool solicited, const MessageNote& note);
  // Does nothing if the consumer has ended the connection in an event.
  void terminate_if_open(DtoStatus status);

  ChannelFrame& frame_;
  DirectCopy copy_;
  KeptMessages kept_;
  MessageFetch fetch_;
  std::uint64_t message_done_ = 0; // octets of the message that arrives in pieces
  MessageNote note_;               // the note of the next message that ends
};

} // namespace datum
