// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/link/link_sender.h: this side's requests on their way to the peer.
// Lives here: which way each request takes, sending through the ring, the window, how many requests
//             the peer has placed, outstanding Reads, a request that failed on this side.
// Not here:   which request may start next, and completions (core); direct copies
//             (direct_request.h).
// Threads:    the adapter's lock.
#pragma once

#include <cstdint>
#include <deque>

#include "core/port/channel.h"
#include "transport/link/channel_frame.h"
#include "transport/link/direct_request.h"
#include "transport/link/record.h"

namespace datum {

class LinkSender {
 public:
  explicit LinkSender(ChannelFrame& frame) : frame_(frame), copy_(frame), direct_(copy_) {}

  // --- by the consumer: see Channel --------------------------------------------------------------
  StartResult start(const WorkRequest& request);
  StartResult start_now(const WorkRequest& request);
  bool should_look_first(const WorkRequest& request) const;
  bool waits_for_receive(bool oldest_is_message);

  // --- by records of the peer. False: no honest peer sends such a record ------------------------
  // Every record of the peer reports what the peer has placed.
  bool take_counters(const RecordHeader& header) {
    return (header.acked == acked_ && header.returned == returned_) || take_progress(header);
  }
  bool on_read_data(const RecordHeader& header, const std::byte* payload);
  // The peer reports that the message that it fetches has its Recv.
  void on_fetching() { fetch_found_recv_ = sent_; }

  // --- by the handshake --------------------------------------------------------------------------
  // Called if the Confirm waits for room. Until it has left, the peer must not see a direct copy,
  // because a consumer that sees the data may answer before the connection is established there. So
  // the Confirm counts as an unplaced request, which keeps direct copies back.
  void hold_behind_confirm();

  // --- deferred work -----------------------------------------------------------------------------
  // False: the Confirm still waits for room.
  bool confirm_has_left() { return !confirm_waits_ || try_confirm(); }
  bool failed() const { return failed_; }
  // Reports the failed request to both sides, and ends the connection.
  void report_failure();
  bool copying() const { return direct_.under_way(); }
  std::uint64_t left_to_copy() const { return direct_.left(); }
  // Makes one turn of the direct request that is under way.
  void continue_direct();
  // True: some pieces were sent.
  bool continue_partial();
  void give_room();

 private:
  // How much this side has sent, and how much of that the peer has placed: see waits_for_receive().
  struct Reached {
    std::uint32_t sent = 0;
    std::uint32_t sent_octets = 0;
    std::uint32_t acked = 0;
    std::uint32_t returned = 0;
    bool operator==(const Reached&) const = default;
  };

  std::uint32_t unplaced() const { return sent_ - acked_; }
  std::uint32_t window_left() const { return kSendWindow - (sent_octets_ - returned_); }
  bool busy() const { return partial_ != nullptr || direct_.under_way() || fetched_out_; }
  // Reads end in posting order, so a direct Read must not overtake a Read that the peer still
  // serves.
  bool suits_direct(const WorkRequest& request) const {
    return (request.opcode != Opcode::RdmaRead || reads_.empty()) && copy_.suits(request);
  }
  // Requests are placed in posting order, so a direct copy must not overtake a request that is
  // still in the ring.
  bool may_go_direct(const WorkRequest& request) const {
    return unplaced() == 0 && suits_direct(request);
  }
  StartResult later(bool ring_full);
  StartResult start_send(const WorkRequest& request);
  StartResult start_noted(const WorkRequest& request);
  StartResult start_write(const WorkRequest& request);
  StartResult start_read(const WorkRequest& request);
  StartResult start_atomic(const WorkRequest& request);
  StartResult start_partial(const WorkRequest& request);
  StartResult start_direct(const WorkRequest& request);
  bool peer_serves_reads();
  // The difference between this side's addresses in a region and those that the peer uses.
  std::uint64_t shift_of(Stag stag) const;
  bool send_note(const MessageNote& note);
  bool send_fetch(const WorkRequest& request);
  bool send_piece(const WorkRequest& request, std::uint64_t offset, std::uint32_t size);
  bool send_line(const WorkRequest& request, std::uint32_t size);
  bool take_progress(const RecordHeader& header);
  bool try_confirm();
  void fail_later(RequestClass kind, DtoStatus status);
  void report_failed(RequestClass kind, DtoStatus status);

  ChannelFrame& frame_;
  DirectCopy copy_;
  std::uint32_t sent_ = 0;  // Sends and Writes that went through the ring
  std::uint32_t acked_ = 0; // how many of those the peer has placed
  std::uint32_t sent_octets_ = 0;
  std::uint32_t returned_ = 0;
  bool fetched_out_ = false; // the peer fetches a message; no other request may start meanwhile
  bool wants_room_ = false;
  bool confirm_waits_ = false;
  bool failed_ = false;
  RequestClass failed_class_ = RequestClass::Placed;
  DtoStatus failed_status_ = DtoStatus::Success;
  const WorkRequest* partial_ = nullptr;
  std::uint64_t partial_done_ = 0;
  DirectRequest direct_;
  std::deque<const WorkRequest*> reads_; // outstanding Reads and Atomics
  std::uint64_t read_done_ = 0;          // how many octets have come for the oldest Read

  // Only on_fetching() and waits_for_receive() use these members. They are last, since no other
  // message needs them.
  std::uint32_t fetch_found_recv_ = 0; // `sent_` at the last on_fetching()
  Reached reached_;                    // at the last call of waits_for_receive()
  std::uint64_t published_then_ = 0;   // records of the whole link, at that call
};

} // namespace datum
