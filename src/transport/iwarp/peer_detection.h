// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/peer_detection.h: which kind of peer this is, ours or foreign.
// Lives here: our Hello, what the peer's first FPDU says of it, how long a silent peer is waited
//             for and what it is asked.
// Not here:   the Hello on the wire (own_peer.h), other FPDUs (outbound.h); what follows for the
//             connection (session.h).
// Threads:    the adapter's lock.
#pragma once

#include "transport/iwarp/arrival_looks.h"
#include "transport/iwarp/fpdu.h"
#include "transport/iwarp/outbound.h"
#include "transport/iwarp/stream.h"

namespace datum::iwarp {

struct HelloSettings {
  bool hello = true;             // tell peers of our own kind apart
  bool takes_extensions = false; // from one that is
  // So long, and two round trips, a peer to which our Hello has come may be silent before it is
  // asked whether it acknowledges.
  Duration timeout = kSecond / 4;
};

class PeerDetection {
 public:
  static constexpr std::size_t kHelloSize = fpdu_size(TaggedHeader::kWireSize);

  PeerDetection(Stream& stream, Outbound& outbound, const HelloSettings& settings)
      : stream_(stream), outbound_(outbound), settings_(settings) {}
  PeerDetection(const PeerDetection&) = delete;
  PeerDetection& operator=(const PeerDetection&) = delete;

  void set_round_trip(Duration time) { round_trip_ = time; }

  // --- what it is --------------------------------------------------------------------------------
  // Initiator: the first FPDU, in the form that was agreed on. Outbound is ready().
  void speak_first();
  // What the peer's first FPDU says; `hello` if it was one. True: it is one of ours, which a
  // responder answers.
  bool hear_first(const Hello* hello);
  // Outbound is ready().
  void answer_hello() { outbound_.send_hello(own_hello()); }
  void decide(PeerKind kind);

  // --- it says nothing ---------------------------------------------------------------------------
  Instant deadline() const { return deadline_; }
  // `arrived`: our Hello, at the peer's TCP.
  void on_time(bool arrived);
  // One of our own kind that ended before it heard us may have announced nothing. If that was in
  // order it reads on, and its TCP takes our Hello; if its process was killed, the answer is a
  // reset. siw resets in both cases, so the end of a peer of unknown kind is taken as it looks.
  void look_for_reset() { deadline_ = looks_.after(stream_.now); }

 private:
  Hello own_hello() const;
  void wait(int times);
  bool may_ask() const;

  Stream& stream_;
  Outbound& outbound_;
  const HelloSettings settings_;
  Instant deadline_ = kNever;
  bool arrived_ = false; // our Hello, when that was last asked
  int silent_for_ = 1;   // and since then: so many of these spans
  Duration round_trip_ = 0;
  ArrivalLooks looks_;
};

} // namespace datum::iwarp
