// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "common/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "common/human.h"

namespace datum::tools {
namespace {

constexpr auto kRedraw = std::chrono::milliseconds(100);

std::size_t terminal_width() {
  winsize size = {};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

std::string bar(double fraction, std::size_t cells) {
  const auto filled = static_cast<std::size_t>(fraction * static_cast<double>(cells));
  std::string text = "[";
  text.append(filled, '#').append(cells - filled, '.');
  return text += ']';
}

// Cuts the line to at most `most` bytes, but not within a character.
void cut(std::string& line, std::size_t most) {
  if (line.size() <= most) return;
  while (most > 0 && (static_cast<unsigned char>(line[most]) & 0xC0) == 0x80) --most;
  line.resize(most);
}

std::string minutes(std::chrono::nanoseconds elapsed) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(elapsed).count();
  return fmt::format("{}:{:02}", seconds / 60, seconds % 60);
}

// fputs() is used because fmt::print() throws if a write fails. A closed terminal must not end a
// copy.
void show(const std::string& text) {
  static_cast<void>(std::fputs(text.c_str(), stderr));
  static_cast<void>(std::fflush(stderr));
}

// A terminal that cannot wipe a line would get another line with each update.
bool wipes_lines() {
  const char* const terminal = std::getenv("TERM");
  return terminal != nullptr && *terminal != '\0' && std::string_view(terminal) != "dumb";
}

} // namespace

std::string progress_text(const Progressed& at, std::size_t columns) {
  constexpr std::size_t kWide = 60;
  constexpr std::size_t kCells = 24;
  std::string line;
  const auto add = [&](const std::string& part) {
    const std::size_t gap = line.empty() ? 0 : 1;
    const bool fits = line.size() + gap + part.size() <= columns;
    if (fits) line += std::string(gap, ' ') + part;
    return fits;
  };
  if (at.total > 0) {
    const double part = std::min(1.0, static_cast<double>(at.done) / static_cast<double>(at.total));
    if (columns >= kWide) add(bar(part, kCells));
    if (!add(fmt::format("{:3.0f}%", part * 100))) return line;
  }
  if (!add(human_size(at.done)) || !add(human_rate(at.done, at.elapsed)) ||
      !add(minutes(at.elapsed)))
    return line;
  line += ' ' + printable(at.label);
  cut(line, columns);
  return line;
}

Progress::Progress(std::uint64_t total, bool quiet)
    : total_(total), visible_(!quiet && isatty(STDERR_FILENO) == 1 && wipes_lines()) {}

Progress::~Progress() {
  wipe();
}

void Progress::update(std::uint64_t done, std::string_view label) {
  if (!visible_) return;
  const auto now = Clock::now();
  if (drawn_ && now - last_ < kRedraw) return;
  draw(done, label, now);
}

void Progress::draw(std::uint64_t done, std::string_view label, Clock::time_point now) {
  put(progress_text({done, total_, now - start_, label}, terminal_width() - 1), now);
}

void Progress::say(std::string_view step) {
  if (!visible_) return;
  const auto now = Clock::now();
  put(fmt::format("{} ({})", printable(step), minutes(now - start_)), now);
}

void Progress::put(std::string line, Clock::time_point now) {
  cut(line, terminal_width() - 1);
  show("\r\033[K" + line);
  drawn_ = true;
  last_ = now;
}

void Progress::wipe() {
  if (!drawn_) return;
  show("\r\033[K");
  drawn_ = false;
}

} // namespace datum::tools
