// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/startup.h: the MPA request and reply of one connection, on either side.
// Lives here: the peer's octets until its frame is whole; our frame, until TCP has all of it; the
//             result of the reply; a reject that waits for memory.
// Not here:   the format of a frame (startup_frame.h), the terms (negotiation.h); states, time, and
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
  Bad,      // not the MPA frame that is expected
  NoMemory, // there is no memory to keep the frame
};

enum class ReplyKind : std::uint8_t {
  Agreed,
  Terminate, // send a Terminate with `error` as the first FPDU, then close
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
  // `crc`: whether this side wants a CRC. It replaces Wishes::crc.
  Startup(OutputQueue& queue, bool crc) : queue_(queue), crc_(crc) {}
  Startup(const Startup&) = delete;
  Startup& operator=(const Startup&) = delete;

  // --- our frame ---------------------------------------------------------------------------------
  // True: there is memory for our frame.
  bool can_send() { return queue_.ready(); }
  // Initiator. False: there is no memory.
  bool send_request(const Wishes& wishes, Octets private_data);
  // Responder, when the request is whole: the terms without the consumer's wishes, and with them.
  Terms offered_terms() const { return answer_terms(peer_frame_, {.crc = crc_}); }
  Terms answered_terms(const Wishes& wishes);
  // `terms`: from answered_terms(). False: there is no memory.
  bool send_reply(const Terms& terms, Octets private_data);
  // can_send() must have returned true.
  void send_reject(Octets private_data);
  // Keeps the private data of a reject if there is no memory for its frame. They replace the
  // private data of the request, which are not needed any more, and whose memory is large enough.
  void keep_reject(Octets private_data);
  bool has_kept_reject() const { return reject_kept_; }

  std::size_t size() const { return size_; } // of our frame
  // True: TCP has not taken all of our frame.
  bool is_leaving() const { return left_ != 0; }
  void on_sent(std::size_t octets) { left_ -= std::min(left_, octets); }

  // --- the peer's frame --------------------------------------------------------------------------
  struct Fed {
    std::size_t taken = 0;
    StartupStep step = StartupStep::Incomplete;
  };
  Fed feed(Octets octets);
  // For a frame that did not become whole. True: not even a part of it has come.
  bool has_heard_nothing() const { return arrived_.empty(); }
  // Responder.
  bool is_request_acceptable() const { return is_acceptable(peer_frame_); }
  // Initiator, when the reply is whole.
  ReplyResult result() const;
  // True: the reply was a reject, by the peer's consumer or by its provider.
  bool was_rejected() const { return peer_frame_.rejected; }
  // The peer's private data, once its frame is whole.
  Octets private_data() const { return private_data_; }

  bool is_initiator() const { return initiator_; }
  bool is_for_own_kind() const { return wishes_.for_own_kind; }
  // The peer has gone before its request was answered. The request stays until it is answered.
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
  std::vector<std::byte> arrived_; // octets of the peer's frame, until it is whole
  std::vector<std::byte> private_data_;
  StartupFrame own_frame_;
  StartupFrame peer_frame_;
  Wishes wishes_;
};

} // namespace datum::iwarp
