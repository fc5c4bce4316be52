// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/net/said.h: the lines that Datum writes to stderr, in this process and in its children.
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

// Keeps what is written to stderr from now on. If take() was not called, the destructor prints it.
class Said {
 public:
  Said() { testing::internal::CaptureStderr(); }
  ~Said() {
    if (!taken_) std::cerr << testing::internal::GetCapturedStderr();
  }
  Said(const Said&) = delete;
  Said& operator=(const Said&) = delete;

  // Returns everything written so far; called once. Later lines are printed as usual.
  std::string take() {
    taken_ = true;
    return testing::internal::GetCapturedStderr();
  }

 private:
  bool taken_ = false;
};

// The number of lines that contain all of `parts`.
inline std::size_t lines_with(const std::string& text,
                              std::initializer_list<std::string_view> parts) {
  std::istringstream lines(text);
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line);)
    count += std::all_of(parts.begin(), parts.end(), [&line](std::string_view part) {
      return line.find(part) != std::string::npos;
    });
  return count;
}

} // namespace datum::net
