// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/peer_detection.h: whether the peer is an own peer or a foreign one.
// Lives here: our Hello; that a responder waits for the peer's first FPDU; what that FPDU, or an
//             end instead of it, shows; how long this side waits for a silent peer, and how it asks
//             for a sign of life.
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
  bool hello = true;             // send a Hello, to recognise own peers
  bool takes_extensions = false; // take opcodes 8 to 11 from an own peer
  // How long, beside two round trips, the peer may be silent after it has got our Hello. Then this
  // side asks for an answer.
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

  // --- the kind of the peer ----------------------------------------------------------------------
  // Initiator: sends the first FPDU, in the form that was agreed on. Outbound::ready() must have
  // returned true.
  void speak_first();
  // Responder: nothing is sent before the peer's first FPDU has come.
  void wait_for_first();
  bool waits_for_first() const { return waiting_; }
  // That FPDU was whole, but it breaks a rule. The Terminate that says so may be sent.
  void stop_waiting() { waiting_ = false; }
  // The peer's first FPDU has come. `hello`: nullptr if it was no Hello. Decides the kind of the
  // peer; a responder answers the Hello. False: there is no memory for that answer.
  bool hear_first(const Hello* hello);
  // A peer of unknown kind has ended its stream; `at_boundary`: at the end of an FPDU.
  // `for_own_kind`: the connection is for an own peer only. `arrived`: the peer's TCP has
  // acknowledged our Hello. False: call this again at deadline().
  bool hear_end(bool at_boundary, bool for_own_kind, bool arrived);

  // --- a silent peer -----------------------------------------------------------------------------
  Instant deadline() const { return deadline_; }
  // `arrived`: the peer's TCP has acknowledged our Hello.
  void on_time(bool arrived);

 private:
  Hello own_hello() const;
  bool is_own(const Hello* hello) const;
  void learn(const Hello& hello);
  void decide(PeerKind kind);
  void wait(int times);
  bool may_ask() const;

  Stream& stream_;
  Outbound& outbound_;
  const HelloSettings settings_;
  bool waiting_ = false; // for the first FPDU
  Instant deadline_ = kNever;
  bool arrived_ = false; // the peer's TCP had our Hello when this was last checked
  int silent_for_ = 1;   // the silence since then, or the next wait, as a number of timeouts
  Duration round_trip_ = 0;
  ArrivalLooks looks_;
};

} // namespace datum::iwarp
