// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/stderr_line.h"

#include <cerrno>
#include <csignal>
#include <ctime>
#include <pthread.h>
#include <unistd.h>

namespace datum {
namespace {

// While it lives, what a write raises stays pending for this thread and is then taken away. A
// signal that was pending before is the program's own and stays.
class WriteSignals {
 public:
  WriteSignals() {
    sigset_t pending;
    ::sigpending(&pending);
    ::sigemptyset(&ours_);
    for (const int signal : {SIGPIPE, SIGXFSZ})
      if (::sigismember(&pending, signal) == 0) ::sigaddset(&ours_, signal);
    ::pthread_sigmask(SIG_BLOCK, &ours_, &before_);
  }
  WriteSignals(const WriteSignals&) = delete;
  WriteSignals& operator=(const WriteSignals&) = delete;
  ~WriteSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  void take_away() const {
    constexpr timespec kAtOnce{};
    while (::sigtimedwait(&ours_, nullptr, &kAtOnce) < 0 && errno == EINTR) {
    }
  }

 private:
  sigset_t ours_;
  sigset_t before_;
};

} // namespace

void write_to_stderr(std::string_view line) {
  const int before = errno;
  {
    const WriteSignals signals;
    // Nobody can be told that stderr is closed.
    if (::write(STDERR_FILENO, line.data(), line.size()) < 0 && (errno == EPIPE || errno == EFBIG))
      signals.take_away();
  }
  errno = before;
}

} // namespace datum
