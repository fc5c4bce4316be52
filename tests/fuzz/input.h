// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/fuzz/input.h: the fuzzer's bytes as a source of choices. When the bytes are used up, each
// further choice is 0. So an input that was cut short does the same as before up to its end.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>

namespace datum::fuzz {

class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : left_(data, size) {}
  bool empty() const { return left_.empty(); }

  template <class T>
  T take() {
    T value{};
    const std::size_t size = left_.size() < sizeof value ? left_.size() : sizeof value;
    if (size != 0) std::memcpy(&value, left_.data(), size);
    left_ = left_.subspan(size);
    return value;
  }
  std::uint8_t byte() { return take<std::uint8_t>(); }
  bool flag() { return (byte() & 1U) != 0; }
  template <class T, std::size_t N>
  const T& pick(const T (&choices)[N]) {
    return choices[byte() % N];
  }

 private:
  std::span<const std::uint8_t> left_;
};

// Ends the run if the condition does not hold. Unlike assert() it stays in every build.
inline void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "broken promise: %s\n", what);
  std::abort();
}

} // namespace datum::fuzz
