// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/write_signals.h"

#include <cerrno>
#include <ctime>
#include <initializer_list>
#include <pthread.h>

namespace datum {

WriteSignals::WriteSignals() {
  sigset_t pending;
  ::sigpending(&pending);
  ::sigemptyset(&own_signals_);
  for (const int signal : {SIGPIPE, SIGXFSZ})
    if (::sigismember(&pending, signal) == 0) ::sigaddset(&own_signals_, signal);
  ::pthread_sigmask(SIG_BLOCK, &own_signals_, &before_);
}

WriteSignals::~WriteSignals() {
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void WriteSignals::take_away() const {
  const int error = errno;
  constexpr timespec kAtOnce{};
  while (::sigtimedwait(&own_signals_, nullptr, &kAtOnce) < 0 && errno == EINTR) {
  }
  errno = error;
}

} // namespace datum
