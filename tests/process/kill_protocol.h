// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/process/kill_protocol.h: the messages between three processes, one of which is killed
// inside an operation.
//   survivor     is the test. It has connections, and judges what happens to them
//   victim       is made for one death. It prepares, waits for the survivor's word, and carries out
//                one operation
//   executioner  forks victims, follows their system calls and instructions, and kills them at the
//                ordered point
#pragma once

#include <cstddef>
#include <cstdint>

namespace datum::test {

enum class Operation : std::uint8_t {
  kListen,
  kReserve,
  kConnect,
  // In these operations the survivor asks for a connection, at the victim's qualifier.
  kAccept,
  kAcceptReserved,
  kReject,
  kHandOff,
  // In these and all following operations, survivor and victim are connected beforehand.
  kSendSmall,
  kSendLarge,
  kReceiveSmall,
  kReceiveLarge,
  kReceiveShared,
  kWriteOrdinary,
  kWriteShareable,
  kReadOrdinary,
  kReadShareable,
  kWriteRing,
  kReadRing,
  kBind,
  kRebind,
  kUnbind,
  kFreeRegion,
  kFreeWindow,
  kDuplicate,
  // In these and all following operations, the survivor may be told of an orderly end.
  kDisconnectGraceful,
  kDisconnectAbrupt,
  kResetEndpoint,
  kFreeEndpoint,
  kCloseAdapter,
};
inline constexpr int kOperations = 29;
const char* name_of(Operation operation);

constexpr bool asks_victim(Operation operation) {
  return operation >= Operation::kAccept && operation <= Operation::kHandOff;
}
constexpr bool is_connected(Operation operation) {
  return operation >= Operation::kSendSmall;
}
// Whether the survivor writes to the victim's memory during the operation.
constexpr bool exports_memory(Operation operation) {
  return operation == Operation::kFreeRegion || operation == Operation::kFreeWindow;
}
// Whether the operation makes no system call. Then the victim can only be killed at instructions.
constexpr bool is_silent(Operation operation) {
  return operation == Operation::kHandOff || operation == Operation::kReceiveShared ||
         operation == Operation::kResetEndpoint;
}
constexpr bool may_end_orderly(Operation operation) {
  return operation >= Operation::kDisconnectGraceful;
}

inline constexpr std::size_t kSmall = 64;
inline constexpr std::size_t kLarge = std::size_t{600} * 1024; // three turns of a direct copy

// The landmark at which the operation begins, in the thread that calls it.
inline constexpr std::uint32_t kBeginMark = 0xffffffff;

struct Sentence {
  Operation operation;
  bool child_lives_on;         // a child of the victim keeps the victim's descriptors and mappings
  std::uint32_t landmark;      // die at this begin or end of a system call of the operation
  std::uint32_t steps;         // and this many instructions after it, if it is the end of a call
  std::uint64_t qualifier = 0; // the survivor's; before kConnect the one to listen at
};

// What the executioner reports: first that the victim is ready, then that it is dead.
enum class Report : std::uint8_t { kReady, kDiedEntering, kDiedInside, kDiedAfterwards, kFailed };

// The victim's qualifier, for the survivor that asks it for a connection.
struct VictimTerms {
  std::uint64_t qualifier;
};

// The victim's memory, for the survivor that writes to it.
struct ExportedMemory {
  std::uint32_t context;
  std::uint64_t address;
};

// Private data of a connection: memory of the survivor that the victim may reach.
struct ReachableMemory {
  std::uint32_t ordinary;
  std::uint32_t shareable;
  std::uint64_t ordinary_address;
  std::uint64_t shareable_address;
};

} // namespace datum::test
