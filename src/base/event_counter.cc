// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/event_counter.h"

#include <cerrno>
#include <cstdint>
#include <sys/uio.h>
#include <unistd.h>

#include "base/refused_calls.h"

namespace datum {

bool raise_counter(int fd) {
  std::uint64_t one = 1;
  if (::write(fd, &one, sizeof one) >= 0 || !is_refusal_of_call(errno)) [[likely]]
    return true;
  const iovec piece{&one, sizeof one};
  return ::writev(fd, &piece, 1) >= 0 || !is_refusal_of_call(errno);
}

void lower_counter(int fd) {
  std::uint64_t count = 0;
  if (::read(fd, &count, sizeof count) >= 0 || !is_refusal_of_call(errno)) [[likely]]
    return;
  const iovec piece{&count, sizeof count};
  [[maybe_unused]] const ssize_t got = ::readv(fd, &piece, 1);
}

} // namespace datum
