// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Two sessions in full operation: every kind of message, segmentation, markers, limits and order.
// The result must not depend on how the octets arrive.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "pair.h"

namespace datum::iwarp::test {
namespace {

// Sizes around all limits: of pads, of copies, of FPDUs, of messages.
constexpr std::size_t kSizes[] = {0,     1,     3,      4,      63,      64,      65,     1023,
                                  1024,  1025,  1424,   1428,   8191,    32768,   64750,  64754,
                                  64755, 65536, 100000, 262144, 1048576, 1048577, 3000000};

PairOptions with_crc(bool crc) {
  PairOptions options;
  options.active.crc = options.passive.crc = crc;
  return options;
}

// How octets arrive in a test.
struct Arrival {
  const char* name;
  std::size_t piece;
  unsigned seed;
};
const Arrival kArrivals[] = {{"whole", 0, 0}, {"in pieces", 1000, 0}, {"at random", 0, 17}};

void set(Pair& pair, const Arrival& arrival) {
  pair.piece = arrival.piece;
  if (arrival.seed != 0) pair.random.emplace(arrival.seed);
}

std::vector<LocalTriplet> cut(const Bytes& data, std::size_t segments) {
  std::vector<LocalTriplet> local;
  for (std::size_t i = 0; i < segments; ++i) {
    const std::size_t from = data.size() * i / segments;
    const std::size_t to = data.size() * (i + 1) / segments;
    local.push_back(triplet(data.data() + from, to - from));
  }
  return local;
}

// Rules: iwarp.T1
TEST(IwarpTransfer, SendsOfEverySize) {
  for (const bool crc : {false, true}) {
    for (const Arrival& arrival : kArrivals) {
      Pair pair(with_crc(crc));
      set(pair, arrival);
      pair.connect();
      std::size_t count = 0;
      for (const std::size_t size : kSizes) {
        SCOPED_TRACE(std::string(arrival.name) + " " + std::to_string(size));
        pair.passive.events.post_receive(size, 1 + size % 3);
        const Bytes data = pattern(size, 7, static_cast<unsigned>(size));
        const std::vector<LocalTriplet> local = cut(data, 1 + size % 5);
        const WorkRequest work = send_of(local, size % 2 == 1);
        ASSERT_EQ(pair.active.session.start(work), StartResult::Started);
        pair.pump();
        EXPECT_EQ(pair.active.events.take_log(), Log{"placed 1"});
        EXPECT_EQ(pair.passive.events.take_log(),
                  Log{"received " + std::to_string(size) + (size % 2 == 1 ? " solicited" : "")});
        ASSERT_TRUE(pair.passive.events.received(count++) == data);
      }
    }
  }
}

// Rules: iwarp.T2
TEST(IwarpTransfer, WritesOfEverySize) {
  for (const bool crc : {false, true}) {
    for (const Arrival& arrival : kArrivals) {
      Pair pair(with_crc(crc));
      set(pair, arrival);
      pair.connect();
      const std::byte* memory = pair.passive.events.add_region(0x501, 3000100, kRemoteWrite);
      for (const std::size_t size : kSizes) {
        SCOPED_TRACE(std::string(arrival.name) + " " + std::to_string(size));
        const Bytes data = pattern(size, 7, static_cast<unsigned>(size) + 1);
        const std::vector<LocalTriplet> local = cut(data, 1 + size % 5);
        const std::byte* to = memory + size % 67;
        const WorkRequest work = write_of(local, 0x501, to);
        ASSERT_EQ(pair.active.session.start(work), StartResult::Started);
        pair.pump();
        EXPECT_EQ(pair.active.events.take_log(), Log{"placed 1"});
        EXPECT_EQ(pair.passive.events.take_log(), Log{});
        ASSERT_TRUE(std::equal(data.begin(), data.end(), to));
      }
    }
  }
}

// Rules: iwarp.T3
TEST(IwarpTransfer, ReadsOfEverySize) {
  for (const bool crc : {false, true}) {
    for (const Arrival& arrival : kArrivals) {
      Pair pair(with_crc(crc));
      set(pair, arrival);
      pair.connect();
      std::byte* memory = pair.passive.events.add_region(0x501, 3000100, kRemoteRead);
      const Bytes source = pattern(3000100, 11, 5);
      std::copy(source.begin(), source.end(), memory);
      for (const std::size_t size : kSizes) {
        SCOPED_TRACE(std::string(arrival.name) + " " + std::to_string(size));
        Bytes data(size);
        const std::vector<LocalTriplet> local = cut(data, 1 + size % 5);
        const std::size_t from = size % 67;
        const WorkRequest work = read_of(local, 0x501, memory + from);
        ASSERT_EQ(pair.active.session.start(work), StartResult::Started);
        pair.pump();
        EXPECT_EQ(pair.active.events.take_log(), Log{"read done"});
        ASSERT_TRUE(std::equal(data.begin(), data.end(),
                               source.begin() + static_cast<std::ptrdiff_t>(from)));
      }
    }
  }
}

// Rules: iwarp.T4
TEST(IwarpTransfer, AtomicsInOrderWithReads) {
  Pair pair;
  pair.connect();
  std::byte* memory = pair.passive.events.add_region(0x501, 64, kRemoteRead | kRemoteAtomic);
  std::uint64_t value = 0x0000000100000002;
  std::memcpy(memory + 8, &value, sizeof value);
  std::array<std::uint64_t, 4> results{};
  std::array<LocalTriplet, 4> local;
  for (std::size_t i = 0; i < 4; ++i) local[i] = triplet(&results[i], 8);
  std::array<WorkRequest, 4> work;
  for (std::size_t i = 0; i < 4; ++i) work[i] = read_of(std::span(&local[i], 1), 0x501, memory + 8);
  const auto at = reinterpret_cast<std::uint64_t>(memory + 8);
  const AtomicRequest add{.stag = 0x501, .offset = at, .data = 5, .mask = 0};
  const AtomicRequest swap{.operation = AtomicOperation::CompareSwap,
                           .stag = 0x501,
                           .offset = at,
                           .data = 0x99,
                           .mask = ~std::uint64_t{0},
                           .compare = 0x0000000100000007};
  for (std::size_t i = 0; i < 4; ++i) {
    OutboundRequest request;
    request.opcode = i % 2 == 0 ? Rdmap::AtomicRequest : Rdmap::ReadRequest;
    request.work = &work[i];
    request.atomic = i == 0 ? add : swap;
    ASSERT_EQ(pair.active.session.start_extension(request), StartResult::Started);
  }
  pair.pump();
  EXPECT_EQ(pair.active.events.log(), Log(4, "read done"));
  EXPECT_EQ(results[0], 0x0000000100000002U);
  EXPECT_EQ(results[1], 0x0000000100000007U);
  EXPECT_EQ(results[2], 0x0000000100000007U);
  EXPECT_EQ(results[3], 0x99U);
}

// Rules: iwarp.T4
TEST(IwarpTransfer, WhatAtomicsDo) {
  AtomicRequest add{.data = 0x01ff, .mask = 0x8080};
  // Two fields of eight bits, and one of the other bits. No carry leaves its field.
  EXPECT_EQ(applied(add, 0x0101), 0x0200U);
  add = {.data = 1, .mask = 0};
  EXPECT_EQ(applied(add, ~std::uint64_t{0}), 0U);
  add = {.data = 1, .mask = std::uint64_t{1} << 31U};
  EXPECT_EQ(applied(add, 0x00000000ffffffff), 0U);
  add = {.data = 1, .mask = ~std::uint64_t{0}}; // every bit is a field
  EXPECT_EQ(applied(add, 3), 2U);
  AtomicRequest swap{.operation = AtomicOperation::CompareSwap,
                     .data = 0xabcd,
                     .mask = 0x00ff,
                     .compare = 0x1200,
                     .compare_mask = 0xff00};
  EXPECT_EQ(applied(swap, 0x1234), 0x12cdU);
  EXPECT_EQ(applied(swap, 0x1334), 0x1334U);
}

// Rules: iwarp.T5
TEST(IwarpTransfer, ImmediateDataAndInvalidation) {
  Pair pair;
  pair.connect();
  for (int i = 0; i < 3; ++i) pair.passive.events.post_receive(16);
  OutboundRequest request;
  request.opcode = Rdmap::ImmediateSolicited;
  request.immediate = 0x0102030405060708;
  ASSERT_EQ(pair.active.session.start_extension(request), StartResult::Started);
  const Bytes data = pattern(9, 1, 1);
  const LocalTriplet local = triplet(data.data(), data.size());
  const WorkRequest work = send_of(std::span(&local, 1));
  for (const Rdmap opcode : {Rdmap::SendInvalidate, Rdmap::SendSolicitedInvalidate}) {
    request.opcode = opcode;
    request.work = &work;
    request.invalidate = 77;
    ASSERT_EQ(pair.active.session.start_extension(request), StartResult::Started);
  }
  pair.pump();
  EXPECT_EQ(pair.passive.events.log(),
            (Log{"immediate 16909060 behind 84281096 solicited", "invalidated 77", "received 9",
                 "invalidated 77", "received 9 solicited"}));
  EXPECT_EQ(pair.active.events.log(), Log{"placed 3"});
}

// Rules: iwarp.T5
TEST(IwarpTransfer, ExtensionsOnlyToPeersThatTakeThem) {
  PairOptions options;
  options.active.hello = false;
  Pair pair(options);
  pair.connect();
  OutboundRequest request;
  request.opcode = Rdmap::Immediate;
  ASSERT_EQ(pair.active.session.start_extension(request), StartResult::Started);
  pair.pump();
  EXPECT_EQ(pair.active.events.log(), (Log{"request failed: status 7 behind 0", "broken"}));
}

// Rules: iwarp.T6
TEST(IwarpTransfer, SegmentsFitWhatTcpSendsAtOnce) {
  EXPECT_EQ(mulpdu(1460, false), 1454U);
  EXPECT_EQ(mulpdu(1460, true), 1442U);
  EXPECT_EQ(mulpdu(1448, false), 1442U);
  EXPECT_EQ(mulpdu(1448, true), 1430U);
  EXPECT_EQ(mulpdu(8960, false), 8954U);
  EXPECT_EQ(mulpdu(8960, true), 8882U);
  EXPECT_EQ(mulpdu(8948, false), 8942U);
  EXPECT_EQ(mulpdu(8948, true), 8870U);
  EXPECT_EQ(mulpdu(65483, false), 64768U);
  EXPECT_EQ(mulpdu(65483, true), 64768U);
  EXPECT_EQ(mulpdu(100, false), 128U);
  EXPECT_EQ(mulpdu(0, true), 128U);
  for (std::size_t emss = 536; emss < 2000; ++emss) EXPECT_LE(fpdu_size(mulpdu(emss, false)), emss);
}

// An initiator in full operation towards a foreign peer. `markers`: the peer wants markers.
struct Sender : Side {
  explicit Sender(bool markers, bool crc = true) : Side(settings(crc)) {
    session.connect({}, {.revision = 1, .reads_in = 4, .reads_out = 4}, events, 0);
    take_output();
    Bytes reply = from_hex("4d504120494420526570204672616d6540010000");
    if (markers) reply[16] |= std::byte{0x80};
    if (!crc) reply[16] &= std::byte{0xbf};
    feed(reply);
    events.take_log();
  }
  static SessionSettings settings(bool crc) {
    SessionSettings settings;
    settings.crc = crc;
    return settings;
  }
};

// Sends a message of 5000 octets, and returns the sizes of its ULPDUs.
std::vector<std::size_t> sizes_sent(Sender& side) {
  const Bytes data = pattern(5000, 1, 1);
  const LocalTriplet local = triplet(data.data(), data.size());
  const WorkRequest work = send_of(std::span(&local, 1));
  EXPECT_EQ(side.session.start(work), StartResult::Started);
  std::vector<std::size_t> sizes;
  for (const Bytes& ulpdu : ulpdus(side.take_output())) sizes.push_back(ulpdu.size());
  return sizes;
}

// The path may change during a connection, and with it the size of TCP's segments. Of a message the
// short FPDU goes first.
// Rules: iwarp.T6
TEST(IwarpTransfer, SegmentsFitWhatTcpSendsAtOnceNow) {
  using Sizes = std::vector<std::size_t>;
  Sender side(false);
  side.session.set_segment_size(8948);
  side.take_output();
  EXPECT_EQ(sizes_sent(side), Sizes{5018});
  side.session.set_segment_size(1448);
  EXPECT_EQ(sizes_sent(side), (Sizes{746, 1442, 1442, 1442}));
  side.session.set_segment_size(2948);
  EXPECT_EQ(sizes_sent(side), (Sizes{2094, 2942}));
}

// Removes the markers from a stream, and checks each against its position.
Bytes strip(Octets stream) {
  Bytes plain;
  std::size_t next = 0;   // where the current FPDU begins in `plain`
  std::size_t begins = 0; // where its length field begins in the stream
  std::size_t left = 0;   // octets left of the FPDU, plus one; 0: between two FPDUs
  for (std::size_t at = 0; at < stream.size();) {
    if (at % 512 == 0) {
      const std::size_t behind = std::to_integer<std::size_t>(stream[at + 2]) << 8U |
                                 std::to_integer<std::size_t>(stream[at + 3]);
      EXPECT_EQ(behind, left == 0 ? 0 : at - begins);
      EXPECT_EQ(stream[at] | stream[at + 1], std::byte{0});
      at += 4;
      continue;
    }
    if (left == 0) {
      begins = at;
      next = plain.size();
    }
    plain.push_back(stream[at++]);
    if (plain.size() == next + 2)
      left = fpdu_size(std::to_integer<std::size_t>(plain[next]) << 8U |
                       std::to_integer<std::size_t>(plain[next + 1])) -
             1;
    else if (plain.size() > next + 2)
      --left;
    else
      left = 1;
    if (plain.size() > next + 2 && left == 1) left = 0;
  }
  return plain;
}

// Rules: iwarp.T7
TEST(IwarpTransfer, MarkersWhereThePeerWantsThem) {
  Sender with(true, false);
  Sender without(false, false);
  Bytes streams[2];
  std::vector<Bytes> data;
  std::deque<LocalTriplet> locals;
  std::deque<WorkRequest> works;
  for (std::size_t size = 0; size < 1500; size += 17) {
    data.push_back(pattern(size, 7, static_cast<unsigned>(size)));
    locals.push_back(triplet(data.back().data(), size));
    works.push_back(send_of(std::span(&locals.back(), 1)));
  }
  int which = 0;
  for (Sender* side : {&with, &without}) {
    side->session.set_segment_size(side == &with ? 720 : 712); // ULPDUs of 706 octets
    streams[which] = side->take_output();
    for (const WorkRequest& work : works) {
      ASSERT_EQ(side->session.start(work), StartResult::Started);
      const Bytes octets = side->take_output();
      streams[which].insert(streams[which].end(), octets.begin(), octets.end());
    }
    ++which;
  }
  EXPECT_EQ(to_hex(Octets(streams[0]).first(4)), "00000000");
  EXPECT_EQ(to_hex(strip(streams[0])), to_hex(streams[1]));
}

// Markers count towards the size of a TCP segment.
// Rules: iwarp.T6 iwarp.T7
TEST(IwarpTransfer, SegmentsWithMarkersFitWhatTcpSendsAtOnce) {
  Sender side(true);
  side.session.set_segment_size(1448);
  side.take_output();
  const Bytes data = pattern(1412, 1, 1);
  const LocalTriplet local = triplet(data.data(), data.size());
  const WorkRequest work = send_of(std::span(&local, 1));
  ASSERT_EQ(side.session.start(work), StartResult::Started);
  EXPECT_LE(side.take_output().size(), 1448U) << "1430 octets of ULPDU, and up to three markers";
}

// Rules: iwarp.T8
TEST(IwarpTransfer, OrdIsKeptHoweverManyReadsAreStarted) {
  PairOptions options;
  options.passive_wishes.reads_in = 1;
  options.active_wishes.reads_out = 1;
  Pair pair(options);
  pair.connect();
  const std::byte* memory = pair.passive.events.add_region(0x501, 64, kRemoteRead);
  Bytes data(64);
  const LocalTriplet local = triplet(data.data(), data.size());
  for (int i = 0; i < 1000; ++i)
    pair.active.events.start_on_room.push_back(read_of(std::span(&local, 1), 0x501, memory));
  pair.active.events.on_room();
  pair.pump();
  EXPECT_EQ(pair.active.events.log(), Log(1000, "read done"));
  EXPECT_EQ(pair.passive.events.log(), Log{});
}

// Rules: iwarp.T8
TEST(IwarpTransfer, RtrReadCountsUntilItIsAnswered) {
  Side side;
  side.session.connect({}, {.reads_in = 1, .reads_out = 1}, side.events, 0);
  side.take_output();
  side.feed_hex("4d504120494420526570204672616d655002000480014001"); // read form, IRD 1
  EXPECT_EQ(ulpdus(side.take_output()).size(), 1U);
  Bytes data(8);
  const LocalTriplet local = triplet(data.data(), data.size());
  const WorkRequest work = read_of(std::span(&local, 1), 0x501, nullptr);
  ASSERT_EQ(side.session.start(work), StartResult::Started);
  EXPECT_EQ(ulpdus(side.take_output()).size(), 0U);
  side.feed(fpdu(tagged(Rdmap::ReadResponse, 1, 0)));
  const std::vector<Bytes> frames = ulpdus(side.take_output());
  ASSERT_EQ(frames.size(), 1U);
  // MSN 2 of queue 1.
  EXPECT_EQ(to_hex(Octets(frames[0]).first(18)), "414100000000000000010000000200000000");
}

// Rules: iwarp.T9
TEST(IwarpTransfer, PeerThatServesNoReads) {
  PairOptions options;
  options.passive_wishes.reads_in = 0;
  Pair pair(options);
  pair.connect();
  Bytes data(8);
  const LocalTriplet local = triplet(data.data(), data.size());
  const WorkRequest work = read_of(std::span(&local, 1), 0x501, nullptr);
  ASSERT_EQ(pair.active.session.start(work), StartResult::Started);
  EXPECT_EQ(pair.active.events.log(), Log{}) << "not from within start()";
  pair.pump();
  EXPECT_EQ(pair.active.events.log(), (Log{"read failed: status 7 behind 0", "broken"}));
}

// Rules: iwarp.T10
TEST(IwarpTransfer, ResponsesGoBetweenTheMessagesOfALongWrite) {
  Pair pair;
  pair.connect();
  const Bytes data = pattern(4 << 20, 3, 1);
  const LocalTriplet local = triplet(data.data(), data.size());
  const std::byte* sink = pair.passive.events.add_region(0x501, data.size(), kRemoteWrite);
  const std::byte* source = pair.active.events.add_region(0x502, 64, kRemoteRead);
  const WorkRequest write = write_of(std::span(&local, 1), 0x501, sink);
  ASSERT_EQ(pair.active.session.start(write), StartResult::Started);
  pair.active.take_output(100000); // the Write is under way
  Bytes read_data(64);
  const LocalTriplet read_local = triplet(read_data.data(), read_data.size());
  const WorkRequest read = read_of(std::span(&read_local, 1), 0x502, source);
  ASSERT_EQ(pair.passive.session.start(read), StartResult::Started);
  pair.active.feed(pair.passive.take_output());
  // The response leaves behind the first message of the Write. That message has 1 MiB. Three more
  // follow.
  std::size_t behind = 0;
  bool found = false;
  while (!found && pair.active.session.has_output()) {
    std::array<Octets, 256> pieces;
    const std::size_t count = pair.active.session.output(pieces, 0);
    std::size_t sent = 0;
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t at = 0; at + 18 <= pieces[i].size() && pieces[i].size() < 2000; ++at)
        found = found || to_hex(pieces[i].subspan(at, 2)) == "c142";
      sent += pieces[i].size();
    }
    behind += sent;
    pair.active.session.sent(sent, 0);
  }
  EXPECT_TRUE(found);
  EXPECT_LT(behind, 1500000U);
}

