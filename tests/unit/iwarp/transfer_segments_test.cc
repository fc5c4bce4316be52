// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// How messages are cut into FPDUs: segments that fit what TCP sends at once, and markers.
#include <gtest/gtest.h>

#include "transfer_sides.h"

namespace datum::iwarp::test::transfer {
namespace {

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

} // namespace
} // namespace datum::iwarp::test::transfer
