// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "tracer.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "kill_protocol.h"

namespace datum::test {

namespace {

// prctl() does not know this option, so the call fails and changes nothing.
constexpr unsigned long kMark = 0x4441544d;
constexpr unsigned long kBegin = 1;
constexpr unsigned long kEnd = 2;
constexpr int kSystemCallStop = SIGTRAP | 0x80;

long request(int what, pid_t thread, unsigned long address, unsigned long data) {
  return syscall(SYS_ptrace, what, thread, address, data);
}

std::vector<pid_t> threads_of(pid_t process) {
  std::vector<pid_t> threads;
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/task")) {
    threads.push_back(std::atoi(entry.path().filename().c_str()));
  }
  return threads;
}

// The signal to deliver to the thread, or 0 if ptrace itself caused the stop.
unsigned long signal_to_pass(int status) {
  const int number = WSTOPSIG(status);
  const bool ours = number == SIGTRAP || number == kSystemCallStop || (status >> 16) != 0;
  return ours ? 0 : static_cast<unsigned long>(number);
}

} // namespace

void mark_begin() {
  prctl(static_cast<int>(kMark), kBegin, 0, 0, 0);
}

void mark_end() {
  prctl(static_cast<int>(kMark), kEnd, 0, 0, 0);
}

Tracer::Tracer(pid_t process) : process_(process) {
  attached_ = true;
  for (const pid_t thread : threads_of(process)) attached_ = attached_ && attach(thread);
}

bool Tracer::attach(pid_t thread) {
  constexpr unsigned long kOptions =
      PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL;
  int status = 0;
  __ptrace_syscall_info info{}; // Linux 5.3
  return request(PTRACE_SEIZE, thread, 0, kOptions) == 0 &&
         request(PTRACE_INTERRUPT, thread, 0, 0) == 0 && waitpid(thread, &status, __WALL) >= 0 &&
         request(PTRACE_GET_SYSCALL_INFO, thread, sizeof info,
                 reinterpret_cast<unsigned long>(&info)) > 0 &&
         request(PTRACE_SYSCALL, thread, 0, 0) == 0;
}

Tracer::Stop Tracer::judge(pid_t thread, int status) {
  if (WSTOPSIG(status) != kSystemCallStop) return Stop::Other;
  __ptrace_syscall_info info{};
  if (request(PTRACE_GET_SYSCALL_INFO, thread, sizeof info,
              reinterpret_cast<unsigned long>(&info)) <= 0)
    return Stop::Other;
  if (info.op == PTRACE_SYSCALL_INFO_ENTRY && info.entry.nr == SYS_prctl &&
      info.entry.args[0] == kMark) {
    if (info.entry.args[1] == kEnd) return Stop::End;
    begun_ = true;
  }
  if (!begun_) return Stop::Other;
  return info.op == PTRACE_SYSCALL_INFO_ENTRY ? Stop::Entry : Stop::Exit;
}

Tracer::Death Tracer::kill_at(std::uint32_t landmark, std::uint32_t steps) {
  std::uint32_t passed = 0;
  for (;;) {
    int status = 0;
    const pid_t thread = waitpid(-1, &status, __WALL);
    if (thread < 0) return Death::Afterwards;
    if (!WIFSTOPPED(status)) {
      if (thread == process_) return Death::Afterwards;
      continue; // a thread that ended, or an earlier victim's child
    }
    const Stop stop = judge(thread, status);
    const bool entering = stop == Stop::Entry;
    const bool there = landmark == kBeginMark
                           ? stop == Stop::Exit && thread == process_
                           : (entering || stop == Stop::Exit) && passed++ == landmark;
    if (there && !entering) step(thread, steps);
    if (there || stop == Stop::End) {
      execute();
      if (!there) return Death::Afterwards;
      return entering ? Death::Entering : Death::Inside;
    }
    request(PTRACE_SYSCALL, thread, 0, signal_to_pass(status));
  }
}

// A thread that waits for a processor counts as awake.
bool Tracer::is_asleep(pid_t thread) const {
  std::ifstream file("/proc/" + std::to_string(process_) + "/task/" + std::to_string(thread) +
                     "/stat");
  std::string line;
  std::getline(file, line);
  const std::size_t name_end = line.rfind(')');
  return name_end == std::string::npos || line.compare(name_end, 3, ") S") == 0;
}

// If the thread falls asleep before its last step, step() returns early, and the thread dies there.
void Tracer::step(pid_t thread, std::uint32_t steps) {
  constexpr timespec kOneStep{0, 2'000'000};
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  if (steps == 0) return;
  request(PTRACE_SINGLESTEP, thread, 0, 0);
  for (std::uint32_t done = 0; done < steps;) {
    int status = 0;
    const pid_t stopped = waitpid(-1, &status, __WALL | WNOHANG);
    if (stopped < 0) return;
    if (stopped == 0) {
      if (sigtimedwait(&child, nullptr, &kOneStep) < 0 && errno == EAGAIN && is_asleep(thread))
        return;
      continue;
    }
    if (!WIFSTOPPED(status)) continue;
    const bool stepping = stopped == thread;
    if (stepping) steps_made_ = ++done;
    // Another thread that has reached the end mark is left stopped there.
    if (!stepping && judge(stopped, status) == Stop::End) continue;
    request(stepping ? PTRACE_SINGLESTEP : PTRACE_SYSCALL, stopped, 0, signal_to_pass(status));
  }
}

void Tracer::execute() {
  ::kill(process_, SIGKILL);
  int status = 0;
  for (;;) {
    const pid_t thread = waitpid(-1, &status, __WALL);
    if (thread < 0 || (thread == process_ && !WIFSTOPPED(status))) return;
  }
}

} // namespace datum::test
