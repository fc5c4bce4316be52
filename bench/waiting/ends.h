// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// bench/waiting/ends.h: implements the roles of habits.h and two_words.h over DAT. For each cell it
// also implements them over a limit: the least software that could do the same on this machine.
//
// If both sides share a core, a limit's target answers in a second thread that sleeps, because a
// sleeping thread gets the core sooner than a polling one. A target whose habit is to sleep answers
// in its own thread, and has no second one.
//
// A thread that sleeps polls for a moment before, if that has paid lately (linger.h).
//
// The limits have the cell's habits, work between polls, cores and octets:
//   line     a request in a cache line and an answer in another. If the target's own thread does
//            not poll, a second thread of its process, asleep on a futex, is woken and answers.
//   copy     the kernel copies (/proc/PID/mem), for Writes and Reads within a host. While the
//            target polls on another core, a Write goes by a line instead. The initiator reads
//            from shared memory (Control::polls) whether the target polls.
//   sockets  TCP over loopback: a request and an answer as long as the frames of iWARP. The
//            target's own thread polls, or sleeps in recv(2). Otherwise a second thread sleeps
//            in recv(2).
// In the cells of Operation::TwoWords, a limit pays nothing when a side changes its habit: see
// CopyTwoWords and SocketTwoWords.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "waiting/habits.h"
#include "waiting/pair.h"
#include "waiting/two_words.h"

namespace waiting {

// The resources that both processes of a run share. They are made before the processes.
class Contest {
 public:
  virtual ~Contest() = default;
  virtual std::string name() const = 0; // "dat", "line", ...
  // Each function runs in the process of its side. It may call Place::meet(), so the process of the
  // other side must call its function, too.
  virtual std::unique_ptr<InitiatorEnd> initiator(Place& place) = 0;
  virtual std::unique_ptr<TargetEnd> target(Place& place) = 0;
  virtual std::unique_ptr<TwoWordsEnd> two_words(Place& place) = 0;
};

std::unique_ptr<Contest> dat_contest(const Cell& cell);
std::unique_ptr<Contest> limit_contest(const Cell& cell);

std::unique_ptr<Contest> memory_contest(const Cell& cell);
std::unique_ptr<Contest> socket_contest(const Cell& cell);

// Makes one run of the cell.
Outcome run(Contest& contest, const Cell& cell, std::array<int, 2> cores, const Bounds& bounds);

} // namespace waiting
