// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The recorded messages and shared memory of the first release. Today's messages and memory are the
// same, and a dialler that sends the recorded messages is served. Also peers of other versions.
#include <bit>
#include <cstddef>
#include <gtest/gtest.h>

#include "core/port/region_table.h"
#include "tests/unit/shm/stranger.h"
#include "tests/versions/recorded.h"
#include "transport/host/abstract_name.h"
#include "transport/link/record.h"

namespace datum::test {
namespace {

constexpr std::size_t kAddressAt = 24;

Greeting a_greeting(MessageKind kind) {
  Greeting greeting;
  greeting.preamble = {1, kind, DialVerdict::Fresh};
  greeting.id = {0x1122334455667788, 0x99aabbccddeeff00};
  constexpr unsigned kLoopback[] = {2, 0, 0, 0, 127, 0, 0, 1};
  for (std::size_t i = 0; i < std::size(kLoopback); ++i)
    greeting.address.bytes[i] = static_cast<std::byte>(kLoopback[i]);
  greeting.direct = {0x0102030405060708, 0x7fff00001000, 1, 77, 78, -1, -1};
  return greeting;
}

std::string said(const Greeting& greeting) {
  std::byte octets[Greeting::kWireSize];
  encode(greeting, octets);
  return hex_of(octets);
}
std::string said(MessageKind kind, bool has_direct) {
  Agreement agreement;
  agreement.preamble = {1, kind, DialVerdict::Fresh};
  agreement.has_direct = has_direct;
  std::byte octets[Agreement::kWireSize];
  encode(agreement, octets);
  return hex_of(octets);
}

// --- the first release ---------------------------------------------------------------------------

// Rules: VERSION.1
TEST(RecordedShm, TheHandshakeIsThatOfTheFirstRelease) {
  EXPECT_EQ(kHandshakeNumber, 1) << kRaise;
  EXPECT_EQ(said(a_greeting(MessageKind::Hello)), recorded_hex("shm-hello")) << kRaise;
  EXPECT_EQ(said(a_greeting(MessageKind::Answer)), recorded_hex("shm-answer")) << kRaise;
  EXPECT_EQ(said(MessageKind::Offer, true), recorded_hex("shm-offer")) << kRaise;
  EXPECT_EQ(said(MessageKind::Ready, false), recorded_hex("shm-ready")) << kRaise;
}

// The value of a word of the recorded segment, which is little-endian.
std::uint32_t word(std::span<const std::byte> octets, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i)
    value |= std::to_integer<std::uint32_t>(octets[4 * at + i]) << (8 * i);
  return value;
}

// Rules: VERSION.1
TEST(RecordedShm, ASegmentBeginsAsThatOfTheFirstRelease) {
  const std::vector<std::byte> octets = recorded("shm-segment");
  ASSERT_EQ(octets.size(), 16U);
  const SealedMemory memory = make_segment();
  const LinkSegment& segment = segment_in(memory.mapping);
  EXPECT_EQ(memory.mapping.size(), 393'664U) << kRaise;
  EXPECT_EQ(segment.magic, word(octets, 0)) << kRaise;
  EXPECT_EQ(segment.version, word(octets, 1)) << kRaise;
  EXPECT_EQ(segment.ring_slots, word(octets, 2)) << kRaise;
  EXPECT_EQ(segment.room_lines, word(octets, 3)) << kRaise;
}

// A field that becomes shorter, or takes the place of an unused one, changes the layout, too.
#define EXPECT_FIELD(type, field, offset, size)                                                    \
  EXPECT_EQ(offsetof(type, field), offset) << kRaise;                                              \
  EXPECT_EQ(sizeof(type::field), size) << kRaise

// Rules: VERSION.1
TEST(RecordedShm, SegmentAndRingsAreLaidOutAsInTheFirstRelease) {
  EXPECT_FIELD(LinkSegment, side, 64U, 384U);
  EXPECT_FIELD(LinkSegment, ring, 448U, 393'216U);
  EXPECT_EQ(sizeof(LinkSegment), 393'664U) << kRaise;
  EXPECT_FIELD(SegmentSide, sleep_epoch, 0U, 4U);
  EXPECT_FIELD(SegmentSide, wants_room, 4U, 4U);
  EXPECT_FIELD(SegmentSide, fences, 8U, 4U);
  EXPECT_FIELD(SegmentSide, retired, 12U, 4U);
  EXPECT_FIELD(SegmentSide, mark, 64U, 4U);
  EXPECT_FIELD(SegmentSide, tail, 128U, 64U);
  EXPECT_FIELD(RingTail, records, 0U, 8U);
  EXPECT_FIELD(RingTail, lines, 8U, 8U);
  EXPECT_FIELD(Ring, room, 65'536U, 131'072U);
  EXPECT_EQ(sizeof(Ring), 196'608U) << kRaise;
  EXPECT_EQ(sizeof(RingSlot), 64U) << kRaise;
  EXPECT_EQ(kMaxRecordLines, 256U) << kRaise;
}

// Rules: VERSION.1
TEST(RecordedShm, RecordsAreLaidOutAsInTheFirstRelease) {
  EXPECT_EQ(sizeof(RecordHeader), 64U) << kRaise;
  EXPECT_FIELD(RecordHeader, ring_word, 0U, 4U);
  EXPECT_FIELD(RecordHeader, type, 4U, 1U);
  EXPECT_FIELD(RecordHeader, flags, 5U, 1U);
  EXPECT_FIELD(RecordHeader, status, 6U, 1U);
  EXPECT_FIELD(RecordHeader, unused, 7U, 1U);
  EXPECT_FIELD(RecordHeader, connection, 8U, 4U);
  EXPECT_FIELD(RecordHeader, acked, 12U, 4U);
  EXPECT_FIELD(RecordHeader, returned, 16U, 4U);
  EXPECT_FIELD(RecordHeader, length, 20U, 4U);
  EXPECT_FIELD(RecordHeader, payload, 24U, 40U);
  EXPECT_FIELD(RdmaFields, stag, 0U, 4U);
  EXPECT_FIELD(RdmaFields, unused, 4U, 4U);
  EXPECT_FIELD(RdmaFields, address, 8U, 8U);
  EXPECT_FIELD(WriteFields, payload, 16U, 24U);
  EXPECT_FIELD(ReadFields, length, 16U, 8U);
  EXPECT_FIELD(FetchFields, length, 0U, 8U);
  EXPECT_FIELD(FetchFields, segments, 8U, 4U);
  EXPECT_FIELD(NoteFields, written, 0U, 8U);
  EXPECT_FIELD(NoteFields, value, 8U, 4U);
  EXPECT_FIELD(NoteFields, by, 12U, 4U);
  EXPECT_FIELD(TerminateFields, before, 0U, 4U);
  EXPECT_FIELD(AtomicFields, operand, 16U, 8U);
  EXPECT_FIELD(AtomicFields, compare, 24U, 8U);
  EXPECT_FIELD(FetchSegment, stag, 0U, 4U);
  EXPECT_FIELD(FetchSegment, unused, 4U, 4U);
  EXPECT_FIELD(FetchSegment, address, 8U, 8U);
  EXPECT_FIELD(FetchSegment, length, 16U, 8U);
  EXPECT_FIELD(ConnectFields, qualifier, 0U, 8U);
  EXPECT_FIELD(ConnectFields, number, 8U, 4U);
  EXPECT_FIELD(ConnectFields, zone, 12U, 4U);
  EXPECT_FIELD(ConnectFields, endpoint, 16U, 4U);
  EXPECT_FIELD(ConnectFields, reads_in, 20U, 4U);
  EXPECT_FIELD(ConnectFields, private_data_size, 24U, 4U);
  EXPECT_FIELD(ConnectFields, port, 28U, 4U);
  EXPECT_EQ(kMaxPiece, 8192U) << kRaise;
  EXPECT_EQ(kMaxFetchSegments, 64U) << kRaise;
}

// Rules: VERSION.1
TEST(RecordedShm, TheTypesAndFlagsOfRecordsAreThoseOfTheFirstRelease) {
  EXPECT_EQ(static_cast<int>(RecordType::Send), 1) << kRaise;
  EXPECT_EQ(static_cast<int>(RecordType::SendFetch), 2) << kRaise;
  EXPECT_EQ(static_cast<int>(RecordType::Write), 3) << kRaise;
  EXPECT_EQ(static_cast<int>(RecordType::ReadRequest), 4) << kRaise;
  EXPECT_EQ(static_cast<int>(RecordType::ReadData), 5) << kRaise;
  EXPECT_EQ(static_cast<int>(RecordType::Ack), 6) << kRaise;
  EXPECT_EQ(static_cast<int>(RecordType::Connect), 7) << kRaise;
  EXPECT_EQ(static_cast<int>(RecordType::Accept), 8) << kRaise;
  EXPECT_EQ(static_cast<int>(RecordType::Confirm), 9) << kRaise;
  EXPECT_EQ(static_cast<int>(RecordType::Refuse), 10) << kRaise;
  EXPECT_EQ(static_cast<int>(RecordType::Close), 11) << kRaise;
  EXPECT_EQ(static_cast<int>(RecordType::Terminate), 12) << kRaise;
  EXPECT_EQ(static_cast<int>(RecordType::Note), 13) << kRaise;
  EXPECT_EQ(static_cast<int>(RecordType::Atomic), 14) << kRaise;
  EXPECT_EQ(record_flag::kLast, 0x01) << kRaise;
  EXPECT_EQ(record_flag::kSolicited, 0x02) << kRaise;
  EXPECT_EQ(record_flag::kByConsumer, 0x04) << kRaise;
  EXPECT_EQ(record_flag::kOrderly, 0x08) << kRaise;
  EXPECT_EQ(record_flag::kReadClass, 0x10) << kRaise;
  EXPECT_EQ(record_flag::kCompare, 0x20) << kRaise;
  EXPECT_EQ(record_flag::kFetching, 0x40) << kRaise;
}

// Rules: VERSION.1
TEST(RecordedShm, RegionEntriesAreLaidOutAsInTheFirstRelease) {
  EXPECT_EQ(sizeof(RegionEntry), 64U) << kRaise;
  EXPECT_EQ(RegionTable::kCapacity, 131'072U) << kRaise;
  EXPECT_EQ(offsetof(RegionEntry, stag), 0U) << kRaise;
  EXPECT_EQ(offsetof(RegionEntry, access), 4U) << kRaise;
  EXPECT_EQ(offsetof(RegionEntry, base), 8U) << kRaise;
  EXPECT_EQ(offsetof(RegionEntry, length), 16U) << kRaise;
  EXPECT_EQ(offsetof(RegionEntry, zone), 24U) << kRaise;
  EXPECT_EQ(offsetof(RegionEntry, endpoint), 28U) << kRaise;
  EXPECT_EQ(offsetof(RegionEntry, backing_fd), 32U) << kRaise;
  EXPECT_EQ(offsetof(RegionEntry, window), 36U) << kRaise;
  EXPECT_EQ(offsetof(RegionEntry, backing_offset), 40U) << kRaise;
  EXPECT_EQ(offsetof(RegionEntry, origin), 48U) << kRaise;
  EXPECT_EQ(kRemoteWrite, 0x20U) << kRaise;
}

// The version number of a process with the byte order of this host. On a big-endian host it is
// 0x8001 for version 1.
constexpr std::uint16_t in_our_order(std::uint16_t number) {
  return static_cast<std::uint16_t>(number |
                                    (std::endian::native == std::endian::big ? 0x8000 : 0));
}

class Replayed : public testing::Test {
 protected:
  // A recorded message, which is little-endian, with the version number of this host's byte order.
  static std::vector<std::byte> said_in_our_order(const std::string& name) {
    std::vector<std::byte> octets = recorded(name);
    octets[5] |= static_cast<std::byte>(in_our_order(0) >> 8U);
    return octets;
  }
  // The recorded Hello. Its address is on this host, with the family in the byte order of this
  // host.
  static std::vector<std::byte> hello() {
    std::vector<std::byte> octets = said_in_our_order("shm-hello");
    const sa_family_t family = AF_INET;
    std::memcpy(&octets[kAddressAt], &family, sizeof family);
    return octets;
  }
  World world;
  Adapter a{world, "127.0.0.1"};
  std::unique_ptr<PublishedName> name = publish_any(a);
};

// Rules: VERSION.2
TEST_F(Replayed, ADiallerOfTheFirstReleaseIsServed) {
  Stranger first(world, name->qualifier());
  first.say(hello());
  EXPECT_EQ(first.hear(), DialVerdict::Fresh);
  const SealedMemory memory = make_sealed_memory("recorded", 393'664);
  const std::vector<std::byte> words = recorded("shm-segment");
  for (std::size_t i = 0; i < 4; ++i) {
    const std::uint32_t value = word(words, i);
    std::memcpy(memory.mapping.data() + 4 * i, &value, sizeof value);
  }
  const int fd = memory.file.get();
  first.say(said_in_our_order("shm-offer"), std::span(&fd, 1));
  EXPECT_EQ(first.hear(), DialVerdict::Fresh);
  EXPECT_EQ(a.links.size(), 1U);
}

// --- other numbers -------------------------------------------------------------------------------

// Rules: VERSION.5
TEST_F(Replayed, ADiallerOfAnotherVersionIsToldOursAndIsNamedInTheLog) {
  std::vector<std::byte> later = hello();
  later[4] = std::byte{9};
  Stranger other(world, name->qualifier());
  other.say(later);
  testing::internal::CaptureStderr();
  EXPECT_EQ(other.hear(), DialVerdict::WrongVersion);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "datum warn: process " + std::to_string(::getpid()) + " dials with version " +
                std::to_string(in_our_order(9)) +
                " of the same-host protocol, this one speaks version " +
                std::to_string(in_our_order(1)) +
                ": refused; install the same Datum for both, or let both use TCP "
                "(DATUM_TRANSPORT=auto)\n");
  EXPECT_EQ(other.hear(), std::nullopt);
  EXPECT_TRUE(a.links.empty());
}

// In another version only the first eight octets keep their meaning. Two of these octets, the kind
// and the verdict, may have new values.
// Rules: VERSION.5
TEST_F(Replayed, AHelloOfAnotherVersionMayBeOfAnySizeAndKind) {
  constexpr std::byte kLater[] = {std::byte{0x44}, std::byte{0x54}, std::byte{0x48},
                                  std::byte{0x53}, std::byte{2},    std::byte{0},
                                  std::byte{77},   std::byte{99},   std::byte{1}};
  Stranger other(world, name->qualifier());
  other.say(kLater);
  EXPECT_EQ(other.hear(), DialVerdict::WrongVersion);
}

// Rules: VERSION.6
TEST_F(Replayed, ASegmentOfAnotherVersionIsRefusedAndBothNumbersAreNamed) {
  for (const std::size_t size : {std::size_t{393'664}, std::size_t{4096}}) {
    Stranger other(world, name->qualifier());
    other.say(hello());
    EXPECT_EQ(other.hear(), DialVerdict::Fresh);
    const SealedMemory memory = make_sealed_memory("later", size);
    constexpr std::uint32_t kWords[] = {0x44544c4b, 5, 1024, 2048};
    std::memcpy(memory.mapping.data(), kWords, sizeof kWords);
    const int fd = memory.file.get();
    other.say(said_in_our_order("shm-offer"), std::span(&fd, 1));
    testing::internal::CaptureStderr();
    EXPECT_EQ(other.hear(), std::nullopt);
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "datum warn: process " + std::to_string(::getpid()) +
                  " offered a link segment of version 5, this one knows version 4: refused; "
                  "install the same Datum for both\n")
        << size;
    EXPECT_TRUE(a.links.empty());
  }
}

// Listens at the name that a service point of another version would take.
class OfVersion {
 public:
  OfVersion(const std::string& version, const std::string& host, ConnQual qualifier)
      : socket_(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)) {
    const std::string name = "datum/" + version + "/" + host + "/" + std::to_string(qualifier);
    EXPECT_EQ(take_name(socket_.get(), name), 0);
    EXPECT_EQ(::listen(socket_.get(), 8), 0);
  }

 private:
  UniqueFd socket_;
};

class OtherVersion : public testing::Test {
 protected:
  // A qualifier beyond 16 bits. No port says which process the name of such a qualifier belongs to.
  const ConnQual qualifier = (ConnQual{1} << 43U) + static_cast<ConnQual>(::getpid());
  World world;
  Adapter a{world, "127.0.0.1"};
  Dialled dialled;
};

// Rules: VERSION.4
TEST_F(OtherVersion, IsNamedByADialThatHasSharedMemoryAlone) {
  for (const char* host : {"127.0.0.1", "*"}) {
    Adapter fresh(world, "127.0.0.1");
    Dialled outcome;
    const OfVersion later("2", host, qualifier);
    testing::internal::CaptureStderr();
    dial_now(world, fresh, "127.0.0.1", qualifier, outcome);
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "datum warn: dial to 127.0.0.1 qualifier " + std::to_string(qualifier) +
                  ": the process there speaks version " + std::to_string(in_our_order(2)) +
                  " of the same-host protocol, this one version " +
                  std::to_string(in_our_order(1)) +
                  "; install the same Datum for both, or let both use TCP "
                  "(DATUM_TRANSPORT=auto)\n")
        << host;
    EXPECT_EQ(outcome.failure, DialFailure::Refused);
    outcome.dial.reset();
  }
}

// Rules: VERSION.4
TEST_F(OtherVersion, IsNamedOnceHoweverOftenItIsDialled) {
  const OfVersion later("3", "*", qualifier);
  dial_now(world, a, "127.0.0.1", qualifier, dialled);
  Dialled again;
  testing::internal::CaptureStderr();
  dial_now(world, a, "127.0.0.1", qualifier, again);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(again.failure, DialFailure::Refused);
}

// Rules: VERSION.4
TEST_F(OtherVersion, ThatIsNoneOfTheNextTwoIsNobody) {
  const OfVersion far("4", "127.0.0.1", qualifier);
  dial_now(world, a, "127.0.0.1", qualifier, dialled);
  EXPECT_EQ(dialled.failure, DialFailure::NobodyListens);
}

// A socket that has the name but does not listen is no rendezvous (qualifier_claim.h).
// Rules: VERSION.4
TEST_F(OtherVersion, ThatDoesNotListenIsNobody) {
  const UniqueFd holder(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  ASSERT_EQ(take_name(holder.get(), "datum/2/*/" + std::to_string(qualifier)), 0);
  dial_now(world, a, "127.0.0.1", qualifier, dialled);
  EXPECT_EQ(dialled.failure, DialFailure::NobodyListens);
}

// Rules: VERSION.3
TEST_F(OtherVersion, IsFoundByWhoeverHasAnotherWay) {
  const OfVersion later("2", "*", qualifier);
  const HostAddress host = *read_address(address_of("127.0.0.1"));
  EXPECT_EQ(a.fabric->find(host, qualifier).what, Lookup::OtherVersion);
  EXPECT_EQ(a.fabric->find(host, qualifier).version, in_our_order(2));
  // A listener of this version is preferred.
  const StrangeListener ours(world, qualifier);
  EXPECT_EQ(a.fabric->find(host, qualifier).what, Lookup::Found);
}

} // namespace
} // namespace datum::test
