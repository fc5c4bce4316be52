// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "run/inherited.h"

#include <fcntl.h>
#include <unistd.h>

namespace datum::run {

Inherited::Inherited() {
  for (int fd = 0; fd < 3; ++fd) open_[static_cast<std::size_t>(fd)] = fcntl(fd, F_GETFD) >= 0;
  sigaction(SIGXFSZ, nullptr, &file_size_);
}

void Inherited::restore() const {
  sigaction(SIGXFSZ, &file_size_, nullptr);
  for (int fd = 0; fd < 3; ++fd)
    if (!open_[static_cast<std::size_t>(fd)]) close(fd);
}

} // namespace datum::run
