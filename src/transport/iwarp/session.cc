// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/iwarp/session.h"

#include <algorithm>
#include <cassert>

#include "transport/iwarp/blame.h"

namespace datum::iwarp {
namespace {

// Whoever has more than so many requests outstanding waits for none of them, and many together cost
// less.
constexpr std::size_t kAwaited = 4;

} // namespace

Session::Session(const SessionSettings& settings, ChunkPool& chunks, SessionEvents& owner)
    : settings_(settings), owner_(owner), queue_(chunks, settings.most_unsent),
      outbound_(stream_, queue_, *this),
      inbound_(stream_, outbound_, *this, {settings.receive_timeout}), decoder_(inbound_),
      stall_(settings.fpdu_timeout), startup_(queue_, settings.crc),
      detection_(stream_, outbound_,
                 {settings.hello, settings.own_extensions, settings.hello_timeout}),
      ending_(settings.end_timeout) {}

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
  stream_.events = &events;
  if (!startup_.send_request(wishes, private_data)) {
    end_for_lack_of_memory();
    return;
  }
  // How long the reply may take is the consumer's affair.
  on(Change::Connect);
}

void Session::expect_request(Instant now) {
  stream_.now = now;
  on(Change::Expect);
  deadline_ = now + settings_.request_timeout;
}

// What the consumer is told has to wait: it is in the call.
void Session::end_for_lack_of_memory() {
  abort();
  deferred_failure_ = ConnectFailure::NonPeerRejected;
}

std::size_t Session::feed_startup(Octets octets) {
  if (state_ == State::Asked) {
    // Nothing may follow the request before it is answered.
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
      fail_connect(ConnectFailure::NonPeerRejected);
    break;
  case StartupStep::NoMemory: fail_connect(ConnectFailure::NonPeerRejected); break;
  }
  return fed.taken;
}

void Session::on_request_frame() {
  if (!startup_.is_request_acceptable()) {
    fail_connect(ConnectFailure::NonPeerRejected);
    return;
  }
  stream_.terms = startup_.offered_terms();
  on(Change::RequestArrived);
  owner_.on_request();
}

void Session::accept(Octets private_data, const Wishes& wishes, ChannelEvents& events,
                     Instant now) {
  stream_.now = now;
  stream_.events = &events;
  if (state_ != State::Asked || startup_.peer_is_gone()) {
    deferred_failure_ = ConnectFailure::NonPeerRejected;
    return;
  }
  stream_.terms = startup_.answered_terms(wishes);
  if (!startup_.send_reply(stream_.terms, private_data)) {
    end_for_lack_of_memory();
    return;
  }
  enter_full(Change::Accept);
  waiting_first_ = true;
  outbound_.hold();
  inbound_.judge_first_at_its_end();
  if (stream_.terms.rtr == Rtr::Read) outbound_.responder().expect_rtr_read();
  if (stream_.terms.rtr == Rtr::Send) inbound_.expect_rtr_send();
  if (stream_.terms.peer_to_peer) deadline_ = now + settings_.first_fpdu_timeout;
}

// A peer that is closed without an answer would ask again, in the older revision. So a reject that
// lacks memory for the frame waits as long as an end may take.
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
    fail_connect(ConnectFailure::NonPeerRejected);
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
    fail_connect(ConnectFailure::NonPeerRejected);
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
    fail_connect(ConnectFailure::NonPeerRejected);
    return;
  }
  detection_.speak_first();
  establish();
}

void Session::establish() {
  established_ = true;
  deadline_ = kNever;
  stream_.events->on_established(startup_.is_initiator() ? startup_.private_data() : Octets(),
                                 stream_.terms.reads_out);
}

void Session::fail_connect(ConnectFailure failure, PrivateData data) {
  ChannelEvents* events = stream_.events;
  // Nothing of what we could say would be understood, or it has been said.
  abort(!startup_.was_rejected());
  if (events != nullptr) events->on_connect_failed(failure, data);
}

void Session::on_first_fpdu(const Hello* hello) {
  const bool is_own = detection_.hear_first(hello);
  if (waiting_first_) {
    waiting_first_ = false;
    // Ours answers with its own first FPDU; only then may anything else leave.
    if (is_own) {
      if (!outbound_.ready()) {
        fail(make_terminate(error::kLocal));
        return;
      }
      detection_.answer_hello();
    }
    outbound_.release();
  }
  detection_.decide(is_own ? PeerKind::Own : PeerKind::Foreign);
  if (!established_ && state_ == State::Full) establish();
  if (state_ == State::Full) outbound_.give_room();
}

