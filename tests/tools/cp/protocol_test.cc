// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/protocol.h"

#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include "cp/hello.h"

namespace datum::cp {
namespace {

std::vector<Message> one_of_each() {
  Digest digest;
  digest.fill(std::byte{0xd1});
  return {Job{Direction::Get, Method::Read, Mode::Verify, 65536, 8, 1, 1, 1, "a/b"},
          Path{"x"},
          PathsEnd{},
          Slots{7, 0x123456789abcdef0, 65536, 8},
          Total{3, 4},
          Offer{1, Kind::Symlink, 0644, {-1, 999'999'999}, 5, "p/q", "../target"},
          Want{2, 1U << 30},
          Chunk{3, 4096, 8192},
          Hole{4, 0, UINT64_MAX},
          End{5, digest, "why"},
          DirectoryEnd{6, 0755, {1, 2}, "d"},
          Result{7, Outcome::Failed, "text"},
          SlotFree{3},
          Problem{Severity::Error, "unreadable"},
          Done{},
          Bye{},
          Abort{5, "stop"},
          KeepAlive{},
          Load{7, 8192},
          Compare{8},
          Compared{9, digest}};
}

std::vector<std::byte> bytes_of(std::initializer_list<int> values) {
  std::vector<std::byte> bytes;
  for (int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

TEST(Protocol, EveryMessageSurvivesTheWire) {
  const auto messages = one_of_each();
  ASSERT_EQ(messages.size(), std::variant_size_v<Message>);
  for (const Message& message : messages) {
    const auto decoded = decode(encode(message));
    ASSERT_TRUE(decoded) << name_of(message);
    EXPECT_EQ(*decoded, message) << name_of(message);
  }
}

TEST(Protocol, ChunkHasTheseBytes) {
  EXPECT_EQ(encode(Chunk{1, 0x0203, 0x04050607}),
            bytes_of({8, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 2, 3, 4, 5, 6, 7}));
}

TEST(Protocol, LoadHasTheseBytes) {
  EXPECT_EQ(encode(Load{2, 0x04050607}), bytes_of({19, 0, 0, 0, 2, 4, 5, 6, 7}));
}

TEST(Protocol, SymlinkOfferHasTheseBytes) {
  EXPECT_EQ(encode(Offer{1, Kind::Symlink, 0x1ff, {2, 3}, 0, "a", "bc"}),
            bytes_of({6, 0, 0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 1, 0xff, 0, 0,   0, 0, 0,   0,  0,
                      2, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0,    1, 'a', 0, 2, 'b', 'c'}));
}

TEST(Protocol, EveryTruncationIsRefused) {
  for (const Message& message : one_of_each()) {
    const auto bytes = encode(message);
    for (std::size_t length = 0; length < bytes.size(); ++length)
      EXPECT_FALSE(decode(std::span(bytes).first(length))) << name_of(message) << " " << length;
  }
}

TEST(Protocol, BytesAfterTheMessageAreRefused) {
  for (const Message& message : one_of_each()) {
    auto bytes = encode(message);
    bytes.push_back(std::byte{0});
    EXPECT_FALSE(decode(bytes)) << name_of(message);
  }
}

TEST(Protocol, UnknownTypesAreRefused) {
  EXPECT_FALSE(decode(bytes_of({0})));
  EXPECT_FALSE(decode(bytes_of({22})));
  EXPECT_FALSE(decode(bytes_of({255})));
}

TEST(Protocol, EnumeratorsOutOfRangeAreRefused) {
  // Result: id, outcome, text. Outcome 4 is the last.
  EXPECT_TRUE(decode(bytes_of({12, 0, 0, 0, 0, 0, 0, 0, 1, 4, 0, 0})));
  EXPECT_FALSE(decode(bytes_of({12, 0, 0, 0, 0, 0, 0, 0, 1, 5, 0, 0})));
}

TEST(Protocol, StringsLongerThanAPathAreRefused) {
  std::vector<std::byte> bytes = bytes_of({2, 0x10, 0x01}); // Path, 4097 bytes
  bytes.resize(3 + 4097, std::byte{'a'});
  EXPECT_FALSE(decode(bytes));
  bytes[2] = std::byte{0};
  bytes.pop_back();
  EXPECT_TRUE(decode(bytes));
}

TEST(Protocol, TheLongestOfferFitsAMessage) {
  const Offer offer{1, Kind::File, 0, {}, 0, std::string(5000, 'a'), std::string(5000, 'b')};
  EXPECT_LE(encode(offer).size(), 8704U);
}

TEST(Protocol, GarbageIsRefusedOrDecodedButNeverHarmful) {
  std::mt19937 random(20240501);
  int decoded = 0;
  for (int round = 0; round < 200'000; ++round) {
    std::vector<std::byte> bytes(random() % 64);
    for (std::byte& b : bytes) b = static_cast<std::byte>(random());
    if (!bytes.empty()) bytes[0] = static_cast<std::byte>(random() % 23);
    if (const auto message = decode(bytes)) {
      ++decoded;
      EXPECT_EQ(encode(*message), bytes);
    }
  }
  EXPECT_GT(decoded, 0);
}

TEST(Hello, SurvivesTheWireAndFitsPrivateData) {
  Hello hello{2, 4711, {}};
  hello.token.fill(std::byte{0xab});
  EXPECT_LE(encode(hello).size(), 64U);
  EXPECT_EQ(decode_hello(encode(hello)), hello);
  const HelloAnswer answer{2, 4712, Answer::WrongToken};
  EXPECT_EQ(decode_answer(encode(answer)), answer);
}

// Rules: VERSION.17
TEST(Hello, IsThatOfTheFirstRelease) {
  constexpr char kRecorded[] = "Dcp1"             // magic
                               "\x00\x02"         // version
                               "\x00\x00\x12\x67" // pid
                               "tokentokentoken.";
  Hello hello{2, 4711, {}};
  const std::string_view token = "tokentokentoken.";
  std::memcpy(hello.token.data(), token.data(), token.size());
  EXPECT_EQ(encode(hello), std::string(kRecorded, sizeof kRecorded - 1));
  constexpr char kAnswer[] = "Dcp1\x00\x02\x00\x00\x12\x68\x01";
  EXPECT_EQ(encode(HelloAnswer{2, 4712, Answer::WrongVersion}),
            std::string(kAnswer, sizeof kAnswer - 1));
}

// If a message changes, kProtocolVersion must be raised (docs/design/versions.md), and both numbers
// here must be changed.
// Rules: VERSION.17
TEST(Protocol, IsThatOfTheFirstRelease) {
  EXPECT_EQ(kProtocolVersion, 2);
  std::uint64_t sum = 0xcbf29ce484222325; // FNV-1a
  for (const Message& message : one_of_each())
    for (const std::byte octet : encode(message))
      sum = (sum ^ std::to_integer<std::uint64_t>(octet)) * 0x100000001b3;
  EXPECT_EQ(sum, 2'731'768'187'679'335'240U);
}

TEST(Hello, OtherProgramsAreRecognisedAsSuch) {
  EXPECT_FALSE(decode_hello(""));
  EXPECT_FALSE(decode_hello("GET / HTTP/1.1"));
  EXPECT_FALSE(decode_answer(std::string(64, '\0')));
  EXPECT_FALSE(decode_hello(encode(Hello{}).substr(0, 20)));
}

TEST(Hello, AnotherVersionIsReadFarEnoughToSayWhich) {
  const std::string later = encode(Hello{3, 5, {}}).substr(0, 10) + "something else";
  const auto hello = decode_hello(later);
  ASSERT_TRUE(hello);
  EXPECT_EQ(hello->version, 3);
  EXPECT_EQ(hello->pid, 5U);
}

} // namespace
} // namespace datum::cp
