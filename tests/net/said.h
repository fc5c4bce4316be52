// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/net/said.h: what Datum says to stderr, in this process and in those that it begins.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>

namespace datum::net {

// From now on, kept until it is asked for, or shown where nobody has asked.
class Said {
 public:
  Said() { testing::internal::CaptureStderr(); }
  ~Said() {
    if (!taken_) std::cerr << testing::internal::GetCapturedStderr();
  }
  Said(const Said&) = delete;
  Said& operator=(const Said&) = delete;

  // The lines so far that hold all of these, once; what is said later is shown as ever.
  std::size_t take_lines_with(std::initializer_list<std::string_view> parts) {
    taken_ = true;
    text_ = testing::internal::GetCapturedStderr();
    std::istringstream lines(text_);
    std::size_t count = 0;
    for (std::string line; std::getline(lines, line);)
      count += std::all_of(parts.begin(), parts.end(), [&line](std::string_view part) {
        return line.find(part) != std::string::npos;
      });
    return count;
  }
  // All that was taken.
  const std::string& text() const { return text_; }

 private:
  bool taken_ = false;
  std::string text_;
};

} // namespace datum::net
