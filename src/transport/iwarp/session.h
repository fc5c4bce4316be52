// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/session.h: one iWARP connection, from the MPA request to the last octet.
// Lives here: what happens at a change of state (session_state.h), and the order in which the parts
//             of a session are called. docs/design/iwarp.md shows how a socket drives a session.
// Not here:   its parts: request and reply (startup.h), the kind of the peer (peer_detection.h),
//             octets that arrive (fpdu_decoder.h, inbound.h) or stop arriving (stall_timer.h),
//             octets that leave (outbound.h, output_queue.h), the ends of the stream (ending.h),
//             the request that a Terminate blames (blame.h), what the consumer is told of the
//             connection (connection_report.h). A session knows no socket, clock or thread: its
//             callers bring octets and the time, and take octets and events.
// Threads:    the adapter's lock. Events may call start(), start_now() and close(), and nothing
//             else. The session must outlive the call that the event comes from.
#pragma once

#include "transport/iwarp/connection_report.h"
#include "transport/iwarp/ending.h"
#include "transport/iwarp/fpdu_decoder.h"
#include "transport/iwarp/inbound.h"
#include "transport/iwarp/outbound.h"
#include "transport/iwarp/output_queue.h"
#include "transport/iwarp/peer_detection.h"
#include "transport/iwarp/session_events.h"
#include "transport/iwarp/session_state.h"
#include "transport/iwarp/stall_timer.h"
#include "transport/iwarp/startup.h"

namespace datum::iwarp {

// What is decided outside a connection. The times limit how long a silent peer can hold resources.
struct SessionSettings {
  bool crc = true;
  bool hello = true;       // send a Hello, to recognise own peers
  bool extensions = false; // take opcodes 8 to 11 from a peer that is not known to be an own peer
  bool own_extensions = true; // take them from an own peer, and say so in our Hello
  // How long a message waits for its Recv; 0: not at all; nullopt: the user has set no time.
  std::optional<Duration> receive_timeout = std::nullopt;
  std::size_t most_unexpected = 64 * 1024; // octets of messages without a Recv; TCP holds the rest
  std::size_t most_unsent = OutputQueue::kMostWaiting; // octets that TCP has not taken
  Duration request_timeout = 10 * kSecond;
  Duration first_fpdu_timeout = 60 * kSecond;
  Duration fpdu_timeout = 30 * kSecond; // for an FPDU that has begun and does not go on
  Duration hello_timeout = kSecond / 4; // HelloSettings::timeout
  Duration end_timeout = 5 * kSecond;   // for our last octets and the peer's end of the stream
  // RFC 5041 section 4.3 says 1. Tests let both sides begin elsewhere, to come to the wrap at once.
  std::uint32_t first_msn = kFirstMsn;
};

class Session final : private StreamControl {
 public:
  Session(const SessionSettings& settings, ChunkPool& chunks, SessionEvents& owner);

  // --- startup -----------------------------------------------------------------------------------
  // Initiator, when TCP is connected. `wishes.crc` is ignored: the settings decide.
  void connect(Octets private_data, const Wishes& wishes, ChannelEvents& events, Instant now);
  // Responder, when TCP is accepted.
  void expect_request(Instant now);
  // The peer's private data, once its request or reply is whole.
  Octets private_data() const { return startup_.private_data(); }
  const Terms& terms() const { return stream_.terms; }
  // True: there is memory for an answer, as accept() needs it. A reject waits until there is.
  bool can_answer() { return startup_.can_send(); }
  // Never fails. If the peer has gone, on_time() calls on_connect_failed() later.
  void accept(Octets private_data, const Wishes& wishes, ChannelEvents& events, Instant now);
  void reject(Octets private_data, Instant now);
  // A reject by the provider.
  void refuse(Refusal refusal, Instant now);

  std::size_t startup_size() const { return startup_.size(); } // the size of our request or reply

  // --- octets from TCP ---------------------------------------------------------------------------
  // Returns how many octets were taken. The caller feeds the rest again after on_receive_posted()
  // or accept().
  std::size_t feed(Octets octets, Instant now);
  // Where the next octets of the stream belong, in order; 0: feed() them. The places are valid
  // until another function than placed() is called.
  std::size_t places(std::span<Segment> out, Instant now);
  void placed(std::uint64_t octets, Instant now);
  // For the decision how much to read from the socket. True: a header comes next.
  bool at_header() const { return decoder_.at_header(); }
  // The payload size of the FPDU that is being read, or else of the last one.
  std::uint64_t payload_size() const { return decoder_.payload_size(); }
  // How many Sends and Writes this side and the peer have placed, modulo 2^32.
  std::uint32_t exchanged() const { return stream_.placed + outbound_.unfinished().acknowledged(); }
  void end_of_stream(Instant now); // FIN, after everything before it was fed
  // The FIN is behind octets that this side does not take. Messages no longer wait for their Recvs
  // without a limit.
  void end_is_behind(Instant now);
  void lost(Instant now); // RST, or TCP gave up

