// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "common/help_text.h"

#include <algorithm>
#include <sstream>
#include <vector>

namespace datum::tools {
namespace {

constexpr std::size_t kLeastRoom = 24;  // columns that an explanation beside its option needs
constexpr std::size_t kBelowOption = 6; // the indent of an explanation below its option
// A line with this many leading blanks continues the line before it.
constexpr std::size_t kContinuation = 20;

// An option with its explanation, or a paragraph.
struct Item {
  std::vector<std::string> lines;
  [[nodiscard]] bool fits(std::size_t columns) const {
    return std::all_of(lines.begin(), lines.end(),
                       [=](const std::string& line) { return line.size() <= columns; });
  }
};

std::size_t indent_of(std::string_view line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

// The column at which the explanation beside an option begins. If the line has no explanation, the
// result is the length of the line.
std::size_t explanation_in(std::string_view line) {
  const std::size_t begin = indent_of(line);
  const std::size_t gap = begin == 0 ? std::string_view::npos : line.find("  ", begin);
  return gap == std::string_view::npos ? line.size() : gap + indent_of(line.substr(gap));
}

bool continues(const Item& item, const std::string& line) {
  if (line.empty() || item.lines.back().empty() || line.starts_with("Usage:")) return false;
  const bool paragraph = indent_of(item.lines.front()) == 0;
  return paragraph ? indent_of(line) == 0 : indent_of(line) >= kContinuation;
}

std::vector<Item> items_of(std::string_view help) {
  std::vector<Item> items;
  std::istringstream lines{std::string(help)};
  for (std::string line; std::getline(lines, line);) {
    if (items.empty() || !continues(items.back(), line)) items.emplace_back();
    items.back().lines.push_back(line);
  }
  return items;
}

void append_words(std::string& out, std::size_t& column, const std::string& text,
                  std::size_t indent, std::size_t columns) {
  std::istringstream words(text);
  bool first = true;
  for (std::string word; words >> word; first = false) {
    if (!first && column + 1 + word.size() > columns) {
      out += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (!first) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
}

std::string joined(std::vector<std::string>::const_iterator from, const Item& item) {
  std::string text;
  for (; from != item.lines.end(); ++from) text += ' ' + *from;
  return text;
}

void append_paragraph(std::string& out, const Item& item, std::size_t columns) {
  std::size_t column = 0;
  append_words(out, column, joined(item.lines.begin(), item), 0, columns);
}

void append_option(std::string& out, const Item& item, std::size_t columns) {
  const std::string& first = item.lines.front();
  const std::size_t beside = explanation_in(first);
  const std::string text = first.substr(beside) + joined(item.lines.begin() + 1, item);
  bool below = beside == first.size();
  std::size_t indent = !below ? beside : item.lines.size() > 1 ? indent_of(item.lines[1]) : 0;
  if (indent + kLeastRoom > columns) {
    indent = kBelowOption;
    below = true;
  }
  std::size_t column = indent_of(first);
  out.append(column, ' ');
  append_words(out, column, first.substr(0, beside), kBelowOption, columns);
  if (text.empty()) return;
  if (below)
    out += '\n' + std::string(indent, ' ');
  else
    out.append(indent - column, ' ');
  column = indent;
  append_words(out, column, text, indent, columns);
}

} // namespace

std::string wrapped(std::string_view help, std::size_t columns) {
  std::string out;
  for (const Item& item : items_of(help)) {
    if (item.fits(columns)) {
      for (const std::string& line : item.lines) out += line + '\n';
      continue;
    }
    if (indent_of(item.lines.front()) == 0)
      append_paragraph(out, item, columns);
    else
      append_option(out, item, columns);
    out += '\n';
  }
  return out;
}

} // namespace datum::tools
