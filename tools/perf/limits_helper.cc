// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "perf/limits_helper.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "common/interrupt.h"
#include "common/tool_error.h"
#include "limits/limits.h"
#include "perf/fork.h"

namespace datum::perf {
namespace {

struct LimitRun {
  Limit limit;
  std::size_t size;
};

constexpr double kRun = 20e6;       // ns that a measurement should take
constexpr double kStreamRun = 60e6; // for TCP streams, whose windows grow at first

// Runs measure() once with `first` rounds, then with as many rounds as fit into run_ns. `halves` is
// 2 if measure() returns half the time of a round, otherwise 1.
template <typename Measure>
double fit(Measure&& measure, double halves, int first, int most, double run_ns = kRun) {
  const double pilot = measure(first) * halves;
  if (!(pilot > 0)) return 0;
  const int rounds = static_cast<int>(std::clamp(run_ns / pilot, 4.0, static_cast<double>(most)));
  return measure(rounds);
}

double tcp_stream(std::size_t size, bool gather) {
  constexpr int kMost = 4'000'000;
  const int first = size < 4096 ? 1024 : 4;
  return fit([&](int n) { return limits::tcp_stream(size, gather, n); }, 1, first, kMost,
             kStreamRun);
}

double messages_per_second(std::size_t size) {
  const double pilot = limits::ring_rate(size, 64);
  const double count = std::clamp(pilot * kRun / 1e9, 64.0, 2e6);
  return limits::ring_rate(size, static_cast<std::size_t>(count));
}

double run(const LimitRun& request) {
  const std::size_t size = request.size;
  constexpr int kMost = 100'000;
  switch (request.limit) {
  case Limit::OneLine: return fit(limits::one_line_pingpong, 2, 500, kMost);
  case Limit::TwoLines: return fit(limits::two_line_pingpong, 2, 500, kMost);
  case Limit::Ring: return fit([&](int n) { return limits::ring_pingpong(size, n); }, 2, 4, kMost);
  case Limit::Put: return fit([&](int n) { return limits::put_pingpong(size, n); }, 2, 4, kMost);
  case Limit::Futex: return fit(limits::futex_handover, 2, 20, kMost);
  case Limit::RingRate: return messages_per_second(size);
  case Limit::CmaRead:
    return fit([&](int n) { return limits::cma_call(size, false, n); }, 1, 2, kMost);
  case Limit::CmaWrite:
    return fit([&](int n) { return limits::cma_call(size, true, n); }, 1, 2, kMost);
  case Limit::CmaReadNew:
    return fit([&](int n) { return limits::cma_read_new(size, n); }, 1, 2, kMost);
  case Limit::CmaPut:
    return fit([&](int n) { return limits::cma_put_pingpong(size, n); }, 2, 4, kMost);
  case Limit::CmaMessage:
    return fit([&](int n) { return limits::cma_pingpong(size, n); }, 2, 4, kMost);
  case Limit::Tcp: return fit([&](int n) { return limits::tcp_pingpong(size, n); }, 2, 4, kMost);
  case Limit::TcpEpoll:
    return fit([&](int n) { return limits::tcp_epoll_pingpong(size, n); }, 2, 4, kMost);
  case Limit::TcpStream: return tcp_stream(size, false);
  case Limit::TcpGather: return tcp_stream(size, true);
  case Limit::Memcpy: return fit([&](int n) { return limits::copy(size, n); }, 1, 2, kMost);
  }
  return 0;
}

void answer(const LimitRun& request, int answers) {
  double value = 0;
  int back[2];
  if (pipe(back) == 0) {
    const pid_t child = fork();
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      close(answers); // so the pipe ends with the helper, even if this child runs on
      const double measured = run(request);
      const bool told = write(back[1], &measured, sizeof measured) == sizeof measured;
      _exit(told ? 0 : 1);
    }
    close(back[1]);
    if (read(back[0], &value, sizeof value) != sizeof value) value = 0;
    close(back[0]);
    if (child > 0) waitpid(child, nullptr, 0);
  }
  if (write(answers, &value, sizeof value) != sizeof value) _exit(1);
}

// While an object of this class exists, a write to a helper that has ended fails with EPIPE and
// does not kill this process.
class WithoutPipeSignal {
 public:
  WithoutPipeSignal() : before_(signal(SIGPIPE, SIG_IGN)) {}
  ~WithoutPipeSignal() { signal(SIGPIPE, before_); }
  WithoutPipeSignal(const WithoutPipeSignal&) = delete;
  WithoutPipeSignal& operator=(const WithoutPipeSignal&) = delete;

 private:
  sighandler_t before_;
};

// How the child ended: "exit 1", "signal 9". Waits for the end.
std::string end_of(pid_t child) {
  siginfo_t info = {};
  if (waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT) != 0)
    return "it cannot be waited for";
  return fmt::format("{} {}", info.si_code == CLD_EXITED ? "exit" : "signal", info.si_status);
}

} // namespace

LimitsHelper::LimitsHelper(const FarSide& far) {
  int there[2], back[2];
  if (pipe(there) != 0 || pipe(back) != 0)
    throw std::system_error(errno, std::generic_category(), "pipes for the limits process");
  pid_ = fork_into("the process that measures the limits of this machine");
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!far.netns.empty()) limits::place_far_end(far.netns, far.address);
    // The parent handles Ctrl-C. The helper ends when the parent closes the pipe.
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    close(there[1]);
    close(back[0]);
    LimitRun request{};
    while (read(there[0], &request, sizeof request) == sizeof request) answer(request, back[1]);
    _exit(0);
  }
  close(there[0]);
  close(back[1]);
  requests_ = there[1];
  answers_ = back[0];
}

LimitsHelper::~LimitsHelper() {
  close(requests_);
  close(answers_);
  waitpid(pid_, nullptr, 0);
}

double LimitsHelper::measure(Limit limit, std::size_t size) {
  const LimitRun request{limit, size};
  double value = 0;
  {
    const WithoutPipeSignal here;
    if (write(requests_, &request, sizeof request) != sizeof request) fail();
  }
  if (read(answers_, &value, sizeof value) != sizeof value) fail();
  return value;
}

void LimitsHelper::fail() {
  tools::throw_if_interrupted();
  throw tools::ToolError(
      tools::ExitCode::Failed,
      fmt::format("process {}, which measures the limits of this machine, has ended ({}); "
                  "--no-limits measures without it",
                  pid_, end_of(pid_)));
}

} // namespace datum::perf
