// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/unit/iwarp/bare_stream.h: what one part of a session needs in a test without the session: a
// stream in full operation, its queue of FPDUs, and a StreamControl that records the part's calls.
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

// One FPDU that the queue has given to TCP, decoded.
struct SentFpdu {
  Rdmap opcode = Rdmap::Send;
  bool last = false;
  std::uint32_t msn = 0;    // untagged only
  Stag stag = 0;            // tagged: of the buffer; untagged: to invalidate
  std::uint64_t offset = 0; // tagged: TO; untagged: MO
  Bytes payload;            // what follows the DDP header
};

struct FailedRequest {
  RequestClass kind = RequestClass::Placed;
  DtoStatus status = DtoStatus::Success;
  std::uint32_t before = 0;
  bool operator==(const FailedRequest&) const = default;
};

// A stream to an own peer. Each side serves two Reads at a time. There is no CRC. A ULPDU has at
// most 1000 octets.
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
  // Takes everything from the queue, as TCP would, and decodes it.
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
  // Adds FPDUs until the queue has no room for another one.
  void fill_queue() {
    ASSERT_TRUE(queue.ready());
    while (queue.room_for(UntaggedHeader::kWireSize, 0, true))
      queue.add(octets_of(TaggedHeader{}), {}, true, false, {});
  }
  // Takes all chunks that the pool keeps. From here on another chunk needs new memory.
  void hold_chunks() {
    for (int i = 0; i < 16; ++i) kept_.push_back(chunks.take());
  }

  static constexpr std::size_t kUlpdu = 1000;
  StandIn events;
  Stream stream;
  ChunkPool chunks;
  OutputQueue queue{chunks};
  MessageTurn turn;

  std::uint32_t completed = 0; // messages of Sends and Writes that TCP has taken whole
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
