// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/host/unix_sockets.h"

#include <cerrno>
#include <cstring>
#include <sys/socket.h>

#include "base/refused_calls.h"
#include "base/shortage.h"
#include "base/text.h"
#include "base/unique_fd.h"

namespace datum {
namespace {

// The calls of the handshake, the doorbells and the shared memory, besides socket(2).
constexpr SystemCall kCalls[] = {
    SystemCall::SendMessage, SystemCall::ReceiveMessage, SystemCall::GetSocketOption,
    SystemCall::SendTo,      SystemCall::ReceiveFrom,    SystemCall::MemoryFile,
    SystemCall::FileLength,  SystemCall::FileControl,    SystemCall::FileSystem};

bool is_of_sockets(const SocketRefusal& refusal) {
  return std::strcmp(refusal.call, SocketRefusal().call) == 0;
}

} // namespace

std::optional<SocketRefusal> refusal_of_unix_sockets() {
  const UniqueFd socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (!socket && shortage_of(errno).lack == Lack::Other) return SocketRefusal{"socket", errno};
  for (const SystemCall call : kCalls)
    if (const int error = refusal_of(call); error != 0) return SocketRefusal{name_of(call), error};
  return std::nullopt;
}

std::string to_text(const SocketRefusal& refusal) {
  const char* const why = std::strerror(refusal.error);
  if (is_of_sockets(refusal))
    return text("this process may not use UNIX sockets (AF_UNIX): {}", why);
  return text("the sandbox of this process (seccomp) refuses the system call {}: {}", refusal.call,
              why);
}

std::string no_shared_memory(const SocketRefusal& refusal) {
  return text("shared memory is not available: {}", to_text(refusal));
}

} // namespace datum
