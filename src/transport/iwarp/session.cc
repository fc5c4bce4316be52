// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/iwarp/session.h"

#include <algorithm>
#include <cassert>

#include "transport/iwarp/blame.h"

namespace datum::iwarp {

Session::Session(const SessionSettings& settings, ChunkPool& chunks, SessionEvents& owner)
    : settings_(settings), owner_(owner), queue_(chunks, settings.most_unsent),
      outbound_(stream_, queue_, *this),
      inbound_(stream_, outbound_, *this, {settings.receive_timeout}), decoder_(inbound_),
      stall_(settings.fpdu_timeout), startup_(queue_, settings.crc),
      detection_(stream_, outbound_,
                 {settings.hello, settings.own_extensions, settings.hello_timeout}),
      ending_(settings.end_timeout), report_(stream_, owner) {}

void Session::on(Change change) {
  const std::optional<State> next = next_in(kSessionTable, state_, change);
  assert(next);
  if (!next) return;
  state_ = *next;
  ending_.wait_no_longer();
  deadline_ = kNever;
}

void Session::set_segment_size(std::size_t octets) {
  segment_size_ = octets;
  if (stream_.peer != PeerKind::Own)
    stream_.most_ulpdu = mulpdu(segment_size_, stream_.terms.markers);
}

// --- startup -------------------------------------------------------------------------------------

void Session::connect(Octets private_data, const Wishes& wishes, ChannelEvents& events,
                      Instant now) {
  stream_.now = now;
  report_.begin(events);
  if (!startup_.send_request(wishes, private_data)) {
    end_for_lack_of_memory();
    return;
  }
  // There is no deadline here: the consumer decides how long the reply may take.
  on(Change::Connect);
}

void Session::expect_request(Instant now) {
  stream_.now = now;
  on(Change::Expect);
  deadline_ = now + settings_.request_timeout;
}

// The failure is reported later, since the consumer is still in its call.
void Session::end_for_lack_of_memory() {
  abort();
  report_.fail_later();
}

std::size_t Session::feed_startup(Octets octets) {
  if (state_ == State::Asked) {
    // No octets may follow the request before it is answered.
    if (!octets.empty()) startup_.on_peer_gone();
    return octets.size();
  }
  const bool initiator = startup_.is_initiator();
  const Startup::Fed fed = startup_.feed(octets);
  switch (fed.step) {
  case StartupStep::Incomplete: break;
  case StartupStep::Whole: initiator ? on_reply_frame() : on_request_frame(); break;
  case StartupStep::Bad:
    if (initiator)
      end_without_reply(NoReply::Foreign);
    else
      fail_connect();
    break;
  case StartupStep::NoMemory: fail_connect(); break;
  }
  return fed.taken;
}

void Session::on_request_frame() {
  if (!startup_.is_request_acceptable()) {
    fail_connect();
    return;
  }
  stream_.terms = startup_.offered_terms();
  on(Change::RequestArrived);
  owner_.on_request();
}

void Session::accept(Octets private_data, const Wishes& wishes, ChannelEvents& events,
                     Instant now) {
  stream_.now = now;
  report_.begin(events);
  if (state_ != State::Asked || startup_.peer_is_gone()) {
    report_.fail_later();
    return;
  }
  stream_.terms = startup_.answered_terms(wishes);
  if (!startup_.send_reply(stream_.terms, private_data)) {
    end_for_lack_of_memory();
    return;
  }
  enter_full(Change::Accept);
  detection_.wait_for_first();
  inbound_.judge_first_at_its_end();
  if (stream_.terms.rtr == Rtr::Read) outbound_.responder().expect_rtr_read();
  if (stream_.terms.rtr == Rtr::Send) inbound_.expect_rtr_send();
  if (stream_.terms.peer_to_peer) deadline_ = now + settings_.first_fpdu_timeout;
}

// If the connection were closed without an answer, the peer would send its request again, in the
// older revision. So a reject that lacks memory for its frame waits for as long as an end may take.
void Session::reject(Octets private_data, Instant now) {
  stream_.now = now;
  if (state_ != State::Asked) return;
  deadline_ = now + settings_.end_timeout;
  if (startup_.peer_is_gone() || can_answer())
    send_reject(private_data);
  else
    startup_.keep_reject(private_data);
}

void Session::send_reject(Octets private_data) {
  if (startup_.peer_is_gone()) {
    on(Change::RejectTooLate);
    return;
  }
  const Instant deadline = deadline_;
  startup_.send_reject(private_data);
  on(Change::Reject);
  deadline_ = deadline;
}

void Session::refuse(Refusal refusal, Instant now) {
  std::byte octets[kRefusalSize];
  WireWriter out(octets);
  encode(refusal, out);
  reject(octets, now);
}

void Session::end_without_reply(NoReply why) {
  if (owner_.on_no_reply(why))
    abort();
  else
    fail_connect();
}

void Session::enter_full(Change change) {
  const Terms& terms = stream_.terms;
  queue_.begin_full_operation(terms.crc, terms.markers);
  decoder_.begin(terms.crc);
  stream_.most_unexpected = settings_.most_unexpected;
  stream_.takes_extensions = stream_.peer_takes_extensions = settings_.extensions;
  stream_.most_ulpdu = mulpdu(segment_size_, terms.markers);
  outbound_.begin(settings_.first_msn);
  inbound_.begin(settings_.first_msn);
  on(change);
}

void Session::on_reply_frame() {
  const ReplyResult result = startup_.result();
  if (result.kind == ReplyKind::Unusable || result.kind == ReplyKind::NotHere) {
    const bool elsewhere = result.kind == ReplyKind::NotHere;
    end_without_reply(elsewhere ? NoReply::NotHere : NoReply::Foreign);
    return;
  }
  owner_.on_reply();
  if (result.kind == ReplyKind::Refused) {
    fail_connect();
    return;
  }
  if (result.kind == ReplyKind::Rejected) {
    fail_connect(ConnectFailure::PeerRejected, startup_.private_data());
    return;
  }
  stream_.terms = result.terms;
  enter_full(Change::ReplyArrived);
  if (result.kind == ReplyKind::Terminate) {
    fail(make_terminate(result.error));
    return;
  }
  if (!outbound_.ready()) {
    fail_connect();
    return;
  }
  detection_.speak_first();
  establish();
}

void Session::establish() {
  deadline_ = kNever;
  report_.establish(startup_.is_initiator() ? startup_.private_data() : Octets());
}

void Session::fail_connect(ConnectFailure failure, PrivateData data) {
  // The peer would understand no message of this side, so the socket is reset. After a reject no
  // message is missing, and the end is orderly.
  abort(!startup_.was_rejected());
  report_.fail(failure, data);
}

void Session::on_first_fpdu(const Hello* hello) {
  if (!detection_.hear_first(hello)) {
    fail(make_terminate(error::kLocal));
    return;
  }
  if (!report_.is_established() && state_ == State::Full) establish();
  if (state_ == State::Full) outbound_.give_room();
}

// True: our Hello is at the peer's TCP.
bool Session::hello_has_arrived() const {
  return owner_.has_arrived(startup_.size() + PeerDetection::kHelloSize);
}

void Session::on_hello_late() {
  if (ending_.peer_has_ended())
    end_behind_the_peer();
  else
    detection_.on_time(hello_has_arrived());
}

// --- octets from TCP -----------------------------------------------------------------------------

std::size_t Session::feed(Octets octets, Instant now) {
  stream_.now = now;
  const std::size_t given = octets.size();
  while (state_ == State::WaitReply || state_ == State::WaitRequest || state_ == State::Asked) {
    if (octets.empty()) return given;
    octets = octets.subspan(feed_startup(octets));
  }
  if (state_ == State::Full) {
    octets = octets.subspan(decoder_.feed(octets));
    holds_peer_ = !octets.empty();
    end_turn();
  }
  // Octets that come after the end are thrown away.
  return state_ == State::Full ? given - octets.size() : given;
}

std::size_t Session::places(std::span<Segment> out, Instant now) {
  stream_.now = now;
  return state_ == State::Full ? decoder_.places(out) : 0;
}

void Session::placed(std::uint64_t octets, Instant now) {
  stream_.now = now;
  if (state_ != State::Full) return;
  decoder_.placed(octets);
  end_turn();
}

void Session::end_turn() {
  inbound_.end_of_turn();
  stall_.on_octets(stream_.now, decoder_.at_boundary());
  // A Read that was answered makes room for the next one.
  if (state_ == State::Full) outbound_.give_room();
}

void Session::end_of_stream(Instant now) {
  stream_.now = now;
  if (!ending_.on_peer_end()) return;
  switch (state_) {
  case State::WaitReply:
  case State::WaitRequest:
  case State::Asked: lost(now); return;
  case State::Full: break;
  case State::Ending:
    if (ending_.has_shut_down()) on(Change::EndBothWays);
    return;
  case State::Idle:
  case State::Ended: return;
  }
  if (!report_.is_established()) {
    fail_connect();
    return;
  }
  end_behind_the_peer();
}

void Session::end_is_behind(Instant now) {
  stream_.now = now;
  if (state_ == State::Full) inbound_.must_end();
}

void Session::end_behind_the_peer() {
  if (stream_.peer == PeerKind::Undecided &&
      !detection_.hear_end(decoder_.at_boundary(), startup_.is_for_own_kind(), hello_has_arrived()))
    return;
  if (state_ != State::Full) return;
  // An own peer announces an orderly end. A foreign peer cannot, so an end between two messages
  // counts as orderly (decision 413).
  const bool orderly = stream_.peer != PeerKind::Own && decoder_.at_boundary() &&
                       !inbound_.message_under_way() && outbound_.reads().of_consumer() == 0;
  if (may_send_last_message(true)) begin_ending();
  report_.end(orderly ? CloseReason::Disconnected : CloseReason::Broken);
}

void Session::lost(Instant now) {
  stream_.now = now;
  switch (state_) {
  case State::WaitReply:
    end_without_reply(startup_.has_heard_nothing() ? NoReply::Nothing : NoReply::Foreign);
    return;
  case State::Asked: startup_.on_peer_gone(); return;
  case State::Full:
    if (!report_.is_established()) {
      fail_connect();
      return;
    }
    abort();
    report_.end(CloseReason::Broken);
    return;
  case State::Idle:
  case State::WaitRequest:
  case State::Ending:
  case State::Ended: abort(); return;
  }
}

// --- octets to TCP -------------------------------------------------------------------------------

bool Session::has_output() const {
  if (state_ == State::Ended) return false;
  return !queue_.empty() || (state_ == State::Full && outbound_.has_work());
}

std::size_t Session::output(std::span<Octets> out, Instant now) {
  stream_.now = now;
  if (state_ == State::Full) {
    // The waiting FPDUs refer to memory that may have gone since.
    if (!queue_.empty() && !outbound_.sources_hold()) {
      outbound_.fail_without_memory();
      abort();
      report_.end(CloseReason::Broken);
      return 0;
    }
    outbound_.fill();
    // More requests may leave with the same system call. In a call for a single message each octet
    // costs half as much again.
    if (state_ == State::Full) outbound_.give_room();
  }
  return queue_.gather(out);
}

void Session::sent(std::size_t octets, Instant now) {
  stream_.now = now;
  if (queue_.empty()) return;
  const std::uint32_t completed = queue_.sent(octets);
  if (startup_.is_leaving()) {
    startup_.on_sent(octets);
    // In client-server mode the responder need not wait for an FPDU (decision 402).
    const bool left = !startup_.is_leaving();
    if (left && state_ == State::Full && !report_.is_established() && !stream_.terms.peer_to_peer)
      establish();
  }
  if (state_ != State::Full) return;
  outbound_.unfinished().on_sent(completed);
  outbound_.unfinished().tell_sent();
  if (state_ == State::Full) outbound_.give_room();
}

std::size_t Session::output_at_once(std::span<Octets> out) const {
  const bool may = state_ == State::Full && report_.is_established() && !startup_.is_leaving();
  return may && !queue_.is_sent_in_part() && outbound_.sources_hold() ? queue_.gather(out) : 0;
}

bool Session::sent_at_once(std::size_t octets) {
  outbound_.unfinished().on_sent(queue_.sent(octets));
  return stream_.peer == PeerKind::Foreign;
}

void Session::tell_sent(Instant now) {
  stream_.now = now;
  if (state_ == State::Full) outbound_.unfinished().tell_sent();
}

bool Session::wants_shutdown() const {
  if (state_ != State::Ending || ending_.has_shut_down() || !queue_.empty()) return false;
  return !ending_.must_wait() || owner_.all_has_arrived();
}

void Session::shut_down() {
  ending_.on_shut_down();
  if (ending_.peer_has_ended()) on(Change::EndBothWays);
}

// --- requests ------------------------------------------------------------------------------------

StartResult Session::start(const OutboundRequest& request, bool within_call) {
  if (state_ != State::Full) return StartResult::Later;
  return outbound_.start(request, within_call);
}

StartResult Session::start(const WorkRequest& request) {
  return start(to_request(request), false);
}

StartResult Session::start_now(const WorkRequest& request) {
  return start(to_request(request), true);
}

void Session::on_receive_posted(Instant now) {
  stream_.now = now;
  if (state_ == State::Full) inbound_.on_receive_posted();
}

// --- the end -------------------------------------------------------------------------------------

void Session::stop_both_ways() {
  decoder_.stop();
  stream_.ended = true;
}

void Session::abort(bool reset) {
  stop_both_ways();
  queue_.drop_all();
  on(Change::Abort);
  ending_.abort(reset);
}

// From here on no FPDU is begun. The FPDU that TCP has a part of is finished. False: it cannot be
// finished, so the connection is aborted.
bool Session::may_send_last_message(bool keep_copied) {
  const bool readable = outbound_.begun_source_holds();
  stop_both_ways();
  // A reply that still waits for TCP is copied, so only `keep_copied` keeps it in the queue.
  if (readable && (!startup_.is_leaving() || keep_copied) && queue_.end_after_begun(keep_copied) &&
      queue_.ready())
    return true;
  abort();
  return false;
}

void Session::begin_ending() {
  on(Change::SendLastMessage);
  deadline_ = ending_.begin(stream_.now);
  queue_.rest(); // there may be no last message
}

// If TCP is still sending our last octets, the socket is not reset: a reset would discard them, and
// TCP does not repeat a reset that gets lost.
void Session::end_without_the_peer() {
  const bool on_its_way = ending_.has_shut_down() && !owner_.all_has_arrived();
  abort(!on_its_way);
}

void Session::fail(const Terminate& terminate) {
  if (state_ != State::Full || closing_) return;
  ending_.on_own_error(terminate.error);
  if (detection_.waits_for_first()) {
    // No FPDU of the peer has been valid, so this side may send none (decision 402). An orderly end
    // would say that nothing was wrong.
    abort();
    report_.end(CloseReason::Broken);
    return;
  }
  // Reads that were accepted before have not failed: they are answered before the Terminate.
  outbound_.answer_before_the_end();
  if (state_ != State::Full) return;
  if (may_send_last_message(true)) {
    outbound_.send_last(terminate);
    begin_ending();
  }
  report_.end(CloseReason::Broken);
}

void Session::fail_request(RequestClass kind, DtoStatus status, std::uint32_t before) {
  if (state_ != State::Full) return;
  ChannelEvents* events = stream_.events;
  events->on_request_failed(kind, status, before);
  fail(make_terminate(error::kLocal)); // as far as the peer knows, it did nothing wrong
}

void Session::on_terminate(const Terminate& terminate, const UntaggedHeader& header) {
  if (state_ != State::Full) return;
  ending_.on_peer_error(terminate.error, header);
  if (!report_.is_established()) {
    fail_connect();
    return;
  }
  if (const auto blamed = blamed_by(terminate, outbound_.unfinished(), outbound_.reads()))
    stream_.events->on_request_failed(blamed->kind, blamed->status, blamed->before);
  if (state_ != State::Full) return;
  // A Terminate is never answered (decision 411).
  if (may_send_last_message(false)) begin_ending();
  report_.end(CloseReason::Broken);
}

void Session::on_peer_close() {
  if (may_send_last_message(false)) begin_ending();
  report_.end(CloseReason::Disconnected);
}

// Reads that were accepted before an orderly end are answered (decision 413). It has to happen
// here: the memory that they name may go once close() returns.
void Session::answer_owed_reads() {
  closing_ = true; // a Read that cannot be answered any more ends without a report
  outbound_.answer_before_the_end();
}

void Session::close(CloseMode mode, Instant now) {
  stream_.now = now;
  if (state_ == State::Full && mode == CloseMode::Disconnect) answer_owed_reads();
  const bool full = state_ == State::Full;
  // Before the first FPDU of the initiator the responder may not send even a Terminate
  // (RFC 5044 section 7.1.2).
  const bool mute = detection_.waits_for_first() && mode == CloseMode::Abort;
  if (full && !mute && may_send_last_message(true)) {
    if (mode == CloseMode::Abort)
      outbound_.send_last(make_terminate(error::kLocal));
    else if (stream_.peer != PeerKind::Foreign) // an undecided peer may be an own peer
      outbound_.send_close();
    begin_ending();
    // An initiator that has sent no FPDU yet may be an own peer. To an own peer an early end says
    // that nothing was placed.
    const bool foreign = stream_.peer == PeerKind::Foreign && !detection_.waits_for_first();
    // siw ends its queue pair as soon as its TCP has seen the end of the stream. If that end comes
    // in one segment with data, siw has not read the data yet. So the end is sent when the data
    // have arrived.
    if (mode == CloseMode::Disconnect && foreign) ending_.wait_for_arrival(now);
  } else if (state_ != State::Ending && state_ != State::Ended) {
    // In WaitReply the end is orderly: the peer may have replied meanwhile, and wait for our first
    // FPDU. TCP does not repeat a reset that gets lost, but it repeats the end of the stream.
    abort(state_ != State::WaitReply);
  }
  report_.stop();
}

// --- time ----------------------------------------------------------------------------------------

Instant Session::deadline() const {
  if (report_.has_to_fail()) return stream_.now;
  if (startup_.has_kept_reject() && state_ == State::Asked)
    return startup_.peer_is_gone() ? stream_.now : std::min(deadline_, stream_.now + kMillisecond);
  if (state_ != State::Full) return std::min(deadline_, ending_.next_look());
  const Instant retry = outbound_.lacks_room() ? stream_.now + kMillisecond : kNever;
  return std::min(
      {deadline_, detection_.deadline(), stall_.deadline(), inbound_.deadline(), retry});
}

void Session::on_time(Instant now) {
  stream_.now = now;
  if (report_.has_to_fail()) {
    fail_connect();
    return;
  }
  if (startup_.has_kept_reject() && state_ == State::Asked &&
      (startup_.peer_is_gone() || can_answer()))
    send_reject(startup_.private_data());
  if (now >= deadline_) {
    // In State::Full this deadline is for the peer's first FPDU.
    if (state_ == State::Full || state_ == State::WaitRequest)
      fail_connect();
    else
      end_without_the_peer();
    return;
  }
  if (now >= ending_.next_look()) ending_.wait_for_arrival(now);
  if (state_ != State::Full) return;
  if (now >= detection_.deadline()) on_hello_late();
  if (state_ == State::Full) inbound_.on_time();
  if (state_ == State::Full && now >= stall_.deadline() &&
      stall_.on_time(now, decoder_.at_boundary(), holds_peer_))
    fail(make_terminate(error::kStreamLost));
  if (state_ == State::Full && outbound_.lacks_room()) outbound_.fill();
}

} // namespace datum::iwarp
