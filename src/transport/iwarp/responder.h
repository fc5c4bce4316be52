// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/responder.h: the peer's Reads and Atomics, and their answers.
// Lives here: how many are served, when an answer may begin, its FPDUs; which requests are still
//             answered before an end.
// Not here:   the arrival of requests (inbound.h); the turn of an answer (message_turn.h,
//             outbound.h).
// Threads:    the adapter's lock.
#pragma once

#include <algorithm>

#include "transport/iwarp/fifo.h"
#include "transport/iwarp/message_turn.h"
#include "transport/iwarp/output_queue.h"
#include "transport/iwarp/rdmap.h"
#include "transport/iwarp/stream.h"

namespace datum::iwarp {

class Responder {
 public:
  Responder(Stream& stream, OutputQueue& queue, StreamControl& control, MessageTurn& turn)
      : stream_(stream), queue_(queue), control_(control), turn_(turn) {}

  void begin(std::uint32_t first_msn) { next_msn_ = delivered_ = first_msn; }
  // The Read form of RTR needs a place even if the consumer serves no Reads.
  void expect_rtr_read() { rtr_read_ = true; }

  // True: one more request may be served. False: fewer at a time were agreed on, or there is no
  // memory.
  bool can_serve() {
    return served_.size() < std::max<std::size_t>(stream_.terms.reads_in, rtr_read_ ? 1 : 0) &&
           served_.make_room();
  }
  // can_serve() must have returned true. The answer waits until the messages before MSN `after`
  // have been delivered.
  void serve(const ReadRequest& request, std::uint32_t msn, std::uint32_t after) {
    served_.push({.read = request, .atomic = {}, .msn = msn, .after = after});
  }
  void serve(const AtomicRequest& request, std::uint32_t msn, std::uint32_t after) {
    served_.push({.read = {}, .atomic = request, .is_atomic = true, .msn = msn, .after = after});
  }
  void on_delivered(std::uint32_t next_msn) { delivered_ = next_msn; }

  // True: an answer may begin, or go on.
  bool ready() const {
    return !served_.empty() && static_cast<std::int32_t>(delivered_ - served_[0].after) >= 0;
  }
  // Builds one FPDU of the oldest answer. False: none was built.
  bool build();

  // No request of this side may be under way. Answers the requests as long as whole answers fit
  // into the queue, from copies of the memory. No request is answered later.
  void answer_for_the_last_time();
  bool answers_for_the_last_time() const { return for_the_last_time_; }

 private:
  struct Served {
    ReadRequest read;
    AtomicRequest atomic;
    bool is_atomic = false;
    std::uint32_t msn = 0;
    std::uint32_t after = 0;
    std::uint64_t done = 0;
  };

  bool build_read_response(Served& served);
  bool build_atomic_response(const Served& served);
  bool answers_whole(const Served& served) const;

  Stream& stream_;
  OutputQueue& queue_;
  StreamControl& control_;
  MessageTurn& turn_;
  Fifo<Served> served_;
  std::uint32_t delivered_ = kFirstMsn; // the MSN of the message that is delivered next
  std::uint32_t next_msn_ = kFirstMsn;  // MSN of the next answer to an Atomic
  bool rtr_read_ = false;
  bool for_the_last_time_ = false;
};

} // namespace datum::iwarp
