// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/iwarp/peer_detection.h"

#include <algorithm>

namespace datum::iwarp {
namespace {

// A peer that cannot be asked, since it serves no Reads: TCP sends again after 0.2 s, then after
// twice as long each time, and so its Hello may be lost four times.
constexpr int kSilentWithoutReads = 12;
constexpr int kMostBetweenQuestions = 256;

} // namespace

Hello PeerDetection::own_hello() const {
  return {.flags = settings_.takes_extensions ? Hello::kTakesExtensions : std::uint16_t{0},
          .largest_ulpdu = 0xffff};
}

// Peers that chose the Write form may be our own: no hardware ever sees a Hello (decision 408).
void PeerDetection::speak_first() {
  const Hello hello = own_hello();
  const Rtr form = stream_.terms.rtr;
  const bool says_hello = settings_.hello && form == Rtr::Write;
  outbound_.send_rtr(form, says_hello ? &hello : nullptr);
  if (!says_hello) return;
  stream_.peer = PeerKind::Undecided;
  wait(1);
}

bool PeerDetection::hear_first(const Hello* hello) {
  if (hello == nullptr || !settings_.hello || stream_.terms.rtr != Rtr::Write) return false;
  stream_.most_ulpdu = std::min<std::size_t>(hello->largest_ulpdu, kMostSentUlpdu);
  stream_.peer_takes_extensions = (hello->flags & Hello::kTakesExtensions) != 0;
  stream_.takes_extensions = settings_.takes_extensions;
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

// That it has a place for a Read; ours was in the request (negotiation.cc).
bool PeerDetection::may_ask() const {
  const Terms& terms = stream_.terms;
  return terms.peer_ird == kNotNegotiated ? terms.reads_out != 0 : terms.peer_ird != 0;
}

// A peer that takes its time is not foreign for that: it is waited for from when it is known that
// our Hello has come to it. TCP may be sending it again, or the peer's. So no time shows that
// nothing comes; the answer to a Read does, since nothing overtakes anything in a stream.
void PeerDetection::on_time(bool arrived) {
  const bool had_arrived = std::exchange(arrived_, arrived);
  if (!had_arrived) {
    wait(1);
    return;
  }
  // siw overlooks an FPDU that comes while it is still busy with its reply, and looks again when
  // the next one comes; until then its consumer has no connection.
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
