// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// datum-versions-bench: measures the calls of DAT 2.0 beside those of DAT 1.2, in one process.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "versions/calls.h"

namespace {

using versions::Calls;

constexpr int kTurns = 20;

constexpr char kUsage[] =
    "usage: datum-versions-bench [ROUNDS [MICROSECONDS]]\n"
    "Prints a line for each kind of call: nanoseconds with DAT 1.2 and with DAT 2.0 (medians of\n"
    "ROUNDS, 31 unless given), and the ratio of 2.0 to 1.2 (lower quartile, median, upper "
    "quartile\n"
    "of the rounds). A round gives each version about MICROSECONDS, 2000 unless given, in 20 "
    "turns,\n"
    "and takes the median of those.\n"
    "With one VERSION of 1 or 2, a work and a number that version does that work so often, and\n"
    "nothing is printed, for tools that count: datum-versions-bench --count VERSION WORK TIMES\n";

double nanoseconds_each(Calls& calls, versions::Work work, int times) {
  const auto before = std::chrono::steady_clock::now();
  if (!calls.run(work, times)) {
    std::fputs("datum-versions-bench: a call failed\n", stderr);
    std::exit(1);
  }
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - before;
  return took.count() / times;
}

double at(std::vector<double> values, double part) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(
      std::lround(part * static_cast<double>(values.size() - 1)))];
}

// Both versions take short turns. So other work of the machine, and polls of a background thread,
// disturb only few turns of either version.
struct Round {
  double one;
  double two;
};
Round take_turns(Calls& one, Calls& two, versions::Work work, int times) {
  std::vector<double> first;
  std::vector<double> second;
  for (int turn = 0; turn < kTurns; ++turn) {
    // The version that runs second finds the machine warmer or slower, so the order changes.
    const bool swapped = turn % 2 != 0;
    const double a = nanoseconds_each(swapped ? two : one, work, times);
    const double b = nanoseconds_each(swapped ? one : two, work, times);
    first.push_back(swapped ? b : a);
    second.push_back(swapped ? a : b);
  }
  return {at(first, 0.5), at(second, 0.5)};
}

void compare(Calls& one, Calls& two, const versions::Named& named, int rounds, double nanoseconds) {
  constexpr int kWarmUp = 200;
  nanoseconds_each(two, named.work, kWarmUp);
  const double each = nanoseconds_each(one, named.work, kWarmUp);
  const int times = std::max(1, static_cast<int>(nanoseconds / kTurns / each));
  std::vector<double> first;
  std::vector<double> second;
  std::vector<double> ratios;
  for (int i = 0; i < rounds; ++i) {
    const Round round = take_turns(one, two, named.work, times);
    first.push_back(round.one);
    second.push_back(round.two);
    ratios.push_back(round.two / round.one);
  }
  std::printf("| %s | %.1f ns | %.1f ns | %.3f / **%.3f** / %.3f |\n", named.name, at(first, 0.5),
              at(second, 0.5), at(ratios, 0.25), at(ratios, 0.5), at(ratios, 0.75));
  std::fflush(stdout);
}

int count(char** arguments) {
  const bool one = std::strcmp(arguments[0], "1") == 0;
  const std::unique_ptr<Calls> calls(one ? datum_calls_of_dat1() : datum_calls_of_dat2());
  const auto work = std::strtoul(arguments[1], nullptr, 10);
  if (!calls || work >= versions::kWorks.size()) return 1;
  return calls->run(versions::kWorks[work].work, std::atoi(arguments[2])) ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
  if (argc == 5 && std::strcmp(argv[1], "--count") == 0) return count(argv + 2);
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 31;
  const int microseconds = argc > 2 ? std::atoi(argv[2]) : 2000;
  if (rounds <= 0 || microseconds <= 0 || argc > 3) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  const std::unique_ptr<Calls> one(datum_calls_of_dat1());
  const std::unique_ptr<Calls> two(datum_calls_of_dat2());
  if (!one || !two) {
    std::fputs("datum-versions-bench: no connection could be made; DATUM_LOG=info says why\n",
               stderr);
    return 1;
  }
  std::puts("| calls | DAT 1.2 | DAT 2.0 | ratio |\n|---|---|---|---|");
  for (const versions::Named& named : versions::kWorks)
    compare(*one, *two, named, rounds, microseconds * 1e3);
  return 0;
}
