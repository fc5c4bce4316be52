// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "perf/message.h"

#include <charconv>

#include "common/human.h"

namespace datum::perf {
namespace {

std::string_view take_word(std::string_view& line) {
  const std::size_t end = line.find(' ');
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  return word;
}

} // namespace

std::uint64_t Message::number(std::string_view name) const {
  const auto found = numbers.find(name);
  return found == numbers.end() ? 0 : found->second;
}

std::string encode(const Message& message) {
  std::string bytes = message.verb;
  for (const auto& [name, number] : message.numbers)
    bytes += ' ' + name + '=' + std::to_string(number);
  bytes += '\n' + message.text;
  bytes.resize(std::min(bytes.size(), kMaxMessage));
  return bytes;
}

Message decode(std::string_view bytes) {
  Message message;
  std::string_view line = bytes.substr(0, bytes.find('\n'));
  if (line.size() < bytes.size()) message.text = tools::printable(bytes.substr(line.size() + 1));
  message.verb = tools::printable(take_word(line));
  while (!line.empty()) {
    const std::string_view word = take_word(line);
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) continue;
    std::uint64_t number = 0;
    const char* const end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data() + equals + 1, end, number);
    if (error == std::errc() && stop == end)
      message.numbers.insert_or_assign(std::string(word.substr(0, equals)), number);
  }
  return message;
}

} // namespace datum::perf
