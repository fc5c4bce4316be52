// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fiber.h"

#include <cstdint>
#include <utility>

namespace datum::test {

Fiber::Fiber() : stack_(new std::byte[kStackBytes]) {}

void Fiber::start(std::function<void()> body) {
  body_ = std::move(body);
  over_ = begun_ = false;
}

void Fiber::enter(unsigned high, unsigned low) {
  auto* fiber = reinterpret_cast<Fiber*>(std::uintptr_t{high} << 32U | low);
  fiber->body_();
  fiber->over_ = true;
  _longjmp(fiber->outside_, 1);
}

// A switch by swapcontext() would make two system calls. So setcontext() only starts the fiber, and
// all later switches use _longjmp().
void Fiber::go_on() {
  if (_setjmp(outside_) != 0) return;
  if (begun_) _longjmp(inside_, 1);
  begun_ = true;
  getcontext(&context_);
  context_.uc_stack.ss_sp = stack_.get();
  context_.uc_stack.ss_size = kStackBytes;
  context_.uc_link = nullptr;
  const auto self = reinterpret_cast<std::uintptr_t>(this);
  makecontext(&context_, reinterpret_cast<void (*)()>(&Fiber::enter), 2,
              static_cast<unsigned>(self >> 32U), static_cast<unsigned>(self));
  setcontext(&context_);
}

void Fiber::pause() {
  if (_setjmp(inside_) == 0) _longjmp(outside_, 1);
}

} // namespace datum::test
