// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/outbound.h: FPDUs that leave, in their order.
// Lives here: which part builds the next one; acknowledgements, and what peers of ours say
//             besides; what is said last.
// Not here:   its parts: our request that is built (requester.h), our requests until they end
//             (unfinished_requests.h, outstanding_reads.h), answers to the peer (responder.h),
//             whose message is under way (message_turn.h); how FPDUs wait for TCP (output_queue.h).
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

  // The first MSN of every queue; messages that are acknowledged are counted in step.
  void begin(std::uint32_t first_msn);
  // The memory that the first FPDUs need. False: there is none now.
  bool ready() { return queue_.ready() && reads_.make_room(); }
  // Nothing may leave before the peer's first FPDU (RFC 5044 section 7.1.2).
  void hold() { held_ = true; }
  void release() { held_ = false; }

  StartResult start(const OutboundRequest& request, bool within_call);
  // FPDUs for what is due, as far as there is room.
  void fill();
  // As far as they can be from memory of ours, the peer's Reads are answered; nothing of our own is
  // begun.
  void answer_before_the_end();
  // Something other than an acknowledgement is due.
  bool has_work() const;
  bool owes_ack() const { return stream_.peer == PeerKind::Own && stream_.placed != stream_.told; }
  // There was no memory: fill() again soon.
  bool lacks_room() const { return turn_.lacks_room(); }
  // Whoever was told Later may come again.
  void give_room();
  // All that waits for TCP may still be read; what TCP has a part of may.
  bool sources_hold() const {
    return queue_.all_sources([this](const PayloadSource& source) { return holds(source); });
  }
  bool begun_source_holds() const;
  // What waits for TCP may not be read any more: fails the oldest of our requests of which that is
  // so.
  void fail_without_memory();

  void send_rtr(Rtr form, const Hello* hello);
  void send_hello(const Hello& hello);
  // A Write of nothing for one that may have overlooked our first FPDU.
  void send_to_silent_peer();
  // Whoever is sent a Read has to answer: one of nothing, when the message that is under way has
  // ended. Where a Read is outstanding already it may have been overlooked, too.
  void ask_silent_peer();
  void send_last(const Terminate& terminate);
  void send_last_ack();
  void send_close();
  void on_peer_decided();

  UnfinishedRequests& unfinished() { return unfinished_; }
  const UnfinishedRequests& unfinished() const { return unfinished_; }
  OutstandingReads& reads() { return reads_; }
  const OutstandingReads& reads() const { return reads_; }
  Responder& responder() { return responder_; }
  // Requests of ours that have been built, or begun, and have not ended.
  std::size_t outstanding() const { return unfinished_.size() + reads_.size(); }

 private:
  StartResult later();
  StartResult start_within_call(const OutboundRequest& request);
  void acknowledge_first();
  bool build_next();
  bool build_ack();
  bool build_question();
  void send_read_of_nothing();
  void build_carrier(Stag stag, std::uint64_t offset, bool last_message);
  bool may_answer_before_the_end() const;
  bool holds(const PayloadSource& source) const;
  // Between two messages.
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
