// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/session_startup.cc: from the first octet to full operation.
#include <algorithm>
#include <new>

#include "transport/iwarp/session.h"

namespace datum::iwarp {

static_assert(kMostPrivateData <= kMostPrivateDataOfAnswer);

namespace {

// A peer that cannot be asked, since it serves no Reads: TCP sends again after 0.2 s, then after
// twice as long each time, and so its Hello may be lost four times.
constexpr int kSilentWithoutReads = 12;
constexpr int kMostBetweenQuestions = 256;

} // namespace

void Session::connect(Octets private_data, const Wishes& wishes, ChannelEvents& events,
                      Instant now) {
  stream_.now = now;
  stream_.events = &events;
  initiator_ = true;
  wishes_ = wishes;
  wishes_.crc = settings_.crc;
  own_frame_ = make_request(wishes_, private_data);
  send_startup(own_frame_);
  own_frame_.private_data = {};
  if (state_ == State::Ended) return;
  // How long the reply may take is the consumer's affair.
  on(Change::Connect);
}

void Session::expect_request(Instant now) {
  stream_.now = now;
  on(Change::Expect);
  deadline_ = now + settings_.request_timeout;
}

void Session::send_startup(const StartupFrame& frame) {
  std::array<std::byte, StartupFrame::kMostSize> octets;
  encode(frame, octets.data());
  if (!queue_.ready()) {
    abort();
    deferred_failure_ = ConnectFailure::NonPeerRejected;
    return;
  }
  startup_left_ = startup_size_ = frame.wire_size();
  queue_.add_startup(Octets(octets).first(startup_left_));
}

std::size_t Session::feed_startup(Octets octets) {
  if (state_ == State::Asked) {
    // Nothing may follow the request before it is answered.
    if (!octets.empty()) gone_ = true;
    return octets.size();
  }
  const std::size_t had = arrived_.size();
  const std::size_t piece = std::min(octets.size(), StartupFrame::kMostSize - had);
  try {
    arrived_.insert(arrived_.end(), octets.begin(),
                    octets.begin() + static_cast<std::ptrdiff_t>(piece));
    private_data_.reserve(kMostPrivateData);
  } catch (const std::bad_alloc&) {
    fail_connect(ConnectFailure::NonPeerRejected);
    return octets.size();
  }
  peer_frame_.reply = initiator_;
  std::size_t size = 0;
  const StartupProgress progress = decode(arrived_, peer_frame_, size);
  if (progress == StartupProgress::Incomplete) return piece;
  if (progress == StartupProgress::Bad) {
    if (initiator_)
      end_without_reply(NoReply::Foreign);
    else
      fail_connect(ConnectFailure::NonPeerRejected);
    return octets.size();
  }
  private_data_.assign(peer_frame_.private_data.begin(), peer_frame_.private_data.end());
  peer_frame_.private_data = {};
  arrived_ = {};
  if (initiator_)
    on_reply_frame();
  else
    on_request_frame();
  return size - had;
}

void Session::on_request_frame() {
  if (!is_acceptable(peer_frame_)) {
    fail_connect(ConnectFailure::NonPeerRejected);
    return;
  }
  stream_.terms = answer_terms(peer_frame_, {.crc = settings_.crc});
  on(Change::RequestArrived);
  owner_.on_request();
}

void Session::accept(Octets private_data, const Wishes& wishes, ChannelEvents& events,
                     Instant now) {
  stream_.now = now;
  stream_.events = &events;
  if (state_ != State::Asked || gone_) {
    deferred_failure_ = ConnectFailure::NonPeerRejected;
    return;
  }
  wishes_ = wishes;
  wishes_.crc = settings_.crc;
  stream_.terms = answer_terms(peer_frame_, wishes_);
  send_startup(make_reply(peer_frame_, stream_.terms, private_data));
  if (state_ != State::Asked) return;
  enter_full(false);
  if (stream_.terms.peer_to_peer) deadline_ = now + settings_.first_fpdu_timeout;
}

// A peer that is closed without an answer would ask again, in the older revision. So a reject that
// lacks memory for the frame is kept where the request's private data were, which are not needed
// any more and had room for as much, and waits as long as an end may take.
void Session::reject(Octets private_data, Instant now) {
  stream_.now = now;
  if (state_ != State::Asked) return;
  deadline_ = now + settings_.end_timeout;
  if (gone_ || can_answer()) {
    send_reject(private_data);
    return;
  }
  rejecting_ = true;
  private_data_.assign(private_data.begin(), private_data.end());
}

void Session::send_reject(Octets private_data) {
  if (gone_) {
    on(Change::RejectTooLate);
    return;
  }
  const Instant deadline = deadline_;
  send_startup(make_reject(peer_frame_, {.crc = settings_.crc}, private_data));
  on(Change::Reject);
  deadline_ = deadline;
}

void Session::refuse(Refusal refusal, Instant now) {
  std::byte octets[kRefusalSize];
  WireWriter out(octets);
  encode(refusal, out);
  reject(octets, now);
}

void Session::on_reject() {
  Refusal refusal{};
  const bool by_provider = decode(private_data_, refusal);
  if (by_provider && refusal == Refusal::NotHere) {
    end_without_reply(NoReply::NotHere);
    return;
  }
  owner_.on_reply();
  if (by_provider)
    fail_connect(ConnectFailure::NonPeerRejected);
  else
    fail_connect(ConnectFailure::PeerRejected, private_data_);
}

void Session::end_without_reply(NoReply why) {
  if (owner_.on_no_reply(why))
    abort();
  else
    fail_connect(ConnectFailure::NonPeerRejected);
}

void Session::enter_full(bool initiator) {
  const Terms& terms = stream_.terms;
  queue_.begin_full_operation(terms.crc, terms.markers);
  decoder_.begin(terms.crc);
  stream_.most_unexpected = settings_.most_unexpected;
  stream_.takes_extensions = stream_.peer_takes_extensions = settings_.extensions;
  stream_.most_ulpdu = mulpdu(segment_size_, terms.markers);
  outbound_.begin(settings_.first_msn);
  inbound_.begin(settings_.first_msn);
  on(initiator ? Change::ReplyArrived : Change::Accept);
  if (initiator) return;
  waiting_first_ = true;
  outbound_.hold();
  inbound_.judge_first_at_its_end();
  if (terms.rtr == Rtr::Read) outbound_.responder().expect_rtr_read();
  if (terms.rtr == Rtr::Send) inbound_.expect_rtr_send();
}

void Session::on_reply_frame() {
  const Conclusion result = conclude(own_frame_, peer_frame_, wishes_);
  switch (result.verdict) {
  case ReplyVerdict::Unusable: end_without_reply(NoReply::Foreign); return;
  case ReplyVerdict::Rejected: on_reject(); return;
  case ReplyVerdict::Terminate:
  case ReplyVerdict::Agreed: break;
  }
  owner_.on_reply();
  stream_.terms = result.terms;
  enter_full(true);
  if (result.verdict == ReplyVerdict::Terminate) {
    fail(make_terminate(result.error));
    return;
  }
  if (!outbound_.ready()) {
    fail_connect(ConnectFailure::NonPeerRejected);
    return;
  }
  // Peers that chose the Write form may be our own: no hardware ever sees a Hello
  // (decision 408).
  const Hello hello = own_hello();
  const bool says_hello = settings_.hello && result.terms.rtr == Rtr::Write;
  outbound_.send_rtr(result.terms.rtr, says_hello ? &hello : nullptr);
  if (says_hello) {
    stream_.peer = PeerKind::Undecided;
    wait_for_hello();
  }
  establish();
}

void Session::establish() {
  established_ = true;
  deadline_ = kNever;
  stream_.events->on_established(initiator_ ? Octets(private_data_) : Octets(),
                                 stream_.terms.reads_out);
}

void Session::fail_connect(ConnectFailure failure, PrivateData data) {
  ChannelEvents* events = stream_.events;
  // Nothing of what we could say would be understood, or it has been said.
  abort();
  if (peer_frame_.rejected) must_reset_ = false;
  if (events != nullptr) events->on_connect_failed(failure, data);
}

Hello Session::own_hello() const {
  return {.flags = settings_.own_extensions ? Hello::kTakesExtensions : std::uint16_t{0},
          .largest_ulpdu = 0xffff};
}

void Session::on_first_fpdu(const Hello* hello) {
  const bool theirs = hello != nullptr && settings_.hello && stream_.terms.rtr == Rtr::Write;
  if (theirs) {
    stream_.most_ulpdu = std::min<std::size_t>(hello->largest_ulpdu, kMostSentUlpdu);
    stream_.peer_takes_extensions = (hello->flags & Hello::kTakesExtensions) != 0;
    stream_.takes_extensions = settings_.own_extensions;
  }
  if (waiting_first_) {
    waiting_first_ = false;
    // Ours answers with its own first FPDU; only then may anything else leave.
    if (theirs) {
      if (!outbound_.ready()) {
        fail(make_terminate(error::kLocal));
        return;
      }
      outbound_.send_hello(own_hello());
    }
    outbound_.release();
  }
  decide_peer(theirs ? PeerKind::Own : PeerKind::Foreign);
  if (!established_ && state_ == State::Full) establish();
  if (state_ == State::Full) outbound_.give_room();
}

void Session::wait_for_hello(int times) {
  hello_deadline_ = stream_.now + times * (settings_.hello_timeout + 2 * round_trip_);
}

// Ours, at the peer's TCP.
bool Session::hello_has_arrived() const {
  constexpr std::size_t kHelloSize = fpdu_size(TaggedHeader::kWireSize);
  return owner_.has_arrived(startup_size_ + kHelloSize);
}

// That it has a place for a Read; ours was in the request (negotiation.cc).
bool Session::may_ask_silent_peer() const {
  const Terms& terms = stream_.terms;
  return terms.peer_ird == kNotNegotiated ? terms.reads_out != 0 : terms.peer_ird != 0;
}

// A peer that takes its time is not foreign for that: it is waited for from when it is known that
// our Hello has come to it. TCP may be sending it again, or the peer's. So no time shows that
// nothing comes; the answer to a Read does, since nothing overtakes anything in a stream.
void Session::on_hello_late() {
  if (fin_seen_) {
    end_behind_the_peer();
    return;
  }
  const bool had_arrived = hello_arrived_;
  hello_arrived_ = hello_has_arrived();
  if (!had_arrived) {
    wait_for_hello();
    return;
  }
  // siw overlooks an FPDU that comes while it is still busy with its reply, and looks again when
  // the next one comes; until then its consumer has no connection.
  if (may_ask_silent_peer()) {
    outbound_.ask_silent_peer();
    wait_for_hello(silent_for_);
    silent_for_ = std::min(2 * silent_for_, kMostBetweenQuestions);
    return;
  }
  if (silent_for_ == 1) outbound_.send_to_silent_peer();
  if (silent_for_++ == kSilentWithoutReads)
    decide_peer(PeerKind::Foreign);
  else
    wait_for_hello();
}

// One of our own kind that ended before it heard us may have announced nothing. If that was in
// order it reads on, and its TCP takes our Hello; if its process was killed, the answer is a reset.
// siw resets in both cases, so of whom nobody knows the kind an end is what it looks like.
void Session::look_for_reset() {
  hello_deadline_ = stream_.now + between_looks_;
  between_looks_ = std::min(2 * between_looks_, kMostBetweenLooks);
}

void Session::decide_peer(PeerKind kind) {
  stream_.peer = kind;
  hello_deadline_ = kNever;
  outbound_.on_peer_decided();
}

} // namespace datum::iwarp
