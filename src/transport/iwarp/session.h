// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/session.h: one iWARP connection, from the MPA request to the last octet.
// Lives here: what happens at a change of state (session_state.h), and the order in which its parts
//             are asked. docs/design/iwarp.md shows how a socket drives it.
// Not here:   its parts: request and reply (startup.h), the kind of the peer (peer_detection.h),
//             what arrives (fpdu_decoder.h, inbound.h) or stops doing so (stall_timer.h), what
//             leaves (outbound.h, output_queue.h), both ends of the stream (ending.h); the
//             request that a Terminate blames (blame.h). Sockets,
//             clocks, threads: octets and the time come in, octets and events go out.
// Threads:    the adapter's lock. Events may call start(), start_now() and close(), and nothing
//             else; the session must outlive the call that they come from.
#pragma once

#include "transport/iwarp/ending.h"
#include "transport/iwarp/fpdu_decoder.h"
#include "transport/iwarp/inbound.h"
#include "transport/iwarp/outbound.h"
#include "transport/iwarp/output_queue.h"
#include "transport/iwarp/peer_detection.h"
#include "transport/iwarp/session_state.h"
#include "transport/iwarp/stall_timer.h"
#include "transport/iwarp/startup.h"

namespace datum::iwarp {

// What is decided outside a connection. Times bound what a silent peer can hold.
struct SessionSettings {
  bool crc = true;
  bool hello = true;          // tell peers of our own kind apart
  bool extensions = false;    // opcodes 8 to 11 from a peer that is not known to be our own
  bool own_extensions = true; // and from one that is: we say so in our Hello
  // How long a message waits for its Recv, if that was said; 0: not at all.
  std::optional<Duration> receive_timeout = std::nullopt;
  std::size_t most_unexpected = 64 * 1024; // of such messages, then TCP has to hold the peer
  std::size_t most_unsent = OutputQueue::kMostWaiting; // that TCP has not taken
  Duration request_timeout = 10 * kSecond;
  Duration first_fpdu_timeout = 60 * kSecond;
  Duration fpdu_timeout = 30 * kSecond; // an FPDU that has begun, and of which nothing more comes
  // So long, and two round trips, a peer to which our Hello has come may be silent before it is
  // asked whether it acknowledges.
  Duration hello_timeout = kSecond / 4;
  Duration end_timeout = 5 * kSecond; // our last octets, and the peer's end of the stream
  // RFC 5041 section 4.3 says 1. Two ends that both begin elsewhere come to the wrap at once.
  std::uint32_t first_msn = kFirstMsn;
};

enum class NoReply : std::uint8_t {
  Nothing, // the peer closed, or was lost, without a word: it may not know revision 2
           // (decision 403)
  Foreign, // what it says is no reply to this request
  NotHere, // one of our own kind: the port is not for that qualifier
};

class SessionEvents {
 public:
  // Responder: a whole request; accept() or reject() answers it, now or later.
  virtual void on_request() = 0;
  // Initiator: there will be no reply. True: another session will ask, again or elsewhere, and this
  // one reports nothing.
  virtual bool on_no_reply(NoReply) { return false; }
  // Initiator: there is one, whatever it says; what follows from it is reported next.
  virtual void on_reply() {}
  // Whether the peer's TCP has so many octets of this session.
  virtual bool has_arrived(std::uint64_t /*octets*/) const { return true; }
  // Or all that TCP was given, and the end of the stream if that was said.
  virtual bool all_has_arrived() const { return true; }
  // The connection has ended by itself: `events.on_closed(reason)` is to be called, now or later,
  // unless the session is closed before.
  virtual void on_end(ChannelEvents& events, CloseReason reason) { events.on_closed(reason); }

 protected:
  ~SessionEvents() = default;
};

class Session final : private StreamControl {
 public:
  Session(const SessionSettings& settings, ChunkPool& chunks, SessionEvents& owner);

  // --- startup -----------------------------------------------------------------------------------
  // Initiator, TCP being connected. `wishes.crc` is the settings' affair.
  void connect(Octets private_data, const Wishes& wishes, ChannelEvents& events, Instant now);
  // Responder, TCP being accepted.
  void expect_request(Instant now);
  // The peer's, from its request or reply on.
  Octets private_data() const { return startup_.private_data(); }
  const Terms& terms() const { return stream_.terms; }
  // There is memory for an answer: accept() sends one. A reject waits until there is.
  bool can_answer() { return startup_.can_send(); }
  // Never fails: when the peer has gone, on_connect_failed() follows from on_time().
  void accept(Octets private_data, const Wishes& wishes, ChannelEvents& events, Instant now);
  void reject(Octets private_data, Instant now);
  // Not by the consumer.
  void refuse(Refusal refusal, Instant now);

  std::size_t startup_size() const { return startup_.size(); } // of our request or reply

  // --- octets from TCP ---------------------------------------------------------------------------
  // Returns how much was taken; what is left is fed again after on_receive_posted() or accept().
  std::size_t feed(Octets octets, Instant now);
  // Where the next octets of the stream belong, in order; 0: feed() them. Valid until anything else
  // is called but placed().
  std::size_t places(std::span<Segment> out, Instant now);
  void placed(std::uint64_t octets, Instant now);
  // How much to ask the socket for: a header comes next; payload of the FPDU that is read, or was
  // last.
  bool at_header() const { return decoder_.at_header(); }
  std::uint64_t payload_size() const { return decoder_.payload_size(); }
  // Sends and Writes that have been placed, here and by the peer: modulo 2^32.
  std::uint32_t exchanged() const { return stream_.placed + outbound_.unfinished().acknowledged(); }
  void end_of_stream(Instant now); // FIN, after everything before it was fed
  // The FIN is behind octets that we do not take: messages wait for their Recvs no longer than set.
  void end_is_behind(Instant now);
  void lost(Instant now); // RST, or TCP gave up

