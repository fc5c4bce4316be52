// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "perf/probe.h"

#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <system_error>
#include <vector>

#include "perf/statistics.h"
#include "perf/stopwatch.h"

namespace datum::perf {
namespace {

constexpr int kRuns = 100;
constexpr int kRounds = 250;
constexpr double kLongestProbe = 5e9; // ns
constexpr double kFar = 90;           // ns

} // namespace

struct Probe::Page {
  alignas(64) std::atomic<std::uint64_t> line;
};

Probe::Probe() {
  void* const memory =
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (memory == MAP_FAILED)
    throw std::system_error(errno, std::generic_category(), "the page of the cache-line probe");
  page_ = static_cast<Page*>(memory);
}

namespace {

bool await(const std::atomic<std::uint64_t>& line, std::uint64_t value) {
  double since = 0;
  for (;;) {
    for (int i = 0; i < 1'000'000; ++i)
      if (line.load(std::memory_order_acquire) == value) return true;
    if (since == 0) since = now_ns();
    if (now_ns() - since > kLongestProbe) return false;
  }
}

} // namespace

double Probe::lead() {
  std::vector<double> runs;
  for (int run = 0; run < kRuns; ++run) {
    const double start = now_ns();
    for (int i = 0; i < kRounds; ++i) {
      page_->line.store(at_ + 1, std::memory_order_release);
      at_ += 2;
      if (!await(page_->line, at_)) return 0;
    }
    // The first run includes the wait for the other side, so it does not count.
    if (run > 0) runs.push_back((now_ns() - start) / (2.0 * kRounds));
  }
  return spread_of(runs).median;
}

void Probe::follow() {
  for (int i = 0; i < kRuns * kRounds; ++i) {
    if (!await(page_->line, at_ + 1)) return;
    at_ += 2;
    page_->line.store(at_, std::memory_order_release);
  }
}

const char* distance_name(double ns) {
  if (!(ns > 0)) return "unknown";
  return ns < kFar ? "near" : "far";
}

} // namespace datum::perf
