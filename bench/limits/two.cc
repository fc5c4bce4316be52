// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "two.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

namespace limits {
namespace {

struct Start {
  volatile int ready[2];
};

int g_child = 0;

int allowed_core(int which) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof allowed, &allowed);
  int seen = 0;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(static_cast<unsigned>(cpu), &allowed) && seen++ == which) return cpu;
  std::fprintf(stderr, "limits: %d cores are needed, this process may use %d\n", which + 1, seen);
  std::exit(2);
}

void pin(int cpu) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<unsigned>(cpu), &one);
  sched_setaffinity(0, sizeof one, &one);
}

// The end of a child that has failed ends this process, too: it may wait for what no process will
// do any more.
void end_with_child(int) {
  constexpr char kSaid[] = "limits: the second process failed\n";
  const int error = errno;
  siginfo_t end{};
  if (waitid(P_PID, static_cast<id_t>(g_child), &end, WEXITED | WNOHANG | WNOWAIT) == 0 &&
      end.si_pid == g_child && (end.si_code != CLD_EXITED || end.si_status != 0)) {
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kSaid, sizeof kSaid - 1);
    _exit(1);
  }
  errno = error;
}

// While an object of this class exists, end_with_child() runs when a child ends.
class ChildWatch {
 public:
  ChildWatch() {
    struct sigaction action {};
    action.sa_handler = end_with_child;
    action.sa_flags = SA_RESTART | SA_NOCLDSTOP;
    sigaction(SIGCHLD, &action, &before_);
    change_mask(SIG_BLOCK); // until the child's id is known
  }
  ~ChildWatch() { sigaction(SIGCHLD, &before_, nullptr); }
  ChildWatch(const ChildWatch&) = delete;
  ChildWatch& operator=(const ChildWatch&) = delete;
  static void begin() { change_mask(SIG_UNBLOCK); }

 private:
  static void change_mask(int how) {
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(how, &child, nullptr);
  }
  struct sigaction before_ {};
};

void meet(Start* start, int side) {
  start->ready[side] = 1;
  while (start->ready[1 - side] == 0) {
  }
}

} // namespace

void* shared_memory(std::size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (memory == MAP_FAILED) {
    std::perror("limits: mmap");
    std::exit(2);
  }
  return memory;
}

double run_two(const std::function<double()>& own, const std::function<void()>& other) {
  auto* start = static_cast<Start*>(shared_memory(sizeof(Start)));
  const int first = allowed_core(0);
  const int second = allowed_core(1);
  const ChildWatch watch;
  g_child = fork();
  if (g_child < 0) {
    std::perror("limits: fork");
    std::exit(2);
  }
  if (g_child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    g_child = getpid();
    ChildWatch::begin();
    pin(second);
    meet(start, 1);
    other();
    _exit(0);
  }
  ChildWatch::begin();
  cpu_set_t before;
  sched_getaffinity(0, sizeof before, &before);
  pin(first);
  meet(start, 0);
  const double result = own();
  int status = 0;
  waitpid(g_child, &status, 0);
  sched_setaffinity(0, sizeof before, &before);
  munmap(start, sizeof(Start));
  if (status != 0) {
    std::fprintf(stderr, "limits: the second process failed\n");
    std::exit(1);
  }
  return result;
}

std::int64_t now() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int child_pid() {
  return g_child;
}

} // namespace limits
