// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "waiting/figures.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <stdexcept>
#include <string>
#include <unistd.h>

#include "waiting/clock.h"

namespace waiting {
namespace {

// The product adapts to habits within some milliseconds. The backoff takes longest to adapt.
constexpr std::int64_t kWarmTime = 8 * kMillisecond;
constexpr std::uint64_t kWarmOperations = 16;
constexpr std::int64_t kLong = kMillisecond;

// The second number of schedstat: for how many nanoseconds the thread was ready and did not run
// (proc(5)).
std::uint64_t delay_of(int file) {
  std::array<char, 80> text{};
  const ssize_t got = pread(file, text.data(), text.size(), 0);
  if (got <= 0) return 0; // the thread has ended
  const char* const begin = text.data();
  const char* const end = begin + got;
  const char* const second = std::find(begin, end, ' ');
  std::uint64_t delay = 0;
  if (second != end) std::from_chars(second + 1, end, delay);
  return delay;
}

std::uint64_t at(const std::vector<std::uint64_t>& sorted, double share) {
  if (sorted.empty()) return 0;
  const auto index = static_cast<std::size_t>(share * static_cast<double>(sorted.size()));
  return sorted[std::min(index, sorted.size() - 1)];
}

} // namespace

RunDelay::RunDelay(std::span<const int> pids) {
  for (const int pid : pids) {
    const std::string folder = "/proc/" + std::to_string(pid) + "/task";
    DIR* const tasks = opendir(folder.c_str());
    if (tasks == nullptr) throw std::runtime_error(folder + ": " + std::strerror(errno));
    while (const dirent* task = readdir(tasks)) {
      if (task->d_name[0] == '.') continue;
      const std::string name = folder + "/" + task->d_name + "/schedstat";
      const int file = open(name.c_str(), O_RDONLY | O_CLOEXEC);
      if (file >= 0) files_.push_back(file);
    }
    closedir(tasks);
  }
}

RunDelay::~RunDelay() {
  for (const int file : files_) close(file);
}

std::uint64_t RunDelay::total() const {
  std::uint64_t sum = 0;
  for (const int file : files_) sum += delay_of(file);
  return sum;
}

Recorder::Recorder(const Bounds& bounds, std::span<const int> pids)
    : samples_(bounds.operations), delay_(pids), begun_(now()),
      end_(begun_ + static_cast<std::int64_t>(bounds.seconds * 1e9)) {
  look_at_delay();
}

void Recorder::look_at_delay() {
  delay_before_ = delay_.total();
  looked_ = now();
}

bool Recorder::is_warm(std::int64_t time) {
  if (measured_from_ != 0) return true;
  if (++warming_ < kWarmOperations || time < begun_ + kWarmTime) return false;
  measured_from_ = time;
  return false;
}

void Recorder::add(std::int64_t began, std::int64_t ended) {
  latest_ = ended;
  const std::uint64_t before = delay_before_;
  const bool is_long = ended - began > kLong;
  // Reads the delay between two samples, so that a reading precedes a long sample by little.
  if (is_long || ended - looked_ > kMillisecond) look_at_delay();
  if (!is_warm(ended)) return;
  Sample& sample = samples_[count_++];
  sample.took = static_cast<std::uint64_t>(ended - began);
  const std::uint64_t delay = delay_before_ - before;
  sample.excused = is_long && sample.took <= delay + static_cast<std::uint64_t>(kLong);
}

Figures Recorder::figures() {
  Figures figures;
  std::vector<std::uint64_t> all, counted;
  for (const Sample& sample : std::span(samples_).first(count_)) {
    all.push_back(sample.took);
    if (!sample.excused) counted.push_back(sample.took);
    if (sample.took > static_cast<std::uint64_t>(kLong)) ++figures.long_ones;
  }
  std::sort(all.begin(), all.end());
  std::sort(counted.begin(), counted.end());
  figures.operations = count_;
  figures.seconds = static_cast<double>(latest_ - measured_from_) / 1e9;
  figures.p50 = at(all, 0.5);
  figures.p90 = at(all, 0.9);
  figures.p99 = at(all, 0.99);
  figures.max = all.empty() ? 0 : all.back();
  figures.counted_p99 = at(counted, 0.99);
  figures.excused = all.size() - counted.size();
  return figures;
}

} // namespace waiting
