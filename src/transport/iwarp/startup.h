// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/startup.h: the MPA request and reply of one connection, on either side.
// Lives here: the peer's octets until its frame is whole; our frame, until TCP has all of it; what
//             the reply comes to; a reject that waits for memory.
// Not here:   a frame by itself (startup_frame.h), the terms (negotiation.h); states, time, and
//             what the consumer is told (session.h).
// Threads:    the adapter's lock.
#pragma once

#include <algorithm>
#include <vector>

#include "transport/iwarp/negotiation.h"
#include "transport/iwarp/output_queue.h"
#include "transport/iwarp/own_peer.h"

namespace datum::iwarp {

enum class StartupStep : std::uint8_t {
  Incomplete,
  Whole,
  Bad,      // no frame of MPA's, or not the one that is expected
  NoMemory, // to keep it
};

enum class ReplyKind : std::uint8_t {
  Agreed,
  Terminate, // `error` goes out as the first FPDU, then close
  Rejected,  // by the peer's consumer
  Refused,   // by its provider
  NotHere,   // by its provider: the port is not for that qualifier
  Unusable,  // the reply contradicts itself or the request: close
};

struct ReplyResult {
  ReplyKind kind = ReplyKind::Unusable;
  Terms terms;
  ErrorCode error;
};

class Startup {
 public:
  // `crc`: this side's wish, whatever else is wished.
  Startup(OutputQueue& queue, bool crc) : queue_(queue), crc_(crc) {}
  Startup(const Startup&) = delete;
  Startup& operator=(const Startup&) = delete;

  // --- our frame ---------------------------------------------------------------------------------
  // There is memory for one.
  bool can_send() { return queue_.ready(); }
  // Initiator. False: there is no memory.
  bool send_request(const Wishes& wishes, Octets private_data);
  // Responder, the request being whole: what a reply without wishes would say, and what it says.
  Terms offered_terms() const { return answer_terms(peer_frame_, {.crc = crc_}); }
  Terms answered_terms(const Wishes& wishes);
  // `terms`: answered before. False: there is no memory.
  bool send_reply(const Terms& terms, Octets private_data);
  // can_send() came before.
  void send_reject(Octets private_data);
  // A reject that lacks memory for the frame is kept where the request's private data were, which
  // are not needed any more and had room for as much.
  void keep_reject(Octets private_data);
  bool has_kept_reject() const { return reject_kept_; }

  std::size_t size() const { return size_; } // of our frame
  // TCP has not taken all of it.
  bool is_leaving() const { return left_ != 0; }
  void on_sent(std::size_t octets) { left_ -= std::min(left_, octets); }

  // --- the peer's frame --------------------------------------------------------------------------
  struct Fed {
    std::size_t taken = 0;
    StartupStep step = StartupStep::Incomplete;
  };
  Fed feed(Octets octets);
  // Of one that did not become whole.
  bool has_heard_nothing() const { return arrived_.empty(); }
  // Responder.
  bool is_request_acceptable() const { return is_acceptable(peer_frame_); }
  // Initiator, the reply being whole.
  ReplyResult result() const;
  // It was a reject, of whichever kind.
  bool was_rejected() const { return peer_frame_.rejected; }
  // From the peer's frame on.
  Octets private_data() const { return private_data_; }

  bool is_initiator() const { return initiator_; }
  bool is_for_own_kind() const { return wishes_.for_own_kind; }
  // The peer, before its request was answered: the request stays until it is.
  void on_peer_gone() { peer_gone_ = true; }
  bool peer_is_gone() const { return peer_gone_; }

 private:
  bool send(const StartupFrame& frame);

  OutputQueue& queue_;
  const bool crc_;
  bool initiator_ = false;
  bool peer_gone_ = false;
  bool reject_kept_ = false;
  std::size_t size_ = 0;
  std::size_t left_ = 0;
  std::vector<std::byte> arrived_; // of the peer's frame, until it is whole
  std::vector<std::byte> private_data_;
  StartupFrame own_frame_;
  StartupFrame peer_frame_;
  Wishes wishes_;
};

} // namespace datum::iwarp
