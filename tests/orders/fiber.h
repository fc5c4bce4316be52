// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/orders/fiber.h: runs code on a stack of its own, as if in a thread of its own.
#pragma once

#include <csetjmp>
#include <cstddef>
#include <functional>
#include <memory>
#include <ucontext.h>

namespace datum::test {

// Runs `body` in pieces. If a fiber is abandoned, its stack is never unwound.
class Fiber {
 public:
  Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  void start(std::function<void()> body);
  // Called from outside: runs the fiber until the next pause(), or its end.
  void go_on();
  // Called from within the fiber.
  void pause();
  bool over() const { return over_; }

 private:
  static constexpr std::size_t kStackBytes = 256 * 1024;
  static void enter(unsigned high, unsigned low);

  std::unique_ptr<std::byte[]> stack_;
  std::function<void()> body_;
  ucontext_t context_{};
  jmp_buf inside_{};
  jmp_buf outside_{};
  bool begun_ = false;
  bool over_ = true;
};

} // namespace datum::test
