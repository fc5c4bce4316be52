// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/shm/handshake_wire.h: what two adapters say to each other before they share a segment.
//
//   dialler                          dialled
//     Hello(my identity)       ->
//                              <-    Answer(verdict, my identity)       anything but Fresh ends it
//     Offer(segment, pidfd)    ->
//                              <-    Ready(verdict, pidfd)              Fresh: the link stands
//
// Each message is one SOCK_SEQPACKET record. Integers are little-endian. The first eight bytes keep
// their meaning in every version. After the handshake the socket carries doorbells, which are
// records of one byte.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/port/types.h"

namespace datum {

inline constexpr std::uint32_t kHandshakeMagic = 0x53485444; // "DTHS"
// The one version number of everything that two processes of a host share, including segment, ring,
// records and region entries: docs/design/versions.md. It is also in the name of the rendezvous.
inline constexpr std::uint16_t kHandshakeNumber = 1;
// Words in the segment are in the byte order of the process. If an emulator runs a process of
// another processor, two byte orders may meet on one host. They count as two versions.
inline constexpr std::uint16_t kBigEndianVersion = 0x8000;
inline constexpr std::uint16_t kHandshakeVersion =
    kHandshakeNumber | (std::endian::native == std::endian::big ? kBigEndianVersion : 0);

enum class MessageKind : std::uint8_t { Hello = 1, Answer = 2, Offer = 3, Ready = 4 };

enum class DialVerdict : std::uint8_t {
  Fresh = 0,        // no link between the two yet: continue
  Existing = 1,     // a link stands already: use it
  Again = 2,        // the sender is about to build a link, is busy, or lacks descriptors or memory
                    // for now: dial again shortly
  Full = 3,         // the sender has no room for a link, or its sandbox forbids one
  WrongVersion = 4, // the sender speaks another version, which is in the message
};

// 128 random bits, new for every adapter that is opened.
struct AdapterId {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  // clang-tidy 14 takes a 0 in the generated operator for a pointer.
  // NOLINTNEXTLINE(modernize-use-nullptr)
  auto operator<=>(const AdapterId&) const = default;
};

// Where a peer finds the nonce, the region table and the life token in the sender's process.
struct DirectTerms {
  std::uint64_t nonce = 0;
  // The address of the nonce. A process that has the nonce there is the sender.
  std::uint64_t nonce_address = 0;
  std::uint64_t device = 0;      // holds the memfds of the region table and the life token
  std::uint64_t table_inode = 0; // the region table
  std::uint64_t life_inode = 0;  // the life token
  std::int32_t table_fd = -1;    // descriptors of the sender; -1: direct access is not allowed
  std::int32_t life_fd = -1;
  bool operator==(const DirectTerms&) const = default;
};

struct Preamble {
  std::uint16_t version = kHandshakeVersion;
  MessageKind kind = MessageKind::Hello;
  DialVerdict verdict = DialVerdict::Fresh;
  bool operator==(const Preamble&) const = default;
};

struct Greeting { // Hello and Answer
  static constexpr std::size_t kWireSize = 8 + 16 + 32 + 5 * 8 + 2 * 4;
  Preamble preamble;
  AdapterId id;
  Address address;
  DirectTerms direct;
  bool operator==(const Greeting&) const = default;
};

struct Agreement { // Offer and Ready
  static constexpr std::size_t kWireSize = 8 + 4;
  Preamble preamble;
  bool has_direct = false; // the sender can reach the receiver's memory
  bool operator==(const Agreement&) const = default;
};

inline constexpr std::size_t kLargestMessage = Greeting::kWireSize;

// The advice of a log line about a peer of another version.
const char* remedy_for(std::uint16_t version);

void encode(const Greeting& message, std::span<std::byte, Greeting::kWireSize> out);
void encode(const Agreement& message, std::span<std::byte, Agreement::kWireSize> out);
// False: the message is too short, too long or of another kind, or has an impossible value. In a
// Preamble of another version the kind and the verdict are not checked.
bool decode(std::span<const std::byte> in, Preamble& out);
bool decode(std::span<const std::byte> in, Greeting& out);
bool decode(std::span<const std::byte> in, Agreement& out);

} // namespace datum
