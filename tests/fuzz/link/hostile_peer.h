// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/fuzz/link/hostile_peer.h: the hostile end of a link. It knows the protocol, reads what it
// is sent, and writes what the input says into all memory that it maps.
#pragma once

#include <optional>

#include "../input.h"
#include "hostile_fabric.h"
#include "transport/link/record.h"

namespace datum::fuzz {

// A range of the honest side that the peer has heard of.
struct KnownRange {
  Stag stag = 0;
  std::uint64_t address = 0;
  std::uint64_t length = 0;
};

class HostilePeer {
 public:
  static constexpr std::size_t kConnections = 2;

  explicit HostilePeer(HostileFabric& fabric) : fabric_(fabric) {}
  // Begins with a new link: all positions are 0 again.
  void begin();

  // Reads what has come and remembers what an honest peer would have to know.
  void listen();
  // A request for a connection, or the answer to one, as an honest peer writes it.
  void connect(std::size_t which, ConnQual qualifier);
  void answer(std::size_t which);
  void confirm(std::size_t which);
  // A record that is right except for what the input changes.
  void send_record(Input& input, std::span<const KnownRange> ranges);

  void scribble(Input& input);
  void set_words(Input& input);
  void claim_tail(Input& input);
  void edit_region(Input& input);

 private:
  struct Connection {
    std::uint32_t honest_number = 0;
    std::uint32_t placed = 0; // messages and Writes to acknowledge
    std::uint32_t octets = 0;
  };
  SegmentSide& own_side() { return segment().side[1 - fabric_.port()->side()]; }
  SegmentSide& honest_side() { return segment().side[fabric_.port()->side()]; }
  LinkSegment& segment() { return fabric_.port()->segment(); }
  void learn(const RecordHeader& header);
  void put(const RecordHeader& header, std::uint32_t lines, Input* payload);
  RecordHeader control(RecordType type, std::size_t which) const;
  void fill_rdma(RecordHeader& header, Input& input, std::span<const KnownRange> ranges);
  void fill_fetch(std::byte* payload, Input& input, std::uint32_t segments);
  static std::uint32_t own_number(std::size_t which) {
    return 100 + static_cast<std::uint32_t>(which);
  }

  HostileFabric& fabric_;
  std::optional<RingProducer> out_;
  RingPosition read_; // how far an honest peer would say that it has read
  std::optional<RingConsumer> in_;
  Connection connections_[kConnections];
  std::size_t next_requested_ = 0;
};

} // namespace datum::fuzz