// Rules: iwarp.T11
TEST(IwarpTransfer, OwnMessagesDoNotStarveResponses) {
  Pair pair;
  pair.connect();
  std::byte* memory = pair.passive.events.add_region(0x501, 64, kRemoteRead);
  Bytes data(64);
  const LocalTriplet local = triplet(data.data(), data.size());
  const WorkRequest read = read_of(std::span(&local, 1), 0x501, memory);
  ASSERT_EQ(pair.active.session.start(read), StartResult::Started);
  for (int i = 0; i < 100; ++i)
    pair.passive.events.start_on_room.push_back(send_of(std::span(&local, 1)));
  pair.passive.feed(pair.active.take_output());
  pair.passive.events.on_room();
  const std::vector<Bytes> frames = ulpdus(pair.passive.take_output());
  std::size_t response = frames.size();
  for (std::size_t i = 0; i < frames.size(); ++i)
    if (to_hex(Octets(frames[i]).first(2)) == "c142") response = i;
  EXPECT_LE(response, 6U);
}

// Rules: iwarp.T12
TEST(IwarpTransfer, ReadStartsBehindTheMessagesBeforeIt) {
  Pair pair;
  pair.connect();
  const std::byte* memory = pair.passive.events.add_region(0x501, 64, kRemoteRead);
  Bytes data(64);
  const LocalTriplet local = triplet(data.data(), data.size());
  const WorkRequest send = send_of(std::span(&local, 1));
  const WorkRequest read = read_of(std::span(&local, 1), 0x501, memory);
  ASSERT_EQ(pair.active.session.start(send), StartResult::Started);
  ASSERT_EQ(pair.active.session.start(read), StartResult::Started);
  pair.pump();
  EXPECT_EQ(pair.active.events.log(), Log{}) << "the Send waits for a Recv";
  pair.passive.events.post_receive(64);
  pair.passive.session.on_receive_posted(0);
  pair.pump();
  EXPECT_EQ(pair.active.events.log(), (Log{"placed 1", "read done"}));
}

