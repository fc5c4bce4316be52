// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/iwarp/peer_detection.h"

#include <algorithm>

namespace datum::iwarp {
namespace {

// How many timeouts to wait for a peer that serves no Reads, and so cannot be asked. TCP sends lost
// octets again after 0.2 s, and then after twice as long each time. So the peer's Hello may be lost
// four times.
constexpr int kSilentWithoutReads = 12;
constexpr int kMostBetweenQuestions = 256;

} // namespace

Hello PeerDetection::own_hello() const {
  return {.flags = settings_.takes_extensions ? Hello::kTakesExtensions : std::uint16_t{0},
          .largest_ulpdu = 0xffff};
}

// Only a peer that chose the Write form may be an own peer, and gets a Hello. Hardware chooses
// another form, so it never gets one (decision 408).
void PeerDetection::speak_first() {
  const Hello hello = own_hello();
  const Rtr form = stream_.terms.rtr;
  const bool says_hello = settings_.hello && form == Rtr::Write;
  outbound_.send_rtr(form, says_hello ? &hello : nullptr);
  if (!says_hello) return;
  stream_.peer = PeerKind::Undecided;
  wait(1);
}

void PeerDetection::wait_for_first() {
  waiting_ = true;
  outbound_.hold();
}

bool PeerDetection::hear_first(const Hello* hello) {
  const bool own = is_own(hello);
  if (own) learn(*hello);
  if (std::exchange(waiting_, false)) {
    // A Hello is answered with a Hello, which has to be our first FPDU.
    if (own) {
      if (!outbound_.ready()) return false;
      outbound_.send_hello(own_hello());
    }
    outbound_.release();
  }
  decide(own ? PeerKind::Own : PeerKind::Foreign);
  return true;
}

bool PeerDetection::is_own(const Hello* hello) const {
  return hello != nullptr && settings_.hello && stream_.terms.rtr == Rtr::Write;
}

void PeerDetection::learn(const Hello& hello) {
  stream_.most_ulpdu = std::min<std::size_t>(hello.largest_ulpdu, kMostSentUlpdu);
  stream_.peer_takes_extensions = (hello.flags & Hello::kTakesExtensions) != 0;
  stream_.takes_extensions = settings_.takes_extensions;
}

// If an own peer has ended its stream before it got our Hello, it could not announce its end. An
// own peer that ends in an orderly way reads on, and its TCP acknowledges our Hello. If its process
// was killed, our Hello is answered by a reset. So this waits for either. siw resets in both cases,
// so this is no test for a peer that may be foreign.
bool PeerDetection::hear_end(bool at_boundary, bool for_own_kind, bool arrived) {
  if (for_own_kind) {
    if (!at_boundary || arrived) return true;
    deadline_ = looks_.after(stream_.now);
    return false;
  }
  // A peer that got our Hello before it ended, and sent none, is foreign. A peer that ended before
  // our Hello came has placed nothing, so its kind does not matter.
  if (arrived) decide(PeerKind::Foreign);
  return true;
}

void PeerDetection::decide(PeerKind kind) {
  stream_.peer = kind;
  deadline_ = kNever;
  outbound_.on_peer_decided();
}

void PeerDetection::wait(int times) {
  deadline_ = stream_.now + times * (settings_.timeout + 2 * round_trip_);
}

// True: the peer has a place for a Read. That this side wants one was in the request
// (negotiation.cc).
bool PeerDetection::may_ask() const {
  const Terms& terms = stream_.terms;
  return terms.peer_ird == kNotNegotiated ? terms.reads_out != 0 : terms.peer_ird != 0;
}

// A slow peer need not be a foreign one. So the wait begins when the peer's TCP has our Hello. Even
// then TCP may be sending the peer's Hello again, so no length of silence proves that the peer
// sends none. The answer to a Read proves it: in a stream the Hello would come before the answer.
void PeerDetection::on_time(bool arrived) {
  const bool had_arrived = std::exchange(arrived_, arrived);
  if (!had_arrived) {
    wait(1);
    return;
  }
  // siw overlooks an FPDU that comes while siw is still busy with its reply. It finds that FPDU
  // when the next one comes. Until then the consumer of siw has no connection.
  if (may_ask()) {
    outbound_.ask_silent_peer();
    wait(silent_for_);
    silent_for_ = std::min(2 * silent_for_, kMostBetweenQuestions);
    return;
  }
  if (silent_for_ == 1) outbound_.send_to_silent_peer();
  if (silent_for_++ == kSilentWithoutReads)
    decide(PeerKind::Foreign);
  else
    wait(1);
}

} // namespace datum::iwarp
