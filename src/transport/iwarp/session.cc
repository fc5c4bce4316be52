// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/session.cc: full operation and the end.
#include "transport/iwarp/session.h"

#include <algorithm>
#include <cassert>

namespace datum::iwarp {
namespace {

// More than one: of a process that was stopped all that came due meanwhile comes due as one, before
// what has arrived meanwhile is read.
constexpr int kSilentChecks = 4;
// Whoever has more than so many requests outstanding waits for none of them, and many together cost
// less.
constexpr std::size_t kAwaited = 4;

} // namespace

Session::Session(const SessionSettings& settings, ChunkPool& chunks, SessionEvents& owner)
    : settings_(settings), owner_(owner), queue_(chunks, settings.most_unsent),
      outbound_(stream_, queue_, *this),
      inbound_(stream_, outbound_, *this, {settings.receive_timeout}), decoder_(inbound_) {}

void Session::on(Change change) {
  const std::optional<State> next = next_in(kSessionTable, state_, change);
  assert(next);
  if (!next) return;
  state_ = *next;
  look_for_arrival_ = kNever;
  deadline_ = kNever;
}

void Session::set_segment_size(std::size_t octets) {
  segment_size_ = octets;
  if (stream_.peer != PeerKind::Own)
    stream_.most_ulpdu = mulpdu(segment_size_, stream_.terms.markers);
}

// --- octets from TCP
// -------------------------------------------------------------------------------

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
  silent_checks_ = 0;
  if (silence_check_ == kNever && !decoder_.at_boundary())
    silence_check_ = stream_.now + settings_.fpdu_timeout / kSilentChecks;
  // An answered Read makes room for the next.
  if (state_ == State::Full) outbound_.give_room();
}