  // --- octets to TCP -----------------------------------------------------------------------------
  // Something has to leave now.
  bool has_output() const;
  // An acknowledgement is due; it may wait until the turn is over, and leaves with anything else.
  bool owes_ack() const { return state_ == State::Full && outbound_.owes_ack(); }
  // The octets to send, in order, acknowledgements included; they stay valid until sent().
  std::size_t output(std::span<Octets> out, Instant now);
  void sent(std::size_t octets, Instant now);
  // The same within the call that started a request: nothing is built and nothing reported.
  // 0: there is nothing, TCP has a part of it, or something has to be found out first.
  std::size_t output_at_once(std::span<Octets> out) const;
  // True: there is something to tell of it, with tell_sent(), before anything else is called.
  bool sent_at_once(std::size_t octets);
  void tell_sent(Instant now);
  // The consumer has few requests outstanding, and may be waiting for each of them.
  bool is_awaited() const;
  // Everything has left that will: shut down that direction, then say so.
  bool wants_shutdown() const;
  void shut_down();
  // Nobody comes back to look: that direction is shut down now or never.
  void expect_nothing() { ending_.wait_no_longer(); }
  // So it was: only the peer's end is missing.
  bool has_shut_down() const { return state_ == State::Ending && ending_.has_shut_down(); }
  // The socket can be closed; `must_reset`: not in an orderly way.
  bool finished() const { return state_ == State::Ended; }
  bool must_reset() const { return ending_.must_reset(); }

  // --- requests ----------------------------------------------------------------------------------
  StartResult start(const WorkRequest& request);
  StartResult start_now(const WorkRequest& request);
  // What RFC 7306 has and the seam does not say: masks.
  StartResult start_extension(const OutboundRequest& request) { return start(request, false); }
  void on_receive_posted(Instant now);
  // The events are not called any more.
  void close(CloseMode mode, Instant now);

  // --- time --------------------------------------------------------------------------------------
  // When on_time() is to be called without any octets.
  Instant deadline() const;
  void on_time(Instant now);
  // How much TCP puts into one segment now, of which the largest FPDU follows: it may change.
  void set_segment_size(std::size_t octets);
  // As TCP has measured it; before the reply.
  void set_round_trip(Duration time) { detection_.set_round_trip(time); }
  bool peer_is_own() const { return stream_.peer == PeerKind::Own; }
  // Until then completions wait for that, whatever the peer has.
  bool peer_is_known() const { return stream_.peer != PeerKind::Undecided; }
  // Why it ended, for the log: what we said or were told.
  const std::optional<ErrorCode>& last_error() const { return ending_.last_error(); }
  bool last_error_is_ours() const { return ending_.last_error_is_ours(); }
  // The header of the peer's Terminate, if none may have that; it counted all the same
  // (decision 411).
  const std::optional<UntaggedHeader>& odd_terminate() const { return ending_.odd_terminate(); }

 private:
  using State = SessionState;
  using Change = SessionChange;

  void on(Change change);

  // --- startup
  std::size_t feed_startup(Octets octets);
  void on_request_frame();
  void on_reply_frame();
  void end_without_reply(NoReply why);
  void send_reject(Octets private_data);
  void enter_full(Change change);
  void establish();
  void fail_connect(ConnectFailure failure, PrivateData data = {});
  void end_for_lack_of_memory();
  bool hello_has_arrived() const;
  void on_hello_late();

  // --- full operation
  StartResult start(const OutboundRequest& request, bool within_call);
  void end_turn();

  // --- the end
  bool may_send_last_message(bool keep_copied);
  void answer_owed_reads();
  void begin_ending();
  void end_without_the_peer();
  void end_behind_the_peer();
  void abort(bool reset = true);
  void report_end(CloseReason reason);
  void stop_both_ways();

  // StreamControl
  void fail(const Terminate& terminate) override;
  void fail_request(RequestClass kind, DtoStatus status, std::uint32_t before) override;
  void on_terminate(const Terminate& terminate, const UntaggedHeader& header) override;
  void on_peer_close() override;
  void on_valid_fpdu() override { waiting_first_ = false; }
  void on_first_fpdu(const Hello* hello) override;

  const SessionSettings settings_;
  SessionEvents& owner_;
  State state_ = State::Idle;
  bool established_ = false;
  bool waiting_first_ = false; // responder: the peer has to speak first
  bool closing_ = false;       // our consumer has ended it, and is told nothing more
  bool holds_peer_ = false;    // there are octets that we do not take now
  std::optional<ConnectFailure> deferred_failure_;
  Instant deadline_ = kNever;    // of the state
  std::size_t segment_size_ = 0; // of TCP: as little as may be, until it is known

  Stream stream_;
  OutputQueue queue_;
  Outbound outbound_;
  Inbound inbound_;
  FpduDecoder decoder_;
  StallTimer stall_;
  Startup startup_;
  PeerDetection detection_;
  Ending ending_;
};

} // namespace datum::iwarp
