// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// interop/siw: data between an endpoint of ours and siw, by every operation and in both directions.
#include <set>

#include "fixture.h"

namespace datum::siw {
namespace {

using test::Buffer;

constexpr std::size_t kMost = std::size_t{1} << 20;
// Sizes around the padding, siw's segment (1448, and 1440 rounded down), pages, and powers of two.
constexpr std::size_t kSizes[] = {1,    2,    3,     4,     5,     7,      64,
                                  65,   1000, 1421,  1422,  1423,  1440,   1448,
                                  4096, 9000, 65535, 65536, 65537, 262147, kMost};

std::string order(const char* verb, std::uint64_t cookie, std::size_t length) {
  return std::string(verb) + ' ' + std::to_string(cookie) + " 0 " + std::to_string(length);
}

std::string order(const char* verb, std::uint64_t cookie, std::size_t length,
                  const Buffer& target) {
  return order(verb, cookie, length) + ' ' + std::to_string(target.rmr_context()) + ' ' +
         std::to_string(target.address());
}

std::string on_range(const char* verb, std::size_t length, int seed) {
  return std::string(verb) + " 0 " + std::to_string(length) + ' ' + std::to_string(seed);
}

class SiwData : public SiwConnected {
 protected:
  DAT_RMR_TRIPLET target(std::size_t length) { return part(siw.memory(), length); }
  static DAT_RMR_TRIPLET part(const Remote& remote, std::size_t length) {
    return test::remote_part(remote.stag, remote.address, length);
  }