// Ours, at the peer's TCP.
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
  // What comes after the end is thrown away.
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
  // An answered Read makes room for the next.
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
  if (!established_) {
    fail_connect(ConnectFailure::NonPeerRejected);
    return;
  }
  end_behind_the_peer();
}

void Session::end_is_behind(Instant now) {
  stream_.now = now;
  if (state_ == State::Full) inbound_.must_end();
}

void Session::end_behind_the_peer() {
  const bool mute = stream_.peer == PeerKind::Undecided && decoder_.at_boundary();
  if (mute && startup_.is_for_own_kind() && !hello_has_arrived()) {
    detection_.look_for_reset();
    return;
  }
  // Who ended before our Hello came has placed nothing, of whichever kind it is.
  if (stream_.peer == PeerKind::Undecided && !startup_.is_for_own_kind() && hello_has_arrived())
    detection_.decide(PeerKind::Foreign);
  if (state_ != State::Full) return;
  // A peer of ours announces an orderly end; of others, one between messages has to do
  // (decision 413).
  const bool orderly = stream_.peer != PeerKind::Own && decoder_.at_boundary() &&
                       !inbound_.message_under_way() && outbound_.reads().of_consumer() == 0;
  if (may_send_last_message(true)) begin_ending();
  report_end(orderly ? CloseReason::Disconnected : CloseReason::Broken);
}

void Session::lost(Instant now) {
  stream_.now = now;
  switch (state_) {
  case State::WaitReply:
    end_without_reply(startup_.has_heard_nothing() ? NoReply::Nothing : NoReply::Foreign);
    return;
  case State::Asked: startup_.on_peer_gone(); return;
  case State::Full:
    if (!established_) {
      fail_connect(ConnectFailure::NonPeerRejected);
      return;
    }
    abort();
    report_end(CloseReason::Broken);
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
    // What TCP took a part of names memory that may have gone since.
    if (!queue_.empty() && !outbound_.sources_hold()) {
      outbound_.fail_without_memory();
      abort();
      report_end(CloseReason::Broken);
      return 0;
    }
    outbound_.fill();
    // What comes next goes along: a call for one message costs its octets half as much again.
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
    // Client-server: the responder has nothing to wait for (decision 402).
    const bool left = !startup_.is_leaving();
    if (left && state_ == State::Full && !established_ && !stream_.terms.peer_to_peer) establish();
  }
  if (state_ != State::Full) return;
  outbound_.unfinished().on_sent(completed);
  outbound_.unfinished().tell_sent();
  if (state_ == State::Full) outbound_.give_room();
}

bool Session::is_awaited() const {
  return outbound_.outstanding() <= kAwaited;
}

