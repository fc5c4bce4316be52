// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "registry/conf/tokens.h"

namespace datum::conf {
namespace {

// A carriage return counts as a blank, because files edited on other systems have one at the end of
// each line.
bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

// Reads the text after the opening quote into `field`. False: the closing quote is missing.
bool take_quoted(std::string_view& line, std::string& field) {
  while (!line.empty()) {
    char c = line.front();
    line.remove_prefix(1);
    if (c == '"') return true;
    if (c == '\\') {
      if (line.empty()) return false;
      c = line.front();
      line.remove_prefix(1);
    }
    field += c;
  }
  return false;
}

void take_plain(std::string_view& line, std::string& field) {
  while (!line.empty() && !is_blank(line.front())) {
    field += line.front();
    line.remove_prefix(1);
  }
}

} // namespace

tl::expected<std::vector<std::string>, std::string> split_fields(std::string_view line) {
  if (line.size() > kMaxLine)
    return tl::unexpected(std::string("the line has more than 65536 characters; shorten it"));
  if (line.find('\0') != std::string_view::npos)
    return tl::unexpected(std::string("the line contains a zero byte; rewrite it as text"));
  std::vector<std::string> fields;
  for (;;) {
    while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
    if (line.empty() || line.front() == '#') return fields;
    if (fields.size() == kMaxFields)
      return tl::unexpected(std::string("the line has more than 64 fields; quote fields that "
                                        "contain blanks"));
    std::string field;
    if (line.front() == '"') {
      line.remove_prefix(1);
      if (!take_quoted(line, field))
        return tl::unexpected(
            std::string("a quote is not closed before the end of the line; add the missing \""));
    } else {
      take_plain(line, field);
    }
    fields.push_back(std::move(field));
  }
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

} // namespace datum::conf
