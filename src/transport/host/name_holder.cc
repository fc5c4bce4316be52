// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/host/name_holder.h"

#include <sys/socket.h>

#include "transport/host/named_sockets.h"

namespace datum {

OrErrno<std::optional<uid_t>> user_listening_at(const std::string& name) {
  std::optional<uid_t> owner;
  const auto searched = look_through_names(Which::Listening, [&](const NamedSocket& socket) {
    if (socket.type == SOCK_SEQPACKET && socket.name == name) owner = socket.user;
    return !owner;
  });
  if (!searched) return tl::unexpected(searched.error());
  return owner;
}

} // namespace datum
