// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/peer_detection.h: whether the peer is an own peer or a foreign one.
// Lives here: our Hello; what the peer's first FPDU shows; how long this side waits for a silent
//             peer, and how it asks for a sign of life.
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
  // The peer's first FPDU has come. `hello`: nullptr if it was no Hello. True: the peer is an own
  // peer, and a responder has to answer the Hello.
  bool hear_first(const Hello* hello);
  // Outbound::ready() must have returned true.
  void answer_hello() { outbound_.send_hello(own_hello()); }
  void decide(PeerKind kind);

  // --- a silent peer -----------------------------------------------------------------------------
  Instant deadline() const { return deadline_; }
  // `arrived`: the peer's TCP has acknowledged our Hello.
  void on_time(bool arrived);
  // The peer has ended its stream before it got our Hello, so an own peer could not announce its
  // end. An own peer that ends in an orderly way reads on, and its TCP acknowledges our Hello. If
  // its process was killed, our Hello is answered by a reset. So this waits for either. siw resets
  // in both cases, so this is no test for a peer that may be foreign.
  void look_for_reset() { deadline_ = looks_.after(stream_.now); }

 private:
  Hello own_hello() const;
  void wait(int times);
  bool may_ask() const;

  Stream& stream_;
  Outbound& outbound_;
  const HelloSettings settings_;
  Instant deadline_ = kNever;
  bool arrived_ = false; // the peer's TCP had our Hello when this was last checked
  int silent_for_ = 1;   // the silence since then, or the next wait, as a number of timeouts
  Duration round_trip_ = 0;
  ArrivalLooks looks_;
};

} // namespace datum::iwarp
