// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/assertion.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include "base/stderr_line.h"

namespace datum {
namespace {

// One line of text in an array. Text that does not fit is cut off; the newline always fits.
class Line {
 public:
  void add(std::string_view text) {
    const std::size_t taken = std::min(text.size(), octets_.size() - 1 - size_);
    std::copy_n(text.data(), taken, octets_.data() + size_);
    size_ += taken;
  }
  void add(int number) {
    std::array<char, 12> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    add(std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data())));
  }
  std::string_view ended() {
    octets_[size_] = '\n';
    return {octets_.data(), size_ + 1};
  }

 private:
  std::array<char, 1024> octets_{};
  std::size_t size_ = 0;
};

} // namespace

void assertion_failed(const char* file, int line, const char* expression) noexcept {
  Line text;
  text.add(file);
  text.add(":");
  text.add(line);
  text.add(": assertion failed: ");
  text.add(expression);
  write_to_stderr(text.ended());
  std::abort();
}

} // namespace datum