std::size_t Session::output_at_once(std::span<Octets> out) const {
  const bool may = state_ == State::Full && established_ && !startup_.is_leaving();
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

// Nothing is begun any more; what TCP has a part of is finished. False: that cannot be.
bool Session::may_send_last_message(bool keep_copied) {
  const bool readable = outbound_.begun_source_holds();
  stop_both_ways();
  // A reply that still waits for TCP is copied, too.
  if (readable && (!startup_.is_leaving() || keep_copied) && queue_.end_after_begun(keep_copied) &&
      queue_.ready())
    return true;
  abort();
  return false;
}

void Session::begin_ending() {
  on(Change::SendLastMessage);
  deadline_ = ending_.begin(stream_.now);
  queue_.rest(); // there may be no last words
}

// What TCP is still sending, a reset would take back; and a reset is not sent again.
void Session::end_without_the_peer() {
  const bool on_its_way = ending_.has_shut_down() && !owner_.all_has_arrived();
  abort(!on_its_way);
}

void Session::report_end(CloseReason reason) {
  ChannelEvents* events = stream_.events;
  stream_.events = nullptr;
  if (events == nullptr) return;
  if (established_)
    owner_.on_end(*events, reason);
  else
    events->on_connect_failed(ConnectFailure::NonPeerRejected, {});
}

void Session::fail(const Terminate& terminate) {
  if (state_ != State::Full || closing_) return;
  ending_.on_own_error(terminate.error);
  if (waiting_first_) {
    // No FPDU of the peer has been valid, so none may be sent (decision 402); an end in order would
    // say that nothing was wrong.
    abort();
    report_end(CloseReason::Broken);
    return;
  }
  // Reads that were accepted before have not failed: they are answered before the Terminate.
  outbound_.answer_before_the_end();
  if (state_ != State::Full) return;
  if (may_send_last_message(true)) {
    // And how far everything went: what was placed has not failed, either.
    outbound_.send_last_ack();
    outbound_.send_last(terminate);
    begin_ending();
  }
  report_end(CloseReason::Broken);
}

void Session::fail_request(RequestClass kind, DtoStatus status, std::uint32_t before) {
  if (state_ != State::Full) return;
  ChannelEvents* events = stream_.events;
  events->on_request_failed(kind, status, before);
  fail(make_terminate(error::kLocal)); // the peer did nothing wrong that it knows of
}

void Session::on_terminate(const Terminate& terminate, const UntaggedHeader& header) {
  if (state_ != State::Full) return;
  ending_.on_peer_error(terminate.error, header);
  if (!established_) {
    fail_connect(ConnectFailure::NonPeerRejected);
    return;
  }
  if (const auto blamed = blamed_by(terminate, outbound_.unfinished(), outbound_.reads()))
    stream_.events->on_request_failed(blamed->kind, blamed->status, blamed->before);
  if (state_ != State::Full) return;
  // Never answered (decision 411).
  if (may_send_last_message(false)) begin_ending();
  report_end(CloseReason::Broken);
}

void Session::on_peer_close() {
  if (may_send_last_message(false)) begin_ending();
  report_end(CloseReason::Disconnected);
}

// Reads that were accepted before an end in order are answered (decision 413), while the memory
// they name is there still: once close() returns it may go.
void Session::answer_owed_reads() {
  closing_ = true; // a Read that cannot be answered any more ends without a report
  outbound_.answer_before_the_end();
}

void Session::close(CloseMode mode, Instant now) {
  stream_.now = now;
  deferred_failure_.reset();
  if (state_ == State::Full && mode == CloseMode::Disconnect) answer_owed_reads();
  const bool full = state_ == State::Full;
  // Before the initiator has spoken, the responder may not say even this
  // (RFC 5044 section 7.1.2).
  const bool mute = waiting_first_ && mode == CloseMode::Abort;
  if (full && !mute && may_send_last_message(true)) {
    outbound_.send_last_ack();
    if (mode == CloseMode::Abort)
      outbound_.send_last(make_terminate(error::kLocal));
    else if (stream_.peer != PeerKind::Foreign) // one that is not known yet may be our own
      outbound_.send_close();
    begin_ending();
    // One that has not spoken may be our own, and knows by an early end that nothing was placed.
    const bool foreign = stream_.peer == PeerKind::Foreign && !waiting_first_;
    // siw ends its queue pair as soon as its TCP has seen the end of the stream, which the end that
    // comes in one segment with data is before these are read. So it comes behind them.
    if (mode == CloseMode::Disconnect && foreign) ending_.wait_for_arrival(now);
  } else if (state_ != State::Ending && state_ != State::Ended) {
    // Whose reply has come meanwhile says nothing more, and a reset that is lost is not sent again;
    // the end of the stream is.
    abort(state_ != State::WaitReply);
  }
  stream_.events = nullptr;
}

// --- time ----------------------------------------------------------------------------------------

Instant Session::deadline() const {
  if (deferred_failure_) return stream_.now;
  if (startup_.has_kept_reject() && state_ == State::Asked)
    return startup_.peer_is_gone() ? stream_.now : std::min(deadline_, stream_.now + kMillisecond);
  if (state_ != State::Full) return std::min(deadline_, ending_.next_look());
  const Instant retry = outbound_.lacks_room() ? stream_.now + kMillisecond : kNever;
  return std::min(
      {deadline_, detection_.deadline(), stall_.deadline(), inbound_.deadline(), retry});
}

void Session::on_time(Instant now) {
  stream_.now = now;
  if (deferred_failure_) {
    const ConnectFailure failure = *deferred_failure_;
    deferred_failure_.reset();
    fail_connect(failure);
    return;
  }
  if (startup_.has_kept_reject() && state_ == State::Asked &&
      (startup_.peer_is_gone() || can_answer()))
    send_reject(startup_.private_data());
  if (now >= deadline_) {
    // Full: it was the first FPDU that did not come.
    if (state_ == State::Full || state_ == State::WaitRequest)
      fail_connect(ConnectFailure::NonPeerRejected);
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
