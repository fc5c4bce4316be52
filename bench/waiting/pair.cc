// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "waiting/pair.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <new>
#include <sched.h>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "limits/two.h"
#include "waiting/clock.h"

namespace waiting {
namespace {

// A short sleep for waits that are not measured: when the two sides wait for each other in meet(),
// and when the parent waits for the end of both.
void rest() {
  const timespec a_moment = {.tv_sec = 0, .tv_nsec = 200'000};
  nanosleep(&a_moment, nullptr);
}

class SharedControl {
 public:
  SharedControl() : control_(new (limits::shared_memory(sizeof(Control))) Control) {}
  ~SharedControl() { munmap(control_, sizeof(Control)); }
  SharedControl(const SharedControl&) = delete;
  SharedControl& operator=(const SharedControl&) = delete;
  Control& operator*() const { return *control_; }

 private:
  Control* control_;
};

void pin(int core) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<unsigned>(core), &one);
  if (sched_setaffinity(0, sizeof one, &one) != 0)
    throw std::runtime_error("core " + std::to_string(core) + ": " + std::strerror(errno));
}

[[noreturn]] void be(Control& control, Side side, int core, const Work& work) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  try {
    pin(core);
    Place place(control, side);
    place.own().pid = getpid();
    work(place);
    _exit(0);
  } catch (const std::exception& error) {
    std::strncpy(control.why.data(), error.what(), control.why.size() - 1);
  }
  _exit(1);
}

// A process of a run. The destructor kills it if it has not ended.
class Member {
 public:
  Member(Control& control, Side side, int core, const Work& work) : pid_(fork()) {
    if (pid_ < 0) throw std::runtime_error(std::string("fork: ") + std::strerror(errno));
    if (pid_ == 0) be(control, side, core, work);
  }
  ~Member() {
    if (ended_) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;

  bool ended() {
    if (!ended_) ended_ = waitpid(pid_, &status_, WNOHANG) == pid_;
    return ended_;
  }
  bool failed() const { return ended_ && status_ != 0; }

 private:
  pid_t pid_;
  bool ended_ = false;
  int status_ = 0;
};

} // namespace

void Place::meet() {
  auto& met = control.met;
  const std::uint32_t wanted = ++meetings_;
  met[static_cast<std::size_t>(side)].store(wanted, std::memory_order_release);
  while (met[static_cast<std::size_t>(other(side))].load(std::memory_order_acquire) < wanted)
    rest();
}

Outcome run_pair(std::array<int, 2> cores, double seconds, const Work& initiator,
                 const Work& target) {
  const SharedControl shared;
  Control& control = *shared;
  Member second(control, Side::Target, cores[1], target);
  Member first(control, Side::Initiator, cores[0], initiator);
  const std::int64_t give_up = now() + static_cast<std::int64_t>(seconds * 1e9);
  Outcome outcome;
  while (!(first.ended() && second.ended())) {
    if (first.failed() || second.failed()) break;
    if (now() > give_up) {
      outcome.why = "it did not end; an operation may have been lost";
      return outcome;
    }
    rest();
  }
  outcome.figures = control.figures;
  outcome.why = control.why.data();
  if (outcome.why.empty() && (first.failed() || second.failed())) outcome.why = "a process died";
  return outcome;
}

} // namespace waiting