void Session::end_of_stream(Instant now) {
  stream_.now = now;
  if (fin_seen_) return;
  fin_seen_ = true;
  switch (state_) {
  case State::WaitReply:
  case State::WaitRequest:
  case State::Asked: lost(now); return;
  case State::Full: break;
  case State::Ending:
    if (shut_down_) on(Change::EndBothWays);
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
  if (mute && wishes_.for_own_kind && !hello_has_arrived()) {
    look_for_reset();
    return;
  }
  // Who ended before our Hello came has placed nothing, of whichever kind it is.
  if (stream_.peer == PeerKind::Undecided && !wishes_.for_own_kind && hello_has_arrived())
    decide_peer(PeerKind::Foreign);
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
    end_without_reply(arrived_.empty() ? NoReply::Nothing : NoReply::Foreign);
    return;
  case State::Asked: gone_ = true; return; // the request stays until it is answered
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

// --- octets to TCP
// ---------------------------------------------------------------------------------

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
  if (startup_left_ != 0) {
    startup_left_ -= std::min(startup_left_, octets);
    // Client-server: the responder has nothing to wait for (decision 423).
    if (startup_left_ == 0 && state_ == State::Full && !established_ && !stream_.terms.peer_to_peer)
      establish();
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
  const bool may = state_ == State::Full && established_ && startup_left_ == 0;
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
  if (state_ != State::Ending || shut_down_ || !queue_.empty()) return false;
  return look_for_arrival_ == kNever || fin_seen_ || owner_.all_has_arrived();
}

void Session::shut_down() {
  shut_down_ = true;
  look_for_arrival_ = kNever;
  if (fin_seen_) on(Change::EndBothWays);
}

// --- requests
// --------------------------------------------------------------------------------------

StartResult Session::start(const OutboundRequest& request, bool within_call) {
  if (state_ != State::Full) return StartResult::Later;
  return outbound_.start(request, within_call);
}

namespace {

Rdmap to_rdmap(const WorkRequest& work) {
  switch (work.opcode) {
  case Opcode::RdmaWrite: return Rdmap::Write;
  case Opcode::RdmaRead: return Rdmap::ReadRequest;
  case Opcode::SendInvalidate:
    return work.solicited ? Rdmap::SendSolicitedInvalidate : Rdmap::SendInvalidate;
  case Opcode::WriteImmediate: return work.solicited ? Rdmap::ImmediateSolicited : Rdmap::Immediate;
  case Opcode::FetchAdd:
  case Opcode::CompareSwap: return Rdmap::AtomicRequest;
  default: return work.solicited ? Rdmap::SendSolicited : Rdmap::Send;
  }
}

AtomicRequest to_atomic(const WorkRequest& work) {
  AtomicRequest request{
      .stag = work.remote.stag, .offset = work.remote.address, .data = work.extra.atomic.operand};
  if (work.opcode == Opcode::FetchAdd) return request;
  request.operation = AtomicOperation::CompareSwap;
  request.mask = ~std::uint64_t{0};
  request.compare = work.extra.atomic.compare;
  return request;
}

OutboundRequest to_request(const WorkRequest& work) {
  OutboundRequest request;
  request.opcode = to_rdmap(work);
  request.work = &work;
  if (!is_extended(work.opcode)) return request;
  if (is_atomic(work.opcode)) {
    request.atomic = to_atomic(work);
  } else if (is_immediate(request.opcode)) {
    request.immediate = encode_immediate(work.extra.note);
  } else {
    request.invalidate = work.extra.note.value;
  }
  return request;
}

} // namespace

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

// --- the end
// ---------------------------------------------------------------------------------------

void Session::stop_both_ways() {
  decoder_.stop();
  stream_.ended = true;
}

void Session::abort() {
  stop_both_ways();
  queue_.drop_all();
  on(Change::Abort);
  must_reset_ = true;
}

// Nothing is begun any more; what TCP has a part of is finished. False: that cannot be.
bool Session::may_send_last_message(bool keep_copied) {
  const bool readable = outbound_.begun_source_holds();
  stop_both_ways();
  // A reply that still waits for TCP is copied, too.
  if (readable && (startup_left_ == 0 || keep_copied) && queue_.end_after_begun(keep_copied) &&
      queue_.ready())
    return true;
  abort();
  return false;
}

void Session::begin_ending() {
  on(Change::SendLastMessage);
  deadline_ = stream_.now + settings_.end_timeout;
  queue_.rest(); // there may be no last words
}

// What TCP is still sending, a reset would take back; and a reset is not sent again.
void Session::end_without_the_peer() {
  const bool on_its_way = shut_down_ && !owner_.all_has_arrived();
  abort();
  must_reset_ = !on_its_way;
}

// siw ends its queue pair as soon as its TCP has seen the end of the stream, which the end that
// comes in one segment with data is before these are read. So it comes behind them. TCP tells
// nobody that it has an acknowledgement, and is asked.
void Session::wait_for_arrival() {
  const bool long_enough = stream_.now >= deadline_ - settings_.end_timeout / 2;
  look_for_arrival_ = long_enough ? kNever : stream_.now + between_looks_;
  between_looks_ = std::min(2 * between_looks_, kMostBetweenLooks);
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
  last_error_ = terminate.error;
  last_error_is_ours_ = true;
  if (waiting_first_) {
    // No FPDU of the peer has been valid, so none may be sent (decision 402); an end in order would
    // say that nothing was wrong.
    abort();
    report_end(CloseReason::Broken);
    return;
  }
  // Reads that were accepted before have not failed: what needs nobody's memory answers them.
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

namespace {

DtoStatus status_of(const ErrorCode& error) {
  const bool protection = (error.layer == kLayerRdmap && error.type == kRemoteProtection) ||
                          (error.layer == kLayerDdp && error.type == kTaggedBuffer) ||
                          error == error::kCannotInvalidate;
  return protection ? DtoStatus::RemoteAccess : DtoStatus::RemoteResponder;
}

DtoStatus status_of(const ErrorCode& error, const Outbound::Named& named) {
  if (error == error::kNoBuffer && named.kind == RequestClass::Placed)
    return DtoStatus::ReceiverNotReady;
  // Of an Atomic: its eight octets are not aligned (check 33).
  if (error == error::kStreamCatastrophic && named.atomic) return DtoStatus::RemoteAccess;
  return status_of(error);
}

} // namespace

// Spec 10.4: the request that the peer names gets the reason, the others are flushed.
void Session::on_terminate(const Terminate& terminate, const UntaggedHeader& header) {
  if (state_ != State::Full) return;
  last_error_ = terminate.error;
  if (!may_carry_terminate(header)) odd_terminate_ = header;
  if (!established_) {
    fail_connect(ConnectFailure::NonPeerRejected);
    return;
  }
  const std::optional<Outbound::Named> named = outbound_.find(terminate);
  if (named) {
    stream_.events->on_request_failed(named->kind, status_of(terminate.error, *named),
                                      named->before);
  } else if (!terminate.has_header && terminate.error.layer != kLayerMpa &&
             outbound_.reads().of_consumer() != 0) {
    stream_.events->on_request_failed(RequestClass::Read, DtoStatus::RemoteResponder, 0);
  }
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
  closing_ = true; // of one that may not be answered any more nobody hears
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
    if (mode == CloseMode::Disconnect && foreign) wait_for_arrival();
  } else if (state_ != State::Ending && state_ != State::Ended) {
    // Whose reply has come meanwhile says nothing more, and a reset that is lost is not sent again;
    // the end of the stream is.
    const bool asked = state_ == State::WaitReply;
    abort();
    must_reset_ = !asked;
  }
  stream_.events = nullptr;
}

// --- time
// ------------------------------------------------------------------------------------------

Instant Session::deadline() const {
  if (deferred_failure_) return stream_.now;
  if (rejecting_ && state_ == State::Asked)
    return gone_ ? stream_.now : std::min(deadline_, stream_.now + kMillisecond);
  if (state_ != State::Full) return std::min(deadline_, look_for_arrival_);
  const Instant retry = outbound_.lacks_room() ? stream_.now + kMillisecond : kNever;
  return std::min({deadline_, hello_deadline_, silence_check_, inbound_.deadline(), retry});
}

void Session::on_time(Instant now) {
  stream_.now = now;
  if (deferred_failure_) {
    const ConnectFailure failure = *deferred_failure_;
    deferred_failure_.reset();
    fail_connect(failure);
    return;
  }
  if (rejecting_ && state_ == State::Asked && (gone_ || can_answer())) send_reject(private_data_);
  if (now >= deadline_) {
    // Full: it was the first FPDU that did not come.
    if (state_ == State::Full || state_ == State::WaitRequest)
      fail_connect(ConnectFailure::NonPeerRejected);
    else
      end_without_the_peer();
    return;
  }
  if (now >= look_for_arrival_) wait_for_arrival();
  if (state_ != State::Full) return;
  if (now >= hello_deadline_) on_hello_late();
  if (state_ == State::Full) inbound_.on_time();
  if (state_ == State::Full && now >= silence_check_) look_for_silence();
  if (state_ == State::Full && outbound_.lacks_room()) outbound_.fill();
}

// Where the length of an FPDU was changed on the way, what is missing may never come: the CRC that
// would show it is behind it.
void Session::look_for_silence() {
  silence_check_ = kNever;
  if (decoder_.at_boundary()) return;
  silence_check_ = stream_.now + settings_.fpdu_timeout / kSilentChecks;
  if (!holds_peer_ && ++silent_checks_ > kSilentChecks) fail(make_terminate(error::kStreamLost));
}

} // namespace datum::iwarp
