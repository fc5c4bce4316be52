// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/unit/iwarp/pair.h: sessions connected to each other, or to octets that a test writes.
#pragma once

#include <optional>
#include <random>

#include "stand_in.h"

namespace datum::iwarp::test {

// What peers of our own kind say first, with 16 Reads each way.
inline constexpr char kRequest[] = "4d504120494420526571204672616d6550020004"
                                   "8010c010";
inline constexpr char kReply[] = "4d504120494420526570204672616d6550020004"
                                 "80108010";

// A session, what stands above it, and a socket layer of a few lines.
class Side {
 public:
  explicit Side(const SessionSettings& settings = {}) : session(settings, chunks_, events) {
    events.session = &session;
  }
  // Everything that leaves now, as TCP with endless buffers would take it.
  Bytes take_output();
  // At most so many octets of it.
  Bytes take_output(std::size_t most);
  void feed(Octets octets) { feed(octets, octets.size()); }
  // The same octets in pieces of this size; what is not taken stays and goes first next time.
  void feed(Octets octets, std::size_t piece);
  // Octets that arrive through places() where the session names some.
  void feed_placing(Octets octets);
  void feed_hex(std::string_view hex) { feed(from_hex(hex)); }
  std::size_t held_back() const { return held_.size(); }
  // From here on the session finds no memory for output that was used before.
  void hold_chunks() {
    for (int i = 0; i < 16; ++i) kept_.push_back(chunks_.take());
  }

  StandIn events;
  Instant now = 0;

 private:
  ChunkPool chunks_;
  std::vector<std::unique_ptr<OutputChunk>> kept_;
  Bytes held_;

 public:
  Session session;
};

struct PairOptions {
  SessionSettings active;
  SessionSettings passive;
  Wishes active_wishes{.reads_in = 16, .reads_out = 16};
  Wishes passive_wishes{.reads_in = 16, .reads_out = 16};
};

class Pair {
 public:
  explicit Pair(const PairOptions& options = {});
  // Request, reply and the first FPDUs, and forgets what was told about them.
  void connect();
  // Until neither side has anything to send.
  void pump();
  // The next FPDUs of one side, lost or kept by the test.
  Side active;
  Side passive;
  // Sizes of the pieces that octets arrive in; 0: all that is there.
  std::size_t piece = 0;
  // Arrive at random sizes, placed by the socket layer at random.
  std::optional<std::mt19937> random;

 private:
  void carry(Side& from, Side& to);
  PairOptions options_;
};

// A responder in full operation towards a peer that is not one of ours, whose FPDUs a test writes:
// all but the first, which has come and was good, unless said otherwise. CRC on; one Recv of 64
// octets; IRD 4; region kRegion, all that a peer can do.
class Target : public Side {
 public:
  static constexpr Stag kRegion = 0x12345601;
  explicit Target(const SessionSettings& settings = {.extensions = true}, bool has_spoken = true);
  // The header of what follows in a Terminate of ours: layer, type, code; "" if there was none.
  std::string terminate_code();
  const Terminate& terminate() const { return terminate_; }
  std::uint64_t base() const { return base_; }

 private:
  std::uint64_t base_ = 0;
  Terminate terminate_;
};

// An FPDU as a peer would send it.
Bytes fpdu(const UntaggedHeader& header, Octets payload = {}, bool crc = true);
Bytes fpdu(const TaggedHeader& header, Octets payload = {}, bool crc = true);
UntaggedHeader untagged(Rdmap opcode, std::uint32_t queue, std::uint32_t msn,
                        std::uint32_t offset = 0, bool last = true);
TaggedHeader tagged(Rdmap opcode, Stag stag, std::uint64_t offset, bool last = true);
template <class T>
Bytes octets_of(const T& record) {
  Bytes octets(T::kWireSize);
  WireWriter out(octets.data());
  encode(record, out);
  return octets;
}
// The FPDUs in a stream without markers: their ULPDUs.
std::vector<Bytes> ulpdus(Octets stream);

WorkRequest send_of(std::span<const LocalTriplet> local, bool solicited = false);
WorkRequest write_of(std::span<const LocalTriplet> local, Stag stag, const void* to);
WorkRequest read_of(std::span<const LocalTriplet> local, Stag stag, const void* from);
LocalTriplet triplet(const void* from, std::size_t size);

using Log = std::vector<std::string>;

} // namespace datum::iwarp::test
