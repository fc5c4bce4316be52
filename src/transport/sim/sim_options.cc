// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/sim/sim_options.h"

#include <charconv>

#include "base/log.h"

namespace datum {
namespace {

bool read_number(std::string_view text, std::uint64_t& value) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && stop == end;
}

bool read_flag(std::string_view text, bool& value) {
  if (text != "0" && text != "1") return false;
  value = text == "1";
  return true;
}

bool read_delay(std::string_view text, SimOptions& options) {
  const std::size_t dash = text.find('-');
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  if (dash == std::string_view::npos || !read_number(text.substr(0, dash), low) ||
      !read_number(text.substr(dash + 1), high) || low > high || high > 1'000'000)
    return false;
  options.shortest_delay = static_cast<Duration>(low) * kMicrosecond;
  options.longest_delay = static_cast<Duration>(high) * kMicrosecond;
  return true;
}

bool read_word(std::string_view word, SimOptions& options) {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos) return false;
  const std::string_view name = word.substr(0, equals);
  const std::string_view value = word.substr(equals + 1);
  if (name == "seed") return read_number(value, options.seed);
  if (name == "direct") return read_flag(value, options.direct);
  if (name == "share") return read_flag(value, options.share);
  if (name == "wire") return read_flag(value, options.wire);
  if (name == "delay_us") return read_delay(value, options);
  return false;
}

} // namespace

std::optional<SimOptions> parse_sim_options(std::string_view text) {
  SimOptions options;
  while (true) {
    const std::size_t begin = text.find_first_not_of(' ');
    if (begin == std::string_view::npos) return options;
    text.remove_prefix(begin);
    const std::string_view word = text.substr(0, text.find(' '));
    if (!read_word(word, options)) {
      log(LogLevel::Warn,
          "simulated ia: \"{}\" is not understood; expected seed=N direct=0|1 share=0|1 wire=0|1 "
          "delay_us=LOW-HIGH",
          word);
      return std::nullopt;
    }
    text.remove_prefix(word.size());
  }
}

} // namespace datum
