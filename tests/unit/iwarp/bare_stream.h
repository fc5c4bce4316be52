// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/unit/iwarp/bare_stream.h: what the parts of a session lean on, without a session around
// them: a stream in full operation, its queue of FPDUs, and a control that notes what a part asks.
#pragma once

#include <array>
#include <gtest/gtest.h>
#include <memory>
#include <optional>

#include "pair.h"
#include "transport/iwarp/message_turn.h"
#include "transport/iwarp/output_queue.h"
#include "transport/iwarp/stream.h"

namespace datum::iwarp::test {

// One FPDU that left.
struct SentFpdu {
  Rdmap opcode = Rdmap::Send;
  bool last = false;
  std::uint32_t msn = 0;    // untagged
  Stag stag = 0;            // tagged; of an untagged one what it invalidates
  std::uint64_t offset = 0; // of either
  Bytes payload;            // behind the header of DDP
};

struct FailedRequest {
  RequestClass kind = RequestClass::Placed;
  DtoStatus status = DtoStatus::Success;
  std::uint32_t before = 0;
  bool operator==(const FailedRequest&) const = default;
};

// Towards a peer of ours that serves two Reads at a time, as we do; no CRC; FPDUs of 1000 octets.
class BareStream : public StreamControl {
 public:
  BareStream() {
    stream.events = &events;
    stream.peer = PeerKind::Own;
    stream.peer_takes_extensions = true;
    stream.terms.crc = false;
    stream.terms.reads_in = stream.terms.reads_out = 2;
    stream.most_ulpdu = kUlpdu;
    queue.begin_full_operation(false, false);
  }
  virtual ~BareStream() = default;
  // TCP takes everything that waits.
  std::vector<SentFpdu> take() {
    Bytes all;
    std::array<Octets, OutputChunk::kPieces> pieces;
    for (std::size_t count; (count = queue.gather(pieces)) != 0;) {
      const std::size_t before = all.size();
      for (const Octets piece : std::span(pieces).first(count))
        all.insert(all.end(), piece.begin(), piece.end());
      completed += queue.sent(all.size() - before);
    }
    std::vector<SentFpdu> sent;
    for (const Bytes& ulpdu : ulpdus(all)) sent.push_back(parse(ulpdu));
    return sent;
  }
  // What waits is more than it may be.
  void fill_queue() {
    ASSERT_TRUE(queue.ready());
    while (queue.room_for(UntaggedHeader::kWireSize, 0, true))
      queue.add(octets_of(TaggedHeader{}), {}, true, false, {});
  }
  // From here on no chunk is to be had that was used before.
  void hold_chunks() {
    for (int i = 0; i < 16; ++i) kept_.push_back(chunks.take());
  }

  static constexpr std::size_t kUlpdu = 1000;
  StandIn events;
  Stream stream;
  ChunkPool chunks;
  OutputQueue queue{chunks};
  MessageTurn turn;

  std::uint32_t completed = 0; // Sends and Writes that TCP has taken to their ends
  std::optional<Terminate> sent_terminate;
  std::optional<FailedRequest> failed;

 private:
  // StreamControl
  void fail(const Terminate& words) override { sent_terminate = words; }
  void fail_request(RequestClass kind, DtoStatus status, std::uint32_t before) override {
    failed = FailedRequest{kind, status, before};
  }
  void on_terminate(const Terminate&, const UntaggedHeader&) override {}
  void on_peer_close() override {}
  void on_valid_fpdu() override {}
  void on_first_fpdu(const Hello*) override {}

  static SentFpdu parse(const Bytes& ulpdu) {
    WireReader in(ulpdu);
    const bool is_of_tagged = (std::to_integer<unsigned>(ulpdu[0]) & 0x80U) != 0;
    SentFpdu fpdu;
    if (is_of_tagged) {
      TaggedHeader header;
      EXPECT_TRUE(decode(in, header));
      fpdu = {.opcode = header.control.opcode,
              .last = header.control.last,
              .stag = header.stag,
              .offset = header.offset,
              .payload = {}};
    } else {
      UntaggedHeader header;
      EXPECT_TRUE(decode(in, header));
      fpdu = {.opcode = header.control.opcode,
              .last = header.control.last,
              .msn = header.msn,
              .stag = header.invalidate,
              .offset = header.offset,
              .payload = {}};
    }
    fpdu.payload.assign(in.left().begin(), in.left().end());
    return fpdu;
  }
  std::vector<std::unique_ptr<OutputChunk>> kept_;
};

} // namespace datum::iwarp::test
