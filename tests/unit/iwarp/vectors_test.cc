// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The frames of frames.h: each decodes to its fields, and its fields encode to its octets.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <thread>

#include "frames.h"
#include "pair.h"
#include "transport/iwarp/crc32c.h"
#include "transport/iwarp/crc32c_portable.h"
#include "transport/iwarp/startup_frame.h"
#include "vector_header.h"

namespace datum::iwarp::test {
namespace {

Bytes text(std::string_view from) {
  const Octets octets = std::as_bytes(std::span(from));
  return {octets.begin(), octets.end()};
}

const FpduVector& vector_named(std::string_view name) {
  return *std::find_if(std::begin(kFpduVectors), std::end(kFpduVectors),
                       [&](const FpduVector& each) { return each.name == name; });
}

// Rules: iwarp.V1
TEST(IwarpVectors, CrcValues) {
  EXPECT_EQ(crc32c(text("123456789")), 0xe3069283U);
  EXPECT_EQ(crc32c(Bytes(32)), 0x8a9136aaU);
  EXPECT_EQ(crc32c(Bytes(32, std::byte{0xff})), 0x62a8ab43U);
  EXPECT_EQ(crc32c(pattern(32, 1, 0)), 0x46dd794eU);
  EXPECT_EQ(crc32c(pattern(32, 255, 31)), 0x113fdb5cU);
  EXPECT_EQ(crc32c({}), 0U);
}

// Rules: iwarp.V1
TEST(IwarpVectors, CrcInPiecesIsTheCrcOfTheWhole) {
  const Bytes octets = pattern(5000, 7, 3);
  Crc32c crc;
  std::size_t at = 0;
  for (std::size_t size = 0; at < octets.size(); ++size) {
    const std::size_t piece = std::min(size, octets.size() - at);
    crc.add(Octets(octets).subspan(at, piece));
    at += piece;
  }
  EXPECT_EQ(crc.value(), crc32c(octets));
}

Bytes squares(std::size_t size) {
  Bytes octets(size);
  for (std::size_t i = 0; i < size; ++i) octets[i] = static_cast<std::byte>((i * i >> 3U) & 0xffU);
  return octets;
}

// Sizes around one and two blocks of crc32c_blocks.h, and a larger size.
// Rules: iwarp.V1
TEST(IwarpVectors, CrcValuesOfLongRuns) {
  EXPECT_EQ(crc32c(squares(8063)), 0x0209e230U);
  EXPECT_EQ(crc32c(squares(8064)), 0x42219ddcU);
  EXPECT_EQ(crc32c(squares(8065)), 0xccaf5cb7U);
  EXPECT_EQ(crc32c(squares(16128)), 0xb16207dfU);
  EXPECT_EQ(crc32c(squares(64750)), 0x5887c688U);
}

// The functions that compute the CRC in builds without ISA-L.
// Rules: iwarp.V1
TEST(IwarpVectors, CrcValuesWithoutALibrary) {
  for (const auto method : {&crc32c_by_tables, &crc32c_by_instruction, &crc32c_portable}) {
    if (method == &crc32c_by_instruction && !cpu_has_crc32c()) continue;
    const auto crc = [method](Octets octets) { return ~method(octets, 0xffffffff); };
    EXPECT_EQ(crc(text("123456789")), 0xe3069283U);
    EXPECT_EQ(crc(Bytes(32)), 0x8a9136aaU);
    EXPECT_EQ(crc(pattern(32, 255, 31)), 0x113fdb5cU);
    EXPECT_EQ(crc({}), 0U);
    EXPECT_EQ(crc(squares(64750)), 0x5887c688U);
    const Bytes whole = squares(64750);
    const std::uint32_t first = method(Octets(whole).first(20001), 0xffffffff);
    EXPECT_EQ(~method(Octets(whole).subspan(20001), first), 0x5887c688U);
  }
}

// Rules: iwarp.V1
TEST(IwarpVectors, CrcOfALongRunInPiecesAndUnaligned) {
  const Bytes octets = squares(64750);
  for (const std::size_t piece : {1U, 7U, 4096U, 8063U, 8065U, 20001U}) {
    Crc32c crc;
    for (std::size_t at = 0; at < octets.size(); at += piece)
      crc.add(Octets(octets).subspan(at, std::min(piece, octets.size() - at)));
    EXPECT_EQ(crc.value(), 0x5887c688U) << "in pieces of " << piece;
  }
}

// Rules: iwarp.V1
TEST(IwarpVectors, CrcOfACopy) {
  const Bytes octets = squares(64750);
  Bytes copy(octets.size());
  Crc32c crc;
  crc.copy(copy.data(), Octets(octets).first(20001));
  crc.copy(copy.data() + 20001, Octets(octets).subspan(20001));
  EXPECT_EQ(crc.value(), 0x5887c688U);
  EXPECT_EQ(copy, octets);
}

// The owner of a region may write to it while a Read Response is copied. The CRC has to be that of
// the octets that are sent.
// Rules: iwarp.V1
TEST(IwarpCopy, TheCrcIsThatOfTheCopyWhoeverWritesMeanwhile) {
  Bytes octets = squares(64750);
  Bytes copy(octets.size());
  std::atomic<bool> enough = false;
  std::thread writer([&] {
    for (unsigned i = 0; !enough; ++i)
      std::memset(octets.data(), static_cast<int>(i), octets.size());
  });
  for (int i = 0; i < 2000; ++i) {
    Crc32c crc;
    crc.copy(copy.data(), octets);
    ASSERT_EQ(crc.value(), crc32c(copy));
  }
  enough = true;
  writer.join();
}

// Rules: iwarp.V2
TEST(IwarpVectors, StartupFramesDecode) {
  for (const StartupVector& vector : kStartupVectors) {
    SCOPED_TRACE(vector.name);
    const Bytes octets = from_hex(vector.octets);
    StartupFrame frame;
    frame.reply = vector.reply;
    std::size_t size = 0;
    ASSERT_EQ(decode(octets, frame, size), StartupProgress::Complete);
    EXPECT_EQ(size, octets.size());
    EXPECT_EQ(frame.markers, vector.markers);
    EXPECT_EQ(frame.crc, vector.crc);
    EXPECT_EQ(frame.rejected, vector.rejected);
    EXPECT_EQ(frame.revision, vector.revision);
    EXPECT_EQ(to_hex(frame.private_data), vector.private_data);
    ASSERT_EQ(frame.enhanced.has_value(), vector.enhanced);
    if (!vector.enhanced) continue;
    EXPECT_EQ(frame.enhanced->peer_to_peer, vector.peer_to_peer);
    EXPECT_EQ(frame.enhanced->rtr_send, vector.rtr_send);
    EXPECT_EQ(frame.enhanced->rtr_write, vector.rtr_write);
    EXPECT_EQ(frame.enhanced->rtr_read, vector.rtr_read);
    EXPECT_EQ(frame.enhanced->ird, vector.ird);
    EXPECT_EQ(frame.enhanced->ord, vector.ord);
  }
}

// Rules: iwarp.V2
TEST(IwarpVectors, StartupFramesEncode) {
  for (const StartupVector& vector : kStartupVectors) {
    SCOPED_TRACE(vector.name);
    const Bytes data = from_hex(vector.private_data);
    StartupFrame frame;
    frame.reply = vector.reply;
    frame.markers = vector.markers;
    frame.crc = vector.crc;
    frame.rejected = vector.rejected;
    frame.revision = vector.revision;
    frame.private_data = data;
    if (vector.enhanced)
      frame.enhanced = EnhancedData{vector.peer_to_peer, vector.rtr_send, vector.rtr_write,
                                    vector.rtr_read,     vector.ird,      vector.ord};
    Bytes octets(frame.wire_size());
    encode(frame, octets.data());
    EXPECT_EQ(to_hex(octets), vector.octets);
  }
}

// Rules: iwarp.V2
TEST(IwarpVectors, StartupFramesAreIncompleteBeforeTheirLastOctet) {
  for (const StartupVector& vector : kStartupVectors) {
    SCOPED_TRACE(vector.name);
    const Bytes octets = from_hex(vector.octets);
    for (std::size_t size = 0; size < octets.size(); ++size) {
      const Bytes part(octets.begin(), octets.begin() + static_cast<std::ptrdiff_t>(size));
      StartupFrame frame;
      frame.reply = vector.reply;
      std::size_t end = 0;
      EXPECT_EQ(decode(part, frame, end), StartupProgress::Incomplete) << size;
    }
  }
}

// The octets of a vector without markers, padding and CRC: its ULPDU.
Bytes ulpdu_of(const FpduVector& vector) {
  const Bytes octets = from_hex(vector.octets);
  Bytes plain;
  // A marker is at every 512th octet of the stream, and also at its beginning.
  std::size_t position = 0;
  if (vector.markers) {
    for (const FpduVector& each : kFpduVectors) {
      if (each.connection != vector.connection) continue;
      if (&each == &vector) break;
      position += from_hex(each.octets).size();
    }
  }
  for (std::size_t i = 0; i < octets.size(); ++i) {
    if (vector.markers && (position + i) % 512 == 0) i += 4;
    if (i < octets.size()) plain.push_back(octets[i]);
  }
  const std::size_t size =
      std::to_integer<std::size_t>(plain[0]) << 8U | std::to_integer<std::size_t>(plain[1]);
  return {plain.begin() + 2, plain.begin() + 2 + static_cast<std::ptrdiff_t>(size)};
}

// Rules: iwarp.V3
TEST(IwarpVectors, DdpHeadersDecode) {
  for (const FpduVector& vector : kFpduVectors) {
    SCOPED_TRACE(vector.name);
    const Bytes ulpdu = ulpdu_of(vector);
    WireReader in(ulpdu);
    ASSERT_NO_FATAL_FAILURE(expect_header(in, vector));
    EXPECT_EQ(to_hex(in.left()), vector.payload);
  }
}

Bytes header_of(const FpduVector& vector) {
  const auto opcode = static_cast<Rdmap>(vector.opcode);
  if (vector.tagged)
    return octets_of(tagged(opcode, vector.stag, vector.tagged_offset, vector.last));
  UntaggedHeader header =
      untagged(opcode, vector.queue, vector.msn, vector.message_offset, vector.last);
  header.invalidate = vector.stag;
  return octets_of(header);
}

// Encodes each stream with an output queue. The payload is copied, or gathered in pieces.
void expect_streams(bool copied) {
  std::map<std::string, std::unique_ptr<OutputQueue>> streams;
  ChunkPool pool;
  for (const FpduVector& vector : kFpduVectors) {
    SCOPED_TRACE(vector.name);
    std::unique_ptr<OutputQueue>& queue =
        streams[std::string(1, vector.connection) + (vector.to_responder ? ">" : "<")];
    if (!queue) {
      queue = std::make_unique<OutputQueue>(pool);
      queue->begin_full_operation(vector.crc, vector.markers);
    }
    const Bytes payload = from_hex(vector.payload);
    std::vector<LocalTriplet> pieces;
    for (std::size_t at = 0; at < payload.size(); at += 13)
      pieces.push_back(
          triplet(payload.data() + at, std::min<std::size_t>(13, payload.size() - at)));
    const Bytes header = header_of(vector);
    ASSERT_TRUE(queue->ready());
    ASSERT_GE(queue->room_for(header.size(), pieces.size(), copied).value_or(0), payload.size());
    queue->add(header, {pieces, 0, payload.size()}, copied, false, {});
    Bytes sent;
    std::array<Octets, 64> gathered;
    const std::size_t count = queue->gather(gathered);
    for (const Octets& each : std::span(gathered).first(count))
      sent.insert(sent.end(), each.begin(), each.end());
    EXPECT_EQ(to_hex(sent), vector.octets);
    queue->sent(sent.size());
    EXPECT_TRUE(queue->empty());
  }
}

// Rules: iwarp.V3 iwarp.V6
TEST(IwarpVectors, FpdusEncodeCopied) {
  expect_streams(true);
}

// Rules: iwarp.V3 iwarp.V6
TEST(IwarpVectors, FpdusEncodeGathered) {
  expect_streams(false);
}

template <class Record>
void expect_both_ways(const Record& record, const char* payload) {
  EXPECT_EQ(to_hex(octets_of(record)), payload);
  Record read;
  const Bytes octets = from_hex(payload);
  WireReader in(octets);
  ASSERT_TRUE(decode(in, read));
  EXPECT_EQ(read, record);
  EXPECT_TRUE(in.left().empty());
}

// Rules: iwarp.V4
TEST(IwarpVectors, ReadRequests) {
  for (const ReadRequestVector& vector : kReadRequestVectors) {
    SCOPED_TRACE(vector.fpdu);
    const ReadRequest request{vector.sink_stag, vector.sink_offset, vector.size, vector.source_stag,
                              vector.source_offset};
    ASSERT_NO_FATAL_FAILURE(expect_both_ways(request, vector_named(vector.fpdu).payload));
  }
}

// Rules: iwarp.V4
TEST(IwarpVectors, Atomics) {
  for (const AtomicRequestVector& vector : kAtomicRequestVectors) {
    SCOPED_TRACE(vector.fpdu);
    const AtomicRequest request{static_cast<AtomicOperation>(vector.operation),
                                vector.identifier,
                                vector.stag,
                                vector.offset,
                                vector.data,
                                vector.mask,
                                vector.compare,
                                vector.compare_mask};
    ASSERT_NO_FATAL_FAILURE(expect_both_ways(request, vector_named(vector.fpdu).payload));
  }
  for (const AtomicResponseVector& vector : kAtomicResponseVectors) {
    SCOPED_TRACE(vector.fpdu);
    const AtomicResponse response{vector.identifier, vector.original};
    ASSERT_NO_FATAL_FAILURE(expect_both_ways(response, vector_named(vector.fpdu).payload));
  }
}

// Rules: iwarp.V5
TEST(IwarpVectors, Terminates) {
  for (const TerminateVector& vector : kTerminateVectors) {
    SCOPED_TRACE(vector.fpdu);
    Terminate terminate;
    terminate.error = {vector.layer, vector.type, vector.code};
    terminate.has_length = vector.length;
    terminate.has_header = vector.header;
    terminate.has_request = vector.request;
    terminate.segment_length = vector.segment_length;
    const Bytes echo = from_hex(vector.echo);
    std::copy(echo.begin(), echo.end(), terminate.header.begin());
    const Bytes echoed = from_hex(vector.echoed_request);
    WireReader in(echoed);
    if (vector.request) {
      ASSERT_TRUE(decode(in, terminate.request));
    }

    Bytes octets(Terminate::kMostOctets);
    octets.resize(encode(terminate, octets.data()));
    EXPECT_EQ(to_hex(octets), vector_named(vector.fpdu).payload);
    Terminate read;
    ASSERT_TRUE(decode(octets, read));
    EXPECT_EQ(read, terminate);
  }
}

// Rules: iwarp.V7
TEST(IwarpVectors, LargestUlpduOfTheRfc) {
  const Bytes payload = pattern(64750, 11, 1);
  const Bytes octets = fpdu(untagged(Rdmap::Send, 0, 3), payload);
  EXPECT_EQ(octets.size(), 64776U);
  EXPECT_EQ(to_hex(Octets(octets).first(20)), "fd00414300000000000000000000000300000000");
  EXPECT_EQ(to_hex(Octets(octets).last(6)), "0000fa14aab8");

  ChunkPool pool;
  OutputQueue queue(pool);
  queue.begin_full_operation(true, false);
  ASSERT_TRUE(queue.ready());
  const LocalTriplet source = triplet(payload.data(), payload.size());
  EXPECT_EQ(queue.room_for(18, 1, false), 64750U);
  queue.add(octets_of(untagged(Rdmap::Send, 0, 3)), {std::span(&source, 1), 0, payload.size()},
            false, false, {});
  std::array<Octets, 4> pieces;
  Bytes sent;
  for (std::size_t i = 0, count = queue.gather(pieces); i < count; ++i)
    sent.insert(sent.end(), pieces[i].begin(), pieces[i].end());
  EXPECT_EQ(sent, octets);
}

// Rules: iwarp.V7
TEST(IwarpVectors, LargestUlpduOfTheLengthField) {
  const Bytes payload = pattern(65521, 13, 5);
  const Bytes octets = fpdu(tagged(Rdmap::Write, 0x12345601, 0x100000000), payload);
  EXPECT_EQ(octets.size(), 65544U);
  EXPECT_EQ(to_hex(Octets(octets).first(16)), "ffffc140123456010000000100000000");
  EXPECT_EQ(to_hex(Octets(octets).last(7)), "0000006db0e4f1");

  // A receiver takes every length that the field can hold, although no sender may use the largest.
  Target target;
  Target whole;
  for (Target* each : {&target, &whole}) {
    std::byte* memory = each->events.add_region(0x33, 65600, kRemoteWrite);
    const Bytes write =
        fpdu(tagged(Rdmap::Write, 0x33, reinterpret_cast<std::uint64_t>(memory)), payload);
    each->feed(write, each == &target ? 9000 : write.size());
    EXPECT_TRUE(std::equal(payload.begin(), payload.end(), memory));
    EXPECT_EQ(each->terminate_code(), "");
  }
}

// Rules: iwarp.N1
TEST(IwarpVectors, NegativeFramesGiveTheTerminateListed) {
  for (const NegativeVector& vector : kNegativeVectors) {
    for (const bool split : {false, true}) {
      SCOPED_TRACE(std::string(vector.name) + (split ? " octet by octet" : ""));
      Target target;
      // neg_atomic_misaligned names an address in this region. Its alignment alone is wrong.
      target.events.revoke(Target::kRegion);
      target.events.add_region_at(Target::kRegion, 0x1000, 0x10000,
                                  kRemoteRead | kRemoteWrite | kRemoteAtomic);
      const Bytes octets = from_hex(vector.octets);
      target.feed(octets, split ? 1 : octets.size());
      char code[16];
      std::snprintf(code, sizeof code, "%x/%x/%02x", vector.layer, vector.type, vector.code);
      EXPECT_EQ(target.terminate_code(), code);
      EXPECT_EQ(target.events.log(), Log{"broken"});
    }
  }
}

// Rules: iwarp.N2
TEST(IwarpVectors, TerminateInTheBitOrderOfSiw) {
  const Bytes octets = from_hex(kQuirkSiwTerminateLe);
  Terminate terminate;
  ASSERT_TRUE(decode(Octets(octets).subspan(20), terminate));
  EXPECT_EQ(terminate.error, (ErrorCode{1, 2, 3}));
  EXPECT_TRUE(terminate.has_length);
  EXPECT_TRUE(terminate.has_header);
  EXPECT_FALSE(terminate.has_request);

  Target target;
  target.feed(octets);
  EXPECT_EQ(target.events.log(), Log{"broken"});
  EXPECT_EQ(target.session.last_error(), (ErrorCode{1, 2, 3}));
  EXPECT_EQ(target.terminate_code(), "") << "a Terminate is not answered";
}

// Rules: iwarp.N3
TEST(IwarpVectors, NegativeStartupFramesAreClosedWithoutAnswer) {
  for (const char* frame : {kNegMpaKey, kNegMpaPdlen, kNegMpaEnhShort}) {
    for (const std::size_t piece : {std::size_t{1}, std::size_t{1024}}) {
      SCOPED_TRACE(frame);
      Side side;
      side.session.expect_request(0);
      side.feed(from_hex(frame), piece);
      EXPECT_TRUE(side.session.finished());
      EXPECT_FALSE(side.session.has_output());
      EXPECT_EQ(side.events.log(), Log{});
    }
  }
}

} // namespace
} // namespace datum::iwarp::test
