// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/fuzz/fuzz_link.cc: LinkTransport below an adapter and its consumer, against a peer that
// writes anything into the shared segment, in any state of the connection. Memory that the peer was
// not granted is poisoned. Each request of the consumer must end exactly once. The program has one
// thread, and the input decides how time passes, so each input always does the same.
#include "input.h"
#include "link/consumer.h"
#include "link/hostile_fabric.h"
#include "link/hostile_peer.h"

using namespace datum::fuzz;

namespace {

// The first byte of an input.
constexpr std::uint8_t kPeerReachable = 0x01; // this side has direct access to the peer
// the peer has direct access to this side, or claims so
constexpr std::uint8_t kWeReachable = 0x02;
constexpr std::uint8_t kShared = 0x04;      // Recvs come from an SRQ
constexpr std::uint8_t kUnconnected = 0x08; // begin without a connection
constexpr std::uint8_t kActive = 0x10;      // this side connects, rather than accepts

// A step in which the peer sends octets that are no doorbell.
constexpr std::uint8_t kNoDoorbell = 63;

class Session {
 public:
  explicit Session(std::uint8_t setting)
      : fabric_((setting & kPeerReachable) != 0, (setting & kWeReachable) != 0),
        consumer_(fabric_, (setting & kShared) != 0), peer_(fabric_) {
    if ((setting & kUnconnected) != 0) return;
    if ((setting & kActive) != 0)
      connect_to_peer();
    else
      be_connected();
  }
  void step(Input& input);
  void finish();

 private:
  void connect_to_peer();
  void be_connected();
  void peer_step(Input& input, std::uint8_t what);
  void consumer_step(Input& input, std::uint8_t what);
  void end_condemned();

  HostileFabric fabric_;
  Consumer consumer_;
  HostilePeer peer_;
};

void Session::connect_to_peer() {
  consumer_.connect(0);
  fabric_.answer_dial(false);
  peer_.begin();
  peer_.listen();
  peer_.answer(0);
  consumer_.work();
}

void Session::be_connected() {
  fabric_.make_link(1);
  peer_.begin();
  peer_.connect(0, Consumer::kQualifier);
  consumer_.work();
  consumer_.answer_request(true, 0);
  peer_.listen();
  peer_.confirm(0);
  consumer_.work();
}

void Session::end_condemned() {
  if (fabric_.port() == nullptr || !fabric_.port()->condemned) return;
  fabric_.lose_link();
  consumer_.work();
}

void Session::peer_step(Input& input, std::uint8_t what) {
  if (fabric_.port() == nullptr) {
    fabric_.make_link(what & 1U);
    peer_.begin();
    return;
  }
  if (what == kNoDoorbell) {
    // The port closes itself. The link goes on until its end is reported.
    fabric_.port()->condemned = true;
    consumer_.work();
    return;
  }
  switch (what % 10) {
  case 0:
  case 1: peer_.send_record(input, consumer_.known_ranges()); break;
  case 2: peer_.listen(); break;
  case 3: peer_.scribble(input); break;
  case 4: peer_.set_words(input); break;
  case 5: peer_.claim_tail(input); break;
  case 6: peer_.edit_region(input); break;
  case 7: peer_.connect(input.byte() % HostilePeer::kConnections, Consumer::kQualifier); break;
  case 8: peer_.answer(input.byte()); break;
  default: peer_.confirm(input.byte()); break;
  }
}

void Session::consumer_step(Input& input, std::uint8_t what) {
  switch (what % 10) {
  case 0:
  case 1:
  case 2: consumer_.post(input, fabric_.memory()); break;
  case 3: consumer_.bind(input); break;
  case 4: consumer_.toggle(input.byte()); break;
  case 5: consumer_.connect(input.byte()); break;
  case 6: consumer_.answer_request(input.flag(), input.byte()); break;
  case 7: consumer_.disconnect(input.byte(), input.flag()); break;
  case 8: consumer_.reset(input.byte()); break;
  default: consumer_.set_attention(input.flag()); break;
  }
  consumer_.end_call();
}

// Half of the peer's steps are followed by a poll.
void Session::step(Input& input) {
  const std::uint8_t choice = input.byte();
  const std::uint8_t what = choice >> 2U;
  switch (choice & 3U) {
  case 0: peer_step(input, what); break;
  case 1:
    peer_step(input, what);
    consumer_.work();
    break;
  case 2: consumer_step(input, what); break;
  default:
    switch (what % 8) {
    case 0: fabric_.lose_link(); break;
    case 1: fabric_.ring_us(); break;
    case 2:
    case 3:
      fabric_.answer_dial(what % 8 == 3);
      peer_.begin();
      break;
    case 4: consumer_.pass(input.byte() * datum::kSecond / 50); break;
    default: consumer_.work(); break;
    }
  }
  end_condemned();
}

void Session::finish() {
  for (int rounds = 0; rounds < 8; ++rounds) consumer_.work();
  end_condemned();
  consumer_.finish();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  Session session(input.byte());
  while (!input.empty()) session.step(input);
  session.finish();
  return 0;
}
