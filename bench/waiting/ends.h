// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// bench/waiting/ends.h: what fills the roles of habits.h and two_words.h: DAT, and for each cell
// the least software that could do the same on this machine.
//
// Where both sides share a core, a thread that sleeps is run sooner than one that looks: there the
// second thread answers unless the first one sleeps itself.
//
// The limits, with the habits, the work between polls, the cores and the octets of the cell:
//   line     a request in a cache line and an answer in another. Where the target's own thread does
//            not look, a second thread of its process, asleep on a futex, is woken and answers.
//   copy     the kernel copies (/proc/PID/mem): of Writes and Reads within a host. A Write goes by a
//            line while the target looks at one on another core, which is known at once here.
//   sockets  TCP over loopback: a request and an answer as long as the frames of iWARP. The own
//            thread of the target looks, or sleeps in recv(2); otherwise a second one sleeps there.
// In the cells of two words nothing of the habit costs a limit anything: see the two classes.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "waiting/habits.h"
#include "waiting/pair.h"
#include "waiting/two_words.h"

namespace waiting {

// What both processes of one run need, made before they are.
class Contest {
 public:
  virtual ~Contest() = default;
  virtual std::string name() const = 0; // "dat", "line", ...
  // Each in its process. The other side is met in between, so both have to be called.
  virtual std::unique_ptr<InitiatorEnd> initiator(Place& place) = 0;
  virtual std::unique_ptr<TargetEnd> target(Place& place) = 0;
  virtual std::unique_ptr<TwoWordsEnd> two_words(Place& place) = 0;
};

std::unique_ptr<Contest> dat_contest(const Cell& cell);
std::unique_ptr<Contest> limit_contest(const Cell& cell);

std::unique_ptr<Contest> memory_contest(const Cell& cell);
std::unique_ptr<Contest> socket_contest(const Cell& cell);

// One run of the cell.
Outcome run(Contest& contest, const Cell& cell, std::array<int, 2> cores, const Bounds& bounds);

} // namespace waiting
