// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/inet/unix_sockets.h"

#include <cerrno>
#include <cstring>
#include <sys/socket.h>

#include "base/shortage.h"
#include "base/text.h"
#include "base/unique_fd.h"

namespace datum {

int refusal_of_unix_sockets() {
  const UniqueFd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (socket || shortage_of(errno).lack != Lack::Other) return 0;
  return errno;
}

std::string no_shared_memory(int refusal) {
  return text("shared memory is not available: this process may not use UNIX sockets (AF_UNIX): {}",
              std::strerror(refusal));
}

} // namespace datum
