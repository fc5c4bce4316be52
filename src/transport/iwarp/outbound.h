// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/outbound.h: FPDUs that leave, in their order.
// Lives here: which part builds the next FPDU; acknowledgements and the other messages between own
//             peers (own_peer.h); the last messages.
// Not here:   its parts: how this side's requests are built (requester.h), these requests until
//             they end (unfinished_requests.h, outstanding_reads.h), answers to the peer
//             (responder.h), which message is under way (message_turn.h); how FPDUs wait for TCP
//             (output_queue.h).
// Threads:    the adapter's lock.
#pragma once

#include "transport/iwarp/message_turn.h"
#include "transport/iwarp/output_queue.h"
#include "transport/iwarp/outstanding_reads.h"
#include "transport/iwarp/requester.h"
#include "transport/iwarp/responder.h"
#include "transport/iwarp/stream.h"
#include "transport/iwarp/unfinished_requests.h"

namespace datum::iwarp {

class Outbound {
 public:
  Outbound(Stream& stream, OutputQueue& queue, StreamControl& control)
      : stream_(stream), queue_(queue), unfinished_(stream), reads_(stream),
        requester_(stream, queue, control, turn_, {unfinished_, reads_}),
        responder_(stream, queue, control, turn_) {}
  Outbound(const Outbound&) = delete;
  Outbound& operator=(const Outbound&) = delete;

  // `first_msn`: of every queue. Acknowledgements count messages from the same number on.
  void begin(std::uint32_t first_msn);
  // Gets the memory that the first FPDUs need. False: there is none now.
  bool ready() { return queue_.ready() && reads_.make_room(); }
  // Nothing may leave before the peer's first FPDU (RFC 5044 section 7.1.2).
  void hold() { held_ = true; }
  void release() { held_ = false; }

  StartResult start(const OutboundRequest& request, bool within_call);
  // Builds the FPDUs that are due, as far as there is room.
  void fill();
  // Answers the peer's Reads from copies of the memory, as far as these fit into the queue. Begins
  // no request of this side.
  void answer_before_the_end();
  // True: something other than an acknowledgement is due.
  bool has_work() const;
  bool owes_ack() const { return stream_.peer == PeerKind::Own && stream_.placed != stream_.told; }
  // True: there was no memory, so fill() has to be called again soon.
  bool lacks_room() const { return turn_.lacks_room(); }
  // If start() has returned Later, and a request could start now, this tells the core.
  void give_room();
  // True: this side may still read all memory that waiting FPDUs refer to. begun_source_holds()
  // asks the same only for the FPDU that TCP has a part of.
  bool sources_hold() const {
    return queue_.all_sources([this](const PayloadSource& source) { return holds(source); });
  }
  bool begun_source_holds() const;
  // Called when sources_hold() is false. Fails the request of this side that refers to the memory,
  // if there is such a request.
  void fail_without_memory();

  void send_rtr(Rtr form, const Hello* hello);
  void send_hello(const Hello& hello);
  // Sends a Write of no octets to a peer that may have overlooked our first FPDU.
  void send_to_silent_peer();
  // Sends a Read of no octets when the message under way has ended. The peer has to answer it. If a
  // Read is outstanding already, the peer may have overlooked that Read, and gets a Write of no
  // octets instead.
  void ask_silent_peer();
  // The last messages. An acknowledgement that is due goes first.
  void send_last(const Terminate& terminate);
  void send_close();
  void on_peer_decided();

  UnfinishedRequests& unfinished() { return unfinished_; }
  const UnfinishedRequests& unfinished() const { return unfinished_; }
  OutstandingReads& reads() { return reads_; }
  const OutstandingReads& reads() const { return reads_; }
  Responder& responder() { return responder_; }
  // How many requests of this side have been begun and have not ended.
  std::size_t outstanding() const { return unfinished_.size() + reads_.size(); }
  // A consumer that has more requests outstanding does not wait for a single one. Many requests
  // that leave together cost less.
  bool is_awaited() const { return outstanding() <= kAwaited; }

 private:
  static constexpr std::size_t kAwaited = 4;

  StartResult later();
  StartResult start_within_call(const OutboundRequest& request);
  void acknowledge_first();
  bool build_next();
  bool build_ack();
  void send_last_ack();
  bool build_question();
  void send_read_of_nothing();
  void build_carrier(Stag stag, std::uint64_t offset, bool last_message);
  bool may_answer_before_the_end() const;
  bool holds(const PayloadSource& source) const;
  // Asked between two messages. True: a request of this side may go next.
  bool own_turn() const { return !responder_.ready() || turn_.own_goes_first(); }

  Stream& stream_;
  OutputQueue& queue_;
  bool held_ = false;
  bool wants_room_ = false;
  bool asks_ = false;
  MessageTurn turn_;
  UnfinishedRequests unfinished_;
  OutstandingReads reads_;
  Requester requester_;
  Responder responder_;
};

} // namespace datum::iwarp
