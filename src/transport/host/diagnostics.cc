// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/host/diagnostics.h"

#include <cerrno>
#include <linux/netlink.h>
#include <sys/socket.h>

#include "base/shortage.h"

namespace datum {

OrErrno<UniqueFd> open_diagnostics() {
  UniqueFd socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_SOCK_DIAG));
  // A shortage may pass, so it is an error. A refusal is permanent: the result is empty.
  if (!socket && shortage_of(errno).lack != Lack::Other) return tl::unexpected(errno);
  return socket;
}

} // namespace datum
