// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "common/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

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

// To as many bytes, and not within a character.
void cut(std::string& line, std::size_t most) {
  if (line.size() <= most) return;
  while (most > 0 && (static_cast<unsigned char>(line[most]) & 0xC0) == 0x80) --most;
  line.resize(most);
}

} // namespace

Progress::Progress(std::uint64_t total, bool quiet)
    : total_(total), visible_(!quiet && isatty(STDERR_FILENO) == 1) {}

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
  const auto elapsed = now - start_;
  std::string line;
  if (total_ > 0) {
    const double part = std::min(1.0, static_cast<double>(done) / static_cast<double>(total_));
    line = fmt::format("{} {:3.0f}% ", bar(part, 24), part * 100);
  }
  line += fmt::format("{} {} {} ", human_size(done), human_rate(done, elapsed),
                      human_duration(std::chrono::floor<std::chrono::seconds>(elapsed)));
  put(line + printable(label), now);
}

void Progress::say(std::string_view step) {
  if (!visible_) return;
  const auto now = Clock::now();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now - start_).count();
  put(fmt::format("{} ({}:{:02})", printable(step), seconds / 60, seconds % 60), now);
}

void Progress::put(std::string line, Clock::time_point now) {
  cut(line, terminal_width() - 1);
  fmt::print(stderr, "\r\033[K{}", line);
  std::fflush(stderr);
  drawn_ = true;
  last_ = now;
}

void Progress::wipe() {
  if (!drawn_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
  drawn_ = false;
}

} // namespace datum::tools
