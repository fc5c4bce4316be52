// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/process/tracer.h: follows all threads of a child of the caller through their system calls.
// Lives here: ptrace. A process marks the beginning and the end of an operation (mark_begin,
//             mark_end). Every entry and every exit of a system call in between is a landmark.
// Not here:   what the process does, and why a test kills it at a landmark.
// Threads:    only the thread that constructs a Tracer may use it, as ptrace(2) demands.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace datum::test {

// The followed process calls these. Both are system calls that do nothing.
void mark_begin();
void mark_end();

class Tracer {
 public:
  // Attaches to every thread and lets the threads go on. attached() is false if the kernel forbids
  // that.
  explicit Tracer(pid_t process);
  bool attached() const { return attached_; }

  enum class Death : std::uint8_t { Entering, Inside, Afterwards };
  // Kills the process at landmark number `landmark`, or at the end mark if that comes first. Number
  // 0 is the beginning. kBeginMark is the exit of the begin mark, whatever other threads do
  // meanwhile. If the landmark is the exit of a call, the thread first makes `steps` more
  // instructions. After an entry it makes none, since it would make none before the exit.
  Death kill_at(std::uint32_t landmark, std::uint32_t steps);
  // How many of the steps the thread made. These are fewer than ordered if the thread fell asleep.
  // The thread also falls asleep when the operation is over.
  std::uint32_t steps_made() const { return steps_made_; }

 private:
  enum class Stop : std::uint8_t { Entry, Exit, End, Other };
  bool attach(pid_t thread);
  Stop judge(pid_t thread, int status);
  void step(pid_t thread, std::uint32_t steps);
  bool is_asleep(pid_t thread) const;
  void execute();

  pid_t process_;
  bool attached_ = false;
  bool begun_ = false;
  std::uint32_t steps_made_ = 0;
};

} // namespace datum::test
