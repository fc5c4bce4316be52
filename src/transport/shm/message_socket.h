// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/shm/message_socket.h: records and descriptors over a UNIX socket, without blocking.
// Lives here: sendmsg and recvmsg with SCM_RIGHTS, and SO_PEERCRED.
// Not here:   the meaning of records (handshake_wire.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <sys/types.h>

#include "base/status.h"
#include "base/unique_fd.h"

namespace datum {

inline constexpr std::size_t kMaxPassedFds = 2;

struct PassedFds {
  std::array<UniqueFd, kMaxPassedFds> fds;
  std::size_t count = 0;
};

enum class ReceiveResult : std::uint8_t {
  Message,
  Nothing, // no message now, or no memory to receive one
  Ended,   // the other side has gone
  Refused, // by a sandbox, as errno says
  Lacking, // no descriptor was free for a passed one, as errno says; the message is lost
  Garbage, // the record is too long or passes too many descriptors
};

ReceiveResult receive_message(int socket, std::span<std::byte> into, std::size_t& length,
                              PassedFds& passed);
// 0 or errno: the other side has gone, the kernel has no room for descriptors under way, or a
// sandbox refuses the call.
int send_message(int socket, std::span<const std::byte> message, std::span<const int> fds = {});

struct PeerCredentials {
  pid_t pid = 0; // 0: not visible from this pid namespace
  uid_t uid = 0;
  bool operator==(const PeerCredentials&) const = default;
};
OrErrno<PeerCredentials> peer_credentials(int socket);

} // namespace datum
