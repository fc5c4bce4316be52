// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "perf/limits_helper.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "limits/limits.h"

namespace datum::perf {
namespace {

struct Request {
  Limit limit;
  std::size_t size;
};

int rounds_for(std::size_t size, int most) {
  constexpr std::size_t kBytes = std::size_t{256} << 20U;
  return static_cast<int>(std::clamp<std::size_t>(kBytes / std::max<std::size_t>(size, 1), 4,
                                                  static_cast<std::size_t>(most)));
}

double run(const Request& request) {
  const std::size_t size = request.size;
  switch (request.limit) {
  case Limit::OneLine: return limits::one_line_pingpong(100'000);
  case Limit::TwoLines: return limits::two_line_pingpong(100'000);
  case Limit::Ring: return limits::ring_pingpong(size, rounds_for(size, 100'000));
  case Limit::Put: return limits::put_pingpong(size, rounds_for(size, 100'000));
  case Limit::Futex: return limits::futex_handover(2'000);
  case Limit::RingRate:
    return limits::ring_rate(size, static_cast<std::size_t>(rounds_for(size, 2'000'000)));
  case Limit::CmaRead: return limits::cma_call(size, false, rounds_for(size, 20'000));
  case Limit::CmaWrite: return limits::cma_call(size, true, rounds_for(size, 20'000));
  case Limit::Memcpy: return limits::copy(size, rounds_for(size, 100'000));
  }
  return 0;
}

void answer(const Request& request, int answers) {
  double value = 0;
  int back[2];
  if (pipe(back) == 0) {
    const pid_t child = fork();
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
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

} // namespace

LimitsHelper::LimitsHelper() {
  int there[2], back[2];
  if (pipe(there) != 0 || pipe(back) != 0)
    throw std::system_error(errno, std::generic_category(), "pipes for the limits process");
  pid_ = fork();
  if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "the limits process");
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGINT, SIG_IGN); // Ctrl-C is our parent's to handle; we end when it closes the pipe
    close(there[1]);
    close(back[0]);
    Request request{};
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
  const Request request{limit, size};
  double value = 0;
  if (write(requests_, &request, sizeof request) != sizeof request ||
      read(answers_, &value, sizeof value) != sizeof value)
    return 0;
  return value;
}

} // namespace datum::perf