// Rules: iwarp.T13
TEST(IwarpTransfer, SequenceNumbersOfAnotherMessageBegin) {
  // Four Sends have the MSNs 1, 2, 3 and 4 on the wire.
  Sender side(false);
  side.take_output();
  const Bytes data = pattern(4, 1, 1);
  const LocalTriplet local = triplet(data.data(), data.size());
  const WorkRequest work = send_of(std::span(&local, 1));
  std::string numbers;
  for (int i = 0; i < 4; ++i) {
    ASSERT_EQ(side.session.start_now(work), StartResult::Started);
    for (const Bytes& frame : ulpdus(side.take_output()))
      numbers += to_hex(Octets(frame).subspan(10, 4)) + " ";
  }
  EXPECT_EQ(numbers, "00000001 00000002 00000003 00000004 ");
}

// Rules: iwarp.T14
TEST(IwarpTransfer, SmallMessagesShareOneGatheringCall) {
  Pair pair;
  pair.connect();
  const Bytes data = pattern(8, 1, 1);
  const LocalTriplet local = triplet(data.data(), data.size());
  const WorkRequest work = send_of(std::span(&local, 1));
  for (int i = 0; i < 256; ++i)
    ASSERT_EQ(pair.active.session.start_now(work), StartResult::Started);
  std::array<Octets, 8> pieces;
  ASSERT_EQ(pair.active.session.output(pieces, 0), 1U);
  EXPECT_EQ(pieces[0].size(), 256U * 32U);
}

