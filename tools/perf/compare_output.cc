// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "perf/compare_output.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <vector>

#include "common/human.h"

namespace datum::perf {
namespace {

using Words = std::vector<std::string_view>;

constexpr std::size_t kMostOfALine = 120;

// Words are separated by one or more of the characters in `between`.
Words split(std::string_view text, std::string_view between) {
  Words words;
  for (std::size_t at = text.find_first_not_of(between); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(between, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = text.find_first_not_of(between, end);
  }
  return words;
}

// The number, if the text is one number greater than 0.
std::optional<double> number(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value) || !(value > 0))
    return std::nullopt;
  return value;
}

std::optional<double> scaled(std::optional<double> value, double scale) {
  return value ? std::optional(*value * scale) : std::nullopt;
}

std::string_view without_blanks(std::string_view text) {
  const std::size_t first = std::min(text.find_first_not_of(' '), text.size());
  text.remove_prefix(first);
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

// A line of ucx_perftest -f -v has 8 fields: iterations; the median, mean and overall latency in
// us; mean and overall bandwidth in units of 2^20 bytes per second; mean and overall rate.
std::optional<double> ucx_figure(std::string_view line, const Task& task) {
  Words fields = split(line, ",");
  // ucx_perftest puts blanks before a number of fewer than four digits.
  for (std::string_view& field : fields) field = without_blanks(field);
  if (fields.size() != 8 || !number(fields[0])) return std::nullopt;
  if (task.kind == Kind::Bandwidth) return scaled(number(fields[5]), 1024.0 * 1024.0);
  return task.kind == Kind::Rate ? number(fields[7]) : scaled(number(fields[3]), 1e3);
}

// The columns of fi_pingpong: bytes #sent #ack total time MB/sec usec/xfer Mxfers/sec
std::optional<double> fabric_figure(std::string_view line) {
  const Words words = split(line, " ");
  if (words.size() != 8 || !words[2].starts_with('=') || !words[4].ends_with('s'))
    return std::nullopt;
  return scaled(number(words[6]), 1e3);
}

// "[SUM] 0.00-1.00 sec 362 MBytes 3020213 Kbits/sec receiver": the sum comes last.
std::optional<double> iperf_figure(std::string_view line) {
  const Words words = split(line, " ");
  const std::size_t n = words.size();
  if (n < 3 || words[n - 1] != "receiver" || words[n - 2] != "Kbits/sec") return std::nullopt;
  return scaled(number(words[n - 3]), 1e3 / 8);
}

std::optional<double> sockperf_figure(std::string_view line) {
  constexpr std::string_view kBegin = "sockperf: Summary: Latency is ", kEnd = " usec";
  if (!line.starts_with(kBegin)) return std::nullopt;
  line.remove_prefix(kBegin.size());
  while (line.ends_with(' ')) line.remove_suffix(1);
  if (!line.ends_with(kEnd)) return std::nullopt;
  return scaled(number(line.substr(0, line.size() - kEnd.size())), 1e3);
}

// "latency  =  9.51 us" or "bw  =  4.21 GB/sec".
std::optional<double> qperf_figure(std::string_view line, const Task& task) {
  struct Unit {
    std::string_view quantity, name;
    double scale;
  };
  static constexpr std::array kUnits = {Unit{"latency", "ns", 1},   Unit{"latency", "us", 1e3},
                                        Unit{"latency", "ms", 1e6}, Unit{"latency", "sec", 1e9},
                                        Unit{"bw", "bytes/sec", 1}, Unit{"bw", "KB/sec", 1e3},
                                        Unit{"bw", "MB/sec", 1e6},  Unit{"bw", "GB/sec", 1e9}};
  const Words words = split(line, " ");
  const std::string_view wanted = task.kind == Kind::Latency ? "latency" : "bw";
  if (words.size() != 4 || words[0] != wanted || words[1] != "=") return std::nullopt;
  for (const Unit& unit : kUnits)
    if (unit.quantity == wanted && unit.name == words[3])
      return scaled(number(words[2]), unit.scale);
  return std::nullopt;
}

std::optional<double> figure_of(std::string_view line, Program program, const Task& task) {
  switch (program) {
  case Program::Ucx: return ucx_figure(line, task);
  case Program::Fabric: return fabric_figure(line);
  case Program::Iperf: return iperf_figure(line);
  case Program::Sockperf: return sockperf_figure(line);
  case Program::Qperf: return qperf_figure(line, task);
  }
  return std::nullopt;
}

// Removes escape sequences, such as colours: from ESC [ to a letter.
std::string without_escapes(std::string_view text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text.substr(at, 2) != "\033[") {
      plain += text[at];
      continue;
    }
    at = text.find_first_of("ABCDEFGHJKSTfmnsu", at);
    if (at == std::string_view::npos) break;
  }
  return plain;
}

} // namespace

std::optional<double> figure_in(std::string_view output, Program program, const Task& task) {
  const Words lines = split(output, "\r\n");
  for (auto line = lines.rbegin(); line != lines.rend(); ++line)
    if (const auto figure = figure_of(*line, program, task)) return figure;
  return std::nullopt;
}

std::string last_line(std::string_view output) {
  const std::string plain = without_escapes(output);
  const Words lines = split(plain, "\r\n");
  for (auto line = lines.rbegin(); line != lines.rend(); ++line)
    if (const std::size_t first = line->find_first_not_of(" \t"); first != std::string_view::npos)
      return tools::printable(line->substr(first, kMostOfALine));
  return "it printed nothing";
}

} // namespace datum::perf
