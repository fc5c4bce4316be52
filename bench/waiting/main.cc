// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// datum-waiting: measures the time from post to completion for each habit of both sides, over Datum
// and over a limit with the same habits (ends.h). scripts/bench/waiting.py makes tables of the
// output.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <getopt.h>
#include <sched.h>
#include <stdexcept>
#include <string>
#include <vector>

#include "waiting/ends.h"
#include "waiting/results.h"

namespace {

using namespace waiting;

constexpr char kUsage[] =
    "usage: datum-waiting [OPTION...]\n"
    "  -c, --cells PATTERN    cells whose names fit, a pattern of the shell; may be repeated\n"
    "  -l, --list             prints the names of the cells, and ends\n"
    "  -q, --quick            1,000 operations or 0.3 s for each run: for a first impression\n"
    "  -n, --operations N     operations of a run (10,000)\n"
    "  -s, --seconds S        a run ends after so long, with however many operations (2)\n"
    "  -r, --repeat N         runs of each cell, by turns with its limit (3)\n"
    "  -o, --output FILE      tab-separated, a line for each run; what stands there already is "
    "not\n"
    "                         run again (standard output)\n";

struct Options {
  std::vector<std::string> patterns;
  Bounds bounds;
  unsigned repeats = 3;
  std::string output;
  bool list = false;
};

[[noreturn]] void refuse(const std::string& what) {
  std::fprintf(stderr, "datum-waiting: %s\n%s", what.c_str(), kUsage);
  std::exit(2);
}

double positive(const char* text, const char* option) {
  char* end = nullptr;
  const double value = std::strtod(text, &end);
  if (*end != '\0' || !(value > 0) || value > 1e9)
    refuse(std::string(option) + " " + text + ": a number above 0 is needed");
  return value;
}

Options options_of(int argc, char** argv) {
  static const std::array<option, 9> known = {{{"cells", required_argument, nullptr, 'c'},
                                               {"list", no_argument, nullptr, 'l'},
                                               {"quick", no_argument, nullptr, 'q'},
                                               {"operations", required_argument, nullptr, 'n'},
                                               {"seconds", required_argument, nullptr, 's'},
                                               {"repeat", required_argument, nullptr, 'r'},
                                               {"output", required_argument, nullptr, 'o'},
                                               {"help", no_argument, nullptr, 'h'},
                                               {nullptr, 0, nullptr, 0}}};
  Options options;
  for (int c = 0; (c = getopt_long(argc, argv, "c:lqn:s:r:o:h", known.data(), nullptr)) != -1;)
    switch (c) {
    case 'c': options.patterns.emplace_back(optarg); break;
    case 'l': options.list = true; break;
    case 'q': options.bounds = {.operations = 1'000, .seconds = 0.3}; break;
    case 'n':
      options.bounds.operations = static_cast<std::uint64_t>(positive(optarg, "--operations"));
      break;
    case 's': options.bounds.seconds = positive(optarg, "--seconds"); break;
    case 'r': options.repeats = static_cast<unsigned>(positive(optarg, "--repeat")); break;
    case 'o': options.output = optarg; break;
    case 'h': std::fputs(kUsage, stdout); std::exit(0);
    default: refuse("the option is not known, or lacks its value");
    }
  if (optind < argc) refuse(std::string(argv[optind]) + ": no argument is expected");
  if (options.bounds.operations < 1 || options.repeats < 1) refuse("1 is the least number");
  return options;
}

// The first two cores that this process may use.
std::array<int, 2> two_cores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  std::array<int, 2> cores{};
  std::size_t found = 0;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
    for (int core = 0; core < CPU_SETSIZE && found < cores.size(); ++core)
      if (CPU_ISSET(static_cast<unsigned>(core), &allowed)) cores[found++] = core;
  if (found < cores.size())
    throw std::runtime_error("two cores are needed; taskset -p $$ shows which may be used");
  return cores;
}

Figures measure(Contest& contest, const Cell& cell, unsigned repeat, const Bounds& bounds,
                Results& results) {
  static const std::array<int, 2> cores = two_cores();
  const Outcome outcome = run(contest, cell, cores, bounds);
  results.write({name_of(cell), repeat, contest.name()}, outcome);
  if (!outcome.why.empty())
    std::fprintf(stderr, "  %s: %s\n", contest.name().c_str(), outcome.why.c_str());
  return outcome.figures;
}

double us(std::uint64_t nanoseconds) {
  return static_cast<double>(nanoseconds) / 1e3;
}

void measure_both(const Cell& cell, unsigned repeat, const Bounds& bounds, Results& results) {
  const auto limit = limit_contest(cell);
  const auto dat = dat_contest(cell);
  // DAT and the limit take turns in being measured first.
  Figures floor, ours;
  if (repeat % 2 == 0) ours = measure(*dat, cell, repeat, bounds, results);
  floor = measure(*limit, cell, repeat, bounds, results);
  if (repeat % 2 != 0) ours = measure(*dat, cell, repeat, bounds, results);
  std::fprintf(stderr, "  p50 %.1f us (%s %.1f), p99 %.1f (%.1f), max %.0f (%.0f), %s%llu\n",
               us(ours.p50), limit->name().c_str(), us(floor.p50), us(ours.counted_p99),
               us(floor.counted_p99), us(ours.max), us(floor.max), "above 1 ms and not excused: ",
               static_cast<unsigned long long>(ours.long_ones - ours.excused));
}

void measure_all(const Options& options) {
  const std::vector<Cell> cells = cells_that_fit(options.patterns);
  if (cells.empty()) refuse("no cell has a name that fits; --list shows them");
  Results results(options.output);
  for (std::size_t i = 0; i < cells.size(); ++i)
    for (unsigned repeat = 1; repeat <= options.repeats; ++repeat) {
      const std::string name = name_of(cells[i]);
      if (results.has(name, repeat)) continue;
      std::fprintf(stderr, "%zu of %zu, %s, repeat %u\n", i + 1, cells.size(), name.c_str(),
                   repeat);
      measure_both(cells[i], repeat, options.bounds, results);
    }
}

} // namespace

int main(int argc, char** argv) {
  try {
    const Options options = options_of(argc, argv);
    if (options.list)
      for (const Cell& cell : cells_that_fit(options.patterns)) std::puts(name_of(cell).c_str());
    else
      measure_all(options);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "datum-waiting: %s\n", error.what());
    return 1;
  }
}