// The session builds FPDUs as long as fewer octets than the bound wait for TCP. Each FPDU has 1024
// octets.
// Rules: iwarp.T22 ENV.17
TEST(IwarpTransfer, NoMoreIsMadeThanTcpShouldTake) {
  for (const std::size_t bound : {4 * 1024U, 4 * 1024U + 1, 5 * 1024U}) {
    SessionSettings settings;
    settings.most_unsent = bound;
    Target side(settings);
    side.session.set_segment_size(1460);
    const Bytes data = pattern(1000, 1, 1);
    const LocalTriplet local = triplet(data.data(), data.size());
    const std::vector<WorkRequest> requests(20, send_of(std::span(&local, 1)));
    std::size_t taken = 0;
    while (taken < requests.size() && side.session.start(requests[taken]) == StartResult::Started)
      ++taken;
    std::array<Octets, 64> pieces;
    std::size_t waiting = 0;
    const std::size_t count = side.session.output(pieces, 0);
    for (const Octets& piece : std::span(pieces).first(count)) waiting += piece.size();
    EXPECT_EQ(waiting, bound == 4 * 1024U ? 4096U : 5120U);
    EXPECT_EQ(taken, waiting / 1024 + 1) << "the last of them waits for room";
  }
}

// A request that found no room leaves first in the next call, together with others. Alone it would
// cost a system call of its own.
// Rules: iwarp.T23
TEST(IwarpTransfer, WhatThereIsRoomForLeavesTogether) {
  SessionSettings settings;
  settings.most_unsent = 4 * 1024;
  Target side(settings);
  side.session.set_segment_size(1460);
  const Bytes data = pattern(1000, 1, 1);
  const LocalTriplet local = triplet(data.data(), data.size());
  side.events.start_on_room.assign(20, send_of(std::span(&local, 1)));
  side.events.on_room();
  for (int call = 0; call < 5; ++call) {
    std::array<Octets, 64> pieces;
    std::size_t size = 0;
    const std::size_t count = side.session.output(pieces, 0);
    for (const Octets& piece : std::span(pieces).first(count)) size += piece.size();
    EXPECT_EQ(size, 4U * 1024U) << "call " << call;
    side.session.sent(size, 0);
  }
  EXPECT_FALSE(side.session.has_output());
}

