// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "progress/background_thread.h"

#include <cerrno>
#include <csignal>
#include <memory>
#include <sched.h>
#include <string>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/assertion.h"
#include "base/futex.h"

namespace datum {
namespace {

constexpr std::size_t kNameBytes = 15;

// Blocks all signals while the thread is created. The new thread inherits the mask, so that signals
// reach only the program's own threads.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

struct Start {
  std::string name;
  std::function<void()> body;
};

void* run(void* argument) {
  const std::unique_ptr<Start> start(static_cast<Start*>(argument));
  pthread_setname_np(pthread_self(), start->name.c_str());
  // The kernel's default timer slack of 50 us is about as long as a tick, so it would double a
  // backoff.
  ::prctl(PR_SET_TIMERSLACK, 1UL);
  start->body();
  return nullptr;
}

// If a sandbox refuses futex(2) by now, pthread_join() would end the program while the thread still
// runs. So the thread's end is polled for.
void wait_for_end(pthread_t thread) {
  while (pthread_tryjoin_np(thread, nullptr) == EBUSY) {
    if (why_no_futex() == 0) {
      pthread_join(thread, nullptr);
      return;
    }
    ::sched_yield();
  }
}

} // namespace

Status BackgroundThread::start(std::string_view name, std::function<void()> body) {
  DATUM_ASSERT(process_ == 0);
  const SignalsBlocked blocked;
  auto start =
      std::make_unique<Start>(Start{std::string(name.substr(0, kNameBytes)), std::move(body)});
  if (const int error = pthread_create(&thread_, nullptr, &run, start.get()); error != 0) {
    errno = error;
    return {Type::InsufficientResources, Detail::ResourceDevice};
  }
  static_cast<void>(start.release()); // the thread owns it now
  process_ = ::getpid();
  return kOk;
}

bool BackgroundThread::started_here() const {
  return process_ != 0 && process_ == ::getpid();
}

void BackgroundThread::join() {
  if (started_here()) wait_for_end(thread_);
  process_ = 0;
}

} // namespace datum
