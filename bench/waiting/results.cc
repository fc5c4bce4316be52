// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "waiting/results.h"

#include <array>
#include <cerrno>
#include <cinttypes>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace waiting {
namespace {

constexpr char kTitles[] = "cell\trepeat\tcontest\toperations\tseconds\tp50\tp90\tp99\tmax\t"
                           "counted_p99\tlong\texcused\tload\tfailure\n";

std::string key(const std::string& cell, const std::string& repeat) {
  return cell + " " + repeat;
}

double load() {
  double one_minute = 0;
  return getloadavg(&one_minute, 1) == 1 ? one_minute : 0;
}

} // namespace

Results::Results(const std::string& file) : out_(stdout) {
  if (!file.empty()) {
    read(file);
    out_ = std::fopen(file.c_str(), "a");
    if (out_ == nullptr) throw std::runtime_error(file + ": " + std::strerror(errno));
  }
  if (empty_) line(kTitles);
}

Results::~Results() {
  if (out_ != stdout) std::fclose(out_);
}

void Results::read(const std::string& file) {
  std::ifstream in(file);
  for (std::string text; std::getline(in, text);) {
    empty_ = false;
    std::istringstream fields(text);
    std::string cell, repeat;
    fields >> cell >> repeat;
    if (!begun_.insert(key(cell, repeat)).second) done_.insert(key(cell, repeat));
  }
}

bool Results::has(const std::string& cell, unsigned repeat) const {
  return done_.contains(key(cell, std::to_string(repeat)));
}

void Results::write(const Run& run, const Outcome& outcome) {
  const Figures& figures = outcome.figures;
  std::array<char, 400> numbers{};
  std::snprintf(numbers.data(), numbers.size(),
                "%" PRIu64 "\t%.3f\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64
                "\t%" PRIu64 "\t%" PRIu64 "\t%.2f",
                figures.operations, figures.seconds, figures.p50, figures.p90, figures.p99,
                figures.max, figures.counted_p99, figures.long_ones, figures.excused, load());
  const std::string text = run.cell + "\t" + std::to_string(run.repeat) + "\t" + run.contest +
                           "\t" + numbers.data() + "\t" + outcome.why + "\n";
  line(text.c_str());
}

// Writes at once, so that a program that was interrupted goes on after its last complete run.
void Results::line(const char* text) {
  if (std::fputs(text, out_) < 0 || std::fflush(out_) != 0)
    throw std::runtime_error(std::string("the results cannot be written: ") + std::strerror(errno));
}

} // namespace waiting