// Rules: iwarp.T15
TEST(IwarpTransfer, StartWithinTheCallNeedsNothingAfterwards) {
  Sender side(false);
  side.take_output();
  side.session.set_segment_size(1448);
  {
    Bytes data = pattern(1000, 1, 1);
    LocalTriplet local = triplet(data.data(), data.size());
    WorkRequest work = send_of(std::span(&local, 1));
    ASSERT_EQ(side.session.start_now(work), StartResult::Started);
    std::fill(data.begin(), data.end(), std::byte{0});
    local = {};
    work = {};
  }
  const std::vector<Bytes> frames = ulpdus(side.take_output());
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(to_hex(Octets(frames[0]).subspan(18)), to_hex(pattern(1000, 1, 1)));
  // start_now() does not begin Reads, nor messages that are too large to copy.
  Bytes data(100000);
  const LocalTriplet local = triplet(data.data(), data.size());
  const WorkRequest large = send_of(std::span(&local, 1));
  EXPECT_EQ(side.session.start_now(large), StartResult::Later);
  const LocalTriplet few = triplet(data.data(), 8);
  EXPECT_EQ(side.session.start_now(read_of(std::span(&few, 1), 1, nullptr)), StartResult::Later);
  EXPECT_FALSE(side.session.has_output());
}