  Buffer buffer = side.buffer(kMost);
};

// Rules: SIW.10
TEST_P(SiwData, SendArrivesWhole) {
  int seed = 0;
  for (const std::size_t size : kSizes) {
    buffer.fill(static_cast<std::uint8_t>(++seed));
    siw.must(order("recv", 1, kMost));
    ASSERT_DAT_OK(test::post_send(side.ep(), {buffer.segment(0, size)}, size));
    siw.expect_done(1, size);
    expect_dto(side.request_evd(), size, size);
    siw.must(on_range("check", size, seed));
  }
}

// Rules: SIW.10
TEST_P(SiwData, SendOfSiwArrivesWhole) {
  int seed = 0;
  for (const std::size_t size : kSizes) {
    siw.must(on_range("fill", size, ++seed));
    ASSERT_DAT_OK(test::post_recv(side.ep(), {buffer.segment()}, size));
    siw.must(order("send", 2, size));
    expect_dto(side.recv_evd(), size, size);
    siw.expect_done(2, size);
    EXPECT_TRUE(buffer.holds(static_cast<std::uint8_t>(seed), 0, size)) << size;
  }
}

// Rules: SIW.11
TEST_P(SiwData, WriteArrivesBeforeTheSendBehindIt) {
  int seed = 0;
  for (const std::size_t size : kSizes) {
    buffer.fill(static_cast<std::uint8_t>(++seed));
    siw.must(order("recv", 1, 0));
    ASSERT_DAT_OK(test::post_write(side.ep(), {buffer.segment(0, size)}, target(size), size));
    ASSERT_DAT_OK(test::post_send(side.ep(), {}, 7));
    siw.expect_done(1, 0);
    siw.must(on_range("check", size, seed));
    expect_dto(side.request_evd(), size, size);
    expect_dto(side.request_evd(), 7, 0);
  }
}

// Rules: SIW.11
TEST_P(SiwData, WriteOfSiwArrivesBeforeTheSendBehindIt) {
  int seed = 0;
  for (const std::size_t size : kSizes) {
    siw.must(on_range("fill", size, ++seed));
    ASSERT_DAT_OK(test::post_recv(side.ep(), {}, size));
    siw.must(order("write", 2, size, buffer));
    siw.must(order("send", 3, 0));
    expect_dto(side.recv_evd(), size, 0);
    EXPECT_TRUE(buffer.holds(static_cast<std::uint8_t>(seed), 0, size)) << size;
    siw.expect_done(2, size);
    siw.expect_done(3, 0);
  }
}

// Rules: SIW.12
TEST_P(SiwData, ReadBringsWhatSiwHolds) {
  int seed = 0;
  for (const std::size_t size : kSizes) {
    siw.must(on_range("fill", size, ++seed));
    ASSERT_DAT_OK(test::post_read(side.ep(), {buffer.segment(0, size)}, target(size), size));
    expect_dto(side.request_evd(), size, size);
    EXPECT_TRUE(buffer.holds(static_cast<std::uint8_t>(seed), 0, size)) << size;
  }
}

// Rules: SIW.12
TEST_P(SiwData, ReadOfSiwBringsWhatWeHold) {
  int seed = 0;
  for (const std::size_t size : kSizes) {
    buffer.fill(static_cast<std::uint8_t>(++seed));
    // siw itself adds no rights to the sink. A sink without the right to remote writes works as
    // well.
    siw.must(order("read", 4, size, buffer));
    siw.expect_done(4, size);
    siw.must(on_range("check", size, seed));
  }
}

// Rules: SIW.13
TEST_P(SiwData, OperationsOfNothing) {
  siw.must(order("recv", 1, 0));
  ASSERT_DAT_OK(test::post_write(side.ep(), {}, target(0), 5));
  ASSERT_DAT_OK(test::post_read(side.ep(), {}, target(0), 6));
  ASSERT_DAT_OK(test::post_send(side.ep(), {}, 7));
  siw.expect_done(1, 0);
  expect_dto(side.request_evd(), 5, 0);
  expect_dto(side.request_evd(), 6, 0);
  expect_dto(side.request_evd(), 7, 0);
  ASSERT_DAT_OK(test::post_recv(side.ep(), {}, 8));
  siw.must(order("write", 2, 0, buffer));
  siw.must(order("read", 3, 0, buffer));
  siw.must(order("send", 4, 0));
  expect_dto(side.recv_evd(), 8, 0);
  // The Read waits for our answer, so siw may complete the later Send first.
  const std::multiset<std::string> done{siw.ask("done 10000"), siw.ask("done 10000"),
                                        siw.ask("done 10000")};
  EXPECT_EQ(done, (std::multiset<std::string>{"2 0 success", "3 0 success", "4 0 success"}));
}

// Rules: SIW.14
TEST_P(SiwData, MoreReadsThanSiwServesAtATime) {
  constexpr std::size_t kCount = 64;
  constexpr std::size_t kPiece = kMost / kCount;
  siw.must(on_range("fill", kMost, 9));
  const Remote source = siw.memory();
  for (std::size_t i = 0; i < kCount; ++i) {
    const Remote piece{source.stag, source.address + i * kPiece};
    ASSERT_DAT_OK(
        test::post_read(side.ep(), {buffer.segment(i * kPiece, kPiece)}, part(piece, kPiece), i));
  }
  for (std::size_t i = 0; i < kCount; ++i) expect_dto(side.request_evd(), i, kPiece);
  EXPECT_TRUE(buffer.holds(9, 0, kMost));
}

// Rules: SIW.15
TEST_P(SiwData, SendsOfBothSidesAtOnce) {
  constexpr std::uint64_t kCount = 200;
  Buffer taken = side.buffer(kMost);
  buffer.fill(3);
  siw.must(on_range("fill", 4096, 4));
  for (std::uint64_t i = 0; i < kCount; ++i) {
    siw.must("recv " + std::to_string(i) + " 65536 4096");
    ASSERT_DAT_OK(test::post_recv(side.ep(), {taken.segment(0, 4096)}, i));
  }
  for (std::uint64_t i = 0; i < kCount; ++i) {
    ASSERT_DAT_OK(test::post_send(side.ep(), {buffer.segment(65536, 4096)}, i));
    siw.must("send " + std::to_string(1000 + i) + " 0 4096");
  }
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  while (sent < kCount || received < kCount) {
    const std::string done = siw.ask("done 10000");
    const bool of_send = done.starts_with(std::to_string(1000 + sent) + ' ');
    const bool of_recv = done.starts_with(std::to_string(received) + " 4096 success");
    ASSERT_TRUE(of_send || of_recv) << done;
    ++(of_send ? sent : received);
  }
  for (std::uint64_t i = 0; i < kCount; ++i) {
    expect_dto(side.recv_evd(), i, 4096);
    expect_dto(side.request_evd(), i, 4096);
  }
  EXPECT_TRUE(taken.holds(4, 0, 4096));
  siw.must("check 65536 4096 3");
}

DATUM_SIW_BOTH_WAYS(SiwData);

} // namespace
} // namespace datum::siw
