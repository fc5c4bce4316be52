// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "progress/background_thread.h"

#include <cerrno>
#include <csignal>
#include <pthread.h>
#include <sys/prctl.h>
#include <system_error>
#include <unistd.h>

namespace datum {
namespace {

constexpr std::size_t kNameBytes = 15;

// Every thread inherits its creator's mask: a signal of the program must find the program's
// threads.
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

} // namespace

Status BackgroundThread::start(std::string_view name, std::function<void()> body) {
  const SignalsBlocked blocked;
  process_ = ::getpid();
  try {
    thread_ = std::thread([label = std::string(name.substr(0, kNameBytes)), run = std::move(body)] {
      pthread_setname_np(pthread_self(), label.c_str());
      // The default slack of 50 us is of the order of a tick.
      ::prctl(PR_SET_TIMERSLACK, 1UL);
      run();
    });
  } catch (const std::system_error& error) {
    errno = error.code().value();
    return {Type::InsufficientResources, Detail::ResourceDevice};
  }
  return kOk;
}

bool BackgroundThread::ours() const {
  return thread_.joinable() && process_ == ::getpid();
}

void BackgroundThread::join() {
  if (!thread_.joinable()) return;
  if (ours())
    thread_.join();
  else
    thread_.detach();
}

} // namespace datum
