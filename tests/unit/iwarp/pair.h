// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/unit/iwarp/pair.h: sessions connected to each other, or to octets that a test writes.
#pragma once

#include <optional>
#include <random>

#include "stand_in.h"

namespace datum::iwarp::test {

// The request and the reply of own peers, with 16 Reads each way.
inline constexpr char kRequest[] = "4d504120494420526571204672616d6550020004"
                                   "8010c010";
inline constexpr char kReply[] = "4d504120494420526570204672616d6550020004"
                                 "80108010";

// A session, a stand-in for what is above it, and a socket layer of a few lines.
class Side {
 public:
  explicit Side(const SessionSettings& settings = {}) : session(settings, chunks_, events) {
    events.session = &session;
  }
  // Takes everything that the session has to send, as TCP with endless buffers would.
  Bytes take_output();
  // Takes at most `most` octets of that output.
  Bytes take_output(std::size_t most);
  void feed(Octets octets) { feed(octets, octets.size()); }
  // Feeds the octets in pieces of this size. The next call feeds first what the session did not
  // take.
  void feed(Octets octets, std::size_t piece);
  // Writes the octets straight to places() where the session names some, and feeds the others.
  void feed_placing(Octets octets);
  void feed_hex(std::string_view hex) { feed(from_hex(hex)); }
  std::size_t held_back() const { return held_.size(); }
  // Takes all chunks that the pool keeps. From here on output needs new memory.
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
  // Exchanges request, reply and the first FPDUs, and clears the logs of both sides.
  void connect();
  // Carries octets both ways until neither side has anything to send.
  void pump();
  Side active;
  Side passive;
  // The size of the pieces in which octets arrive. 0: all at once.
  std::size_t piece = 0;
  // If set: pieces have random sizes, and a random choice of them arrives through places().
  std::optional<std::mt19937> random;

 private:
  void carry(Side& from, Side& to);
  PairOptions options_;
};

// A responder in full operation towards a foreign peer, whose FPDUs the test writes. With
// `has_spoken` the first FPDU has come and was good. There is a CRC, one Recv of 64 octets, IRD 4,
// and the region kRegion, to which peers have every right.
class Target : public Side {
 public:
  static constexpr Stag kRegion = 0x12345601;
  explicit Target(const SessionSettings& settings = {.extensions = true}, bool has_spoken = true);
  // The error in the Terminate that the session sends, as layer/type/code. "": it sends none.
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
// The ULPDUs of the FPDUs in a stream without markers.
std::vector<Bytes> ulpdus(Octets stream);

WorkRequest send_of(std::span<const LocalTriplet> local, bool solicited = false);
WorkRequest write_of(std::span<const LocalTriplet> local, Stag stag, const void* to);
WorkRequest read_of(std::span<const LocalTriplet> local, Stag stag, const void* from);
LocalTriplet triplet(const void* from, std::size_t size);

using Log = std::vector<std::string>;

} // namespace datum::iwarp::test
