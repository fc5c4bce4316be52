// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/socket_call.h"

#include <cerrno>
#include <sys/socket.h>

#include "base/refused_calls.h"

namespace datum {

ssize_t send_octets(int socket, std::span<const std::byte> octets, int flags) {
  const ssize_t sent = ::send(socket, octets.data(), octets.size(), flags);
  if (sent >= 0 || !is_refusal_of_call(errno)) [[likely]]
    return sent;
  iovec piece{const_cast<std::byte*>(octets.data()), octets.size()};
  msghdr header{};
  header.msg_iov = &piece;
  header.msg_iovlen = 1;
  return ::sendmsg(socket, &header, flags);
}

ssize_t receive_octets(int socket, std::span<std::byte> into, int flags) {
  const ssize_t got = ::recv(socket, into.data(), into.size(), flags);
  if (got >= 0 || !is_refusal_of_call(errno)) [[likely]]
    return got;
  iovec piece{into.data(), into.size()};
  msghdr header{};
  header.msg_iov = &piece;
  header.msg_iovlen = 1;
  return ::recvmsg(socket, &header, flags);
}

} // namespace datum
