// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// bench/waiting/cell.h: the cells of the matrix: the operation, transport, cores and both habits.
// Lives here: the habits of both sides, names.
// Not here:   the loops of a habit (habits.h).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace waiting {

enum class Operation : std::uint8_t {
  Send,
  Write,
  Read,
  // Two Writes to two words of the peer. The peer polls until it has the first word and then spins
  // on memory for the second: both sides have this habit (two_words.h).
  TwoWords,
};
enum class Transport : std::uint8_t { Shm, Tcp };
// The cores of the two processes. The threads of a process's library share the core of that
// process.
enum class Cores : std::uint8_t { Two, One };

// The initiator's work between two polls of its EVD, and before the first one.
enum class Initiator : std::uint8_t { Nothing, Work1, Work10, Work50, Yield };

enum class Target : std::uint8_t {
  SameEvd,   // polls the EVD of its Recvs
  OtherEvd,  // polls another EVD of the IA
  Spin,      // reads memory without a pause
  SpinYield, // as Spin, but calls sched_yield() after each reading
  Block,     // dat_evd_wait
  Cno,       // dat_cno_wait
  Compute,   // makes no call, and reads no memory that other processes write
  Turns,     // 100 us of polls, 100 us of work
  Alternate, // polls for one operation and spins on memory for the next
};

struct Cell {
  Operation operation = Operation::Send;
  Transport transport = Transport::Shm;
  Cores cores = Cores::Two;
  Initiator initiator = Initiator::Nothing;
  Target target = Target::SameEvd;
};

// "send/shm/two/tight/same-evd", "two-words/tcp/one".
std::string name_of(const Cell& cell);

// The cells whose name matches one of the shell patterns. Without a pattern, all cells.
std::vector<Cell> cells_that_fit(std::span<const std::string> patterns);

} // namespace waiting
