// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/requester.h: builds the requests of this side, one at a time.
// Lives here: the FPDUs of the request, what holds it back, how it fails before any of it was sent.
// Not here:   built requests until they end (unfinished_requests.h, outstanding_reads.h); whether
//             it is the turn of this side (message_turn.h, outbound.h).
// Threads:    the adapter's lock.
#pragma once

#include <optional>

#include "transport/iwarp/message_turn.h"
#include "transport/iwarp/output_queue.h"
#include "transport/iwarp/outstanding_reads.h"
#include "transport/iwarp/payload_cut.h"
#include "transport/iwarp/request.h"
#include "transport/iwarp/unfinished_requests.h"

namespace datum::iwarp {

// The requests of this side that were built and have not ended.
struct RequestRecords {
  UnfinishedRequests& unfinished;
  OutstandingReads& reads;
};

class Requester {
 public:
  Requester(Stream& stream, OutputQueue& queue, StreamControl& control, MessageTurn& turn,
            const RequestRecords& records)
      : stream_(stream), queue_(queue), control_(control), turn_(turn),
        unfinished_(records.unfinished), reads_(records.reads) {}

  void begin(std::uint32_t first_msn) { next_msn_ = first_msn; }
  // The MSN for a Send that is no request: the RTR.
  std::uint32_t take_msn() { return next_msn_++; }

  // True: there is a request already, or a failure to report.
  bool busy() const { return active_ || failure_; }
  // False: the request cannot be carried out, and fails by report_failure().
  bool take(const OutboundRequest& request);
  bool failed() const { return failure_.has_value(); }
  void report_failure();
  // True: there is a request, and it waits only for room, memory or its turn.
  bool may_build() const { return active_ && !blocked(); }
  // Builds as many FPDUs as fit.
  void build_all() {
    while (active_ && build()) {
    }
  }
  // Builds one FPDU if the request may still be sent. False: none was built.
  bool build_next();

  // --- requests whose memory is valid only in this call: built whole and copied, or not at all
  // ----
  bool suits_call(const OutboundRequest& request) const;
  // False: nothing of the request was built.
  bool build_within_call(const OutboundRequest& request);

 private:
  struct Failure {
    RequestClass kind = RequestClass::Placed;
    DtoStatus status = DtoStatus::Success;
  };

  bool accept(const OutboundRequest& request);
  bool peer_refuses(const OutboundRequest& request) const;
  bool blocked() const;
  void put(const OutboundRequest& request);
  bool build();
  bool build_send();
  bool build_write();
  bool build_immediate();
  bool build_read_request();
  bool build_atomic_request();
  std::optional<std::size_t> next_payload(std::size_t header, std::uint64_t left,
                                          bool copied) const;
  void end();

  Stream& stream_;
  OutputQueue& queue_;
  StreamControl& control_;
  MessageTurn& turn_;
  UnfinishedRequests& unfinished_;
  OutstandingReads& reads_;
  std::optional<Failure> failure_;
  bool active_ = false; // there is a request
  bool within_call_ = false;
  std::uint32_t next_msn_ = kFirstMsn;
  std::uint32_t msn_ = 0;
  std::uint64_t done_ = 0;
  OutboundRequest request_;
};

} // namespace datum::iwarp