// Rules: iwarp.T16
TEST(IwarpTransfer, ResponseWithCrcIsOfOneMoment) {
  // The owner of the region may write to it meanwhile. That must not make the CRC wrong.
  Pair pair;
  pair.connect();
  std::byte* memory = pair.passive.events.add_region(0x501, 8192, kRemoteRead);
  Bytes data(8192);
  const LocalTriplet local = triplet(data.data(), data.size());
  const WorkRequest read = read_of(std::span(&local, 1), 0x501, memory);
  ASSERT_EQ(pair.active.session.start(read), StartResult::Started);
  pair.passive.feed(pair.active.take_output());
  std::array<Octets, 8> pieces;
  const std::size_t count = pair.passive.session.output(pieces, 0);
  std::fill(memory, memory + 8192, std::byte{0x5a});
  for (std::size_t i = 0; i < count; ++i) pair.active.feed(pieces[i]);
  EXPECT_EQ(pair.active.events.log(), Log{"read done"});
}

// Rules: iwarp.T21
TEST(IwarpTransfer, MessageWithCrcIsOfTheMomentOfItsPost) {
  // Programs written for RDMA adapters do change the buffers of posted requests. That must not end
  // their connection.
  Pair pair;
  pair.connect();
  std::byte* target = pair.passive.events.add_region(0x501, 8192, kRemoteWrite);
  Bytes data = pattern(8192, 1, 1);
  const LocalTriplet local = triplet(data.data(), data.size());
  const WorkRequest write = write_of(std::span(&local, 1), 0x501, target);
  ASSERT_EQ(pair.active.session.start(write), StartResult::Started);
  std::fill(data.begin(), data.end(), std::byte{0x5a});
  pair.passive.feed(pair.active.take_output());
  EXPECT_EQ(to_hex(Octets(target, 8192)), to_hex(pattern(8192, 1, 1)));
  EXPECT_EQ(pair.passive.events.log(), Log{});
}

// Rules: iwarp.T21
TEST(IwarpTransfer, MessageWithCrcThatWaitedForRoomIsOfLaterMoments) {
  Pair pair;
  pair.connect();
  std::byte* target = pair.passive.events.add_region(0x501, 8192, kRemoteWrite);
  Bytes data = pattern(8192, 1, 1);
  const LocalTriplet local = triplet(data.data(), data.size());
  const WorkRequest write = write_of(std::span(&local, 1), 0x501, target);
  int started = 0;
  while (started != 100 && pair.active.session.start(write) == StartResult::Started) ++started;
  ASSERT_GT(started, 1);
  ASSERT_LT(started, 100) << "all found room";
  std::fill(data.begin(), data.end(), std::byte{0x5a});
  for (Bytes sent = pair.active.take_output(); !sent.empty(); sent = pair.active.take_output())
    pair.passive.feed(sent);
  EXPECT_EQ(target[8191], std::byte{0x5a});
  EXPECT_EQ(pair.passive.events.log(), Log{}) << "no CRC was wrong";
}

} // namespace
} // namespace datum::iwarp::test
