// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/process/kill_protocol.h: who says what to whom when a process is killed inside an
// operation.
//   survivor     the test: has connections, and judges what they see
//   victim       a process made for one death: prepares, waits for the word, carries out one
//                operation
//   executioner  forks victims, follows their system calls and instructions, kills at the point
//   asked
#pragma once

#include <cstddef>
#include <cstdint>

namespace datum::test {

enum class Operation : std::uint8_t {
  kListen,
  kConnect,
  kAccept,
  kReject,
  kSendSmall,
  kSendLarge,
  kReceiveSmall,
  kReceiveLarge,
  kWriteOrdinary,
  kWriteShareable,
  kReadOrdinary,
  kReadShareable,
  kBind,
  kDisconnectGraceful,
  kDisconnectAbrupt,
  kFreeEndpoint,
  kCloseAdapter,
};
inline constexpr int kOperations = 17;
const char* name_of(Operation operation);

inline constexpr std::size_t kSmall = 64;
inline constexpr std::size_t kLarge = std::size_t{600} * 1024; // three turns of a direct copy

struct Sentence {
  Operation operation;
  bool child_lives_on;         // a child of the victim keeps all that the victim had
  std::uint32_t landmark;      // die at this system call stop of the operation
  std::uint32_t steps;         // and so many instructions behind it
  std::uint64_t qualifier = 0; // the survivor's, or in kListen the one to listen on
};

// What the executioner reports: first that the victim is ready, then that it is dead.
enum class Report : std::uint8_t { kReady, kDiedInside, kDiedAfterwards, kFailed };

// What the victim tells the survivor.
struct VictimTerms {
  std::uint64_t qualifier; // kAccept, kReject: where it listens
};

// Private data of a connection: memory of the survivor that the victim may reach.
struct ReachableMemory {
  std::uint32_t ordinary;
  std::uint32_t shareable;
  std::uint64_t ordinary_address;
  std::uint64_t shareable_address;
};

} // namespace datum::test
