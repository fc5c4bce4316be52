// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "common/human.h"

#include <array>
#include <cctype>
#include <charconv>

#include <fmt/format.h>

#include "base/printable.h"

namespace datum::tools {

std::string human_size(std::uint64_t bytes) {
  static constexpr std::array kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  // 1023.95 would be printed as "1024.0".
  while (value >= 1023.95 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string chosen_size(std::uint64_t bytes) {
  static constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  std::uint64_t whole = bytes;
  for (; whole >= 1024 && whole % 1024 == 0; whole /= 1024) ++unit;
  return whole < 1024 ? fmt::format("{} {}", whole, kUnits[unit]) : human_size(bytes);
}

std::string human_rate(std::uint64_t bytes, std::chrono::nanoseconds time) {
  if (time.count() <= 0) return "-";
  // Bytes per nanosecond are GB/s.
  const double rate = static_cast<double>(bytes) / static_cast<double>(time.count());
  if (rate >= 0.9995) return fmt::format("{:.2f} GB/s", rate);
  if (rate >= 0.0009995) return fmt::format("{:.1f} MB/s", rate * 1e3);
  return fmt::format("{:.1f} kB/s", rate * 1e6);
}

std::string human_duration(std::chrono::nanoseconds time) {
  const auto ns = static_cast<double>(time.count());
  if (ns < 1e3) return fmt::format("{} ns", time.count());
  if (ns < 1e6) return fmt::format("{:.2f} us", ns / 1e3);
  if (ns < 1e9) return fmt::format("{:.2f} ms", ns / 1e6);
  if (ns < 60e9) return fmt::format("{:.1f} s", ns / 1e9);
  const auto seconds = time.count() / 1'000'000'000;
  if (seconds < 3600) return fmt::format("{}:{:02}", seconds / 60, seconds % 60);
  return fmt::format("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

bool parse_size(const std::string& text, std::uint64_t& bytes) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc()) return false;
  unsigned shift = 0;
  if (rest != end) {
    const std::size_t unit = std::string("KMGT").find(
        static_cast<char>(std::toupper(static_cast<unsigned char>(*rest))));
    if (unit != std::string::npos) {
      shift = 10 * (static_cast<unsigned>(unit) + 1);
      ++rest;
      if (rest != end && *rest == 'i') ++rest;
    }
    if (rest != end && *rest == 'B') ++rest;
  }
  if (rest != end || value > (UINT64_MAX >> shift)) return false;
  bytes = value << shift;
  return true;
}

std::string printable(std::string_view text) {
  return datum::printable(text);
}

} // namespace datum::tools
