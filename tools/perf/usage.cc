// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "perf/usage.h"

#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace datum::perf {
namespace {

std::uint64_t microseconds(const timeval& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000 +
         static_cast<std::uint64_t>(time.tv_usec);
}

std::uint64_t proportional_set() {
  std::ifstream file("/proc/self/smaps_rollup");
  std::string word;
  std::uint64_t kib = 0;
  while (file >> word)
    if (word == "Pss:" && file >> kib) return kib * 1024;
  return 0;
}

// The descriptor with which the folder is read counts, too.
std::uint64_t open_descriptors() {
  std::error_code error;
  std::uint64_t count = 0;
  for (std::filesystem::directory_iterator at("/proc/self/fd", error), end; !error && at != end;
       at.increment(error))
    ++count;
  return count;
}

} // namespace

std::uint64_t processor_time_now() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return microseconds(usage.ru_utime) + microseconds(usage.ru_stime);
}

Usage usage_now() {
  return {proportional_set(), open_descriptors()};
}

} // namespace datum::perf