  // --- octets to TCP -----------------------------------------------------------------------------
  // True: octets have to leave now.
  bool has_output() const;
  // True: an acknowledgement is due. It may wait until the turn is over, or leave with other
  // octets.
  bool owes_ack() const { return state_ == State::Full && outbound_.owes_ack(); }
  // The octets to send, in order, including acknowledgements. They stay valid until sent().
  std::size_t output(std::span<Octets> out, Instant now);
  void sent(std::size_t octets, Instant now);
  // As output(), for the call that started a request: builds no FPDU and reports nothing. 0: there
  // are no octets, TCP has a part of them, or only output() may send them.
  std::size_t output_at_once(std::span<Octets> out) const;
  // As sent(), but reports nothing. True: the caller has to call tell_sent() before it calls
  // anything else.
  bool sent_at_once(std::size_t octets);
  void tell_sent(Instant now);
  // True: the consumer has few requests outstanding, and may be waiting for each of them.
  bool is_awaited() const { return outbound_.is_awaited(); }
  // True: our last octets have left. The caller has to shut down the sending side of the socket,
  // and then to call shut_down().
  bool wants_shutdown() const;
  void shut_down();
  // The caller will not come back. So the end of our stream no longer waits for acknowledgements.
  void expect_nothing() { ending_.wait_no_longer(); }
  // True: our stream has ended, and only the peer's end is missing.
  bool has_shut_down() const { return state_ == State::Ending && ending_.has_shut_down(); }
  // True: the socket can be closed. must_reset(): closing must reset the connection.
  bool finished() const { return state_ == State::Ended; }
  bool must_reset() const { return ending_.must_reset(); }

  // --- requests ----------------------------------------------------------------------------------
  StartResult start(const WorkRequest& request);
  StartResult start_now(const WorkRequest& request);
  // For Atomics with masks, which RFC 7306 has and a WorkRequest lacks.
  StartResult start_extension(const OutboundRequest& request) { return start(request, false); }
  void on_receive_posted(Instant now);
  // From here on no ChannelEvents are called.
  void close(CloseMode mode, Instant now);

  // --- time --------------------------------------------------------------------------------------
  // When on_time() is to be called without any octets.
  Instant deadline() const;
  void on_time(Instant now);
  // How much TCP puts into one segment now, which may change. The largest FPDU follows from it.
  void set_segment_size(std::size_t octets);
  // As TCP has measured it. Call it before the reply comes.
  void set_round_trip(Duration time) { detection_.set_round_trip(time); }
  bool peer_is_own() const { return stream_.peer == PeerKind::Own; }
  // False: completions wait until it is known whether the peer is an own or a foreign one.
  bool peer_is_known() const { return stream_.peer != PeerKind::Undecided; }
  // For the log: the error that ended the connection, as this side or the peer has named it.
  const std::optional<ErrorCode>& last_error() const { return ending_.last_error(); }
  bool last_error_is_ours() const { return ending_.last_error_is_ours(); }
  // The header of the peer's Terminate, if no Terminate may have such a header. The Terminate
  // counted all the same (decision 411).
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
  void fail_connect(ConnectFailure failure = ConnectFailure::NonPeerRejected,
                    PrivateData data = {});
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
  void stop_both_ways();

  // StreamControl
  void fail(const Terminate& terminate) override;
  void fail_request(RequestClass kind, DtoStatus status, std::uint32_t before) override;
  void on_terminate(const Terminate& terminate, const UntaggedHeader& header) override;
  void on_peer_close() override;
  void on_valid_fpdu() override { detection_.stop_waiting(); }
  void on_first_fpdu(const Hello* hello) override;

  const SessionSettings settings_;
  SessionEvents& owner_;
  State state_ = State::Idle;
  bool closing_ = false;         // our consumer has ended the connection, and gets no more reports
  bool holds_peer_ = false;      // there are octets that this side does not take now
  Instant deadline_ = kNever;    // of the state
  std::size_t segment_size_ = 0; // of TCP; 0, which means the smallest FPDUs, until it is known

  Stream stream_;
  OutputQueue queue_;
  Outbound outbound_;
  Inbound inbound_;
  FpduDecoder decoder_;
  StallTimer stall_;
  Startup startup_;
  PeerDetection detection_;
  Ending ending_;
  ConnectionReport report_;
};

} // namespace datum::iwarp
