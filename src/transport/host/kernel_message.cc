// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/host/kernel_message.h"

#include <cerrno>
#include <sys/socket.h>

#include "base/refused_calls.h"

namespace datum {

ssize_t send_to_kernel(int socket, std::span<const std::byte> message) {
  const ssize_t sent = ::send(socket, message.data(), message.size(), 0);
  if (sent >= 0 || !is_refusal_of_call(errno)) return sent;
  iovec piece{const_cast<std::byte*>(message.data()), message.size()};
  msghdr header{};
  header.msg_iov = &piece;
  header.msg_iovlen = 1;
  return ::sendmsg(socket, &header, 0);
}

ssize_t receive_from_kernel(int socket, std::span<std::byte> into) {
  const ssize_t got = ::recv(socket, into.data(), into.size(), 0);
  if (got >= 0 || !is_refusal_of_call(errno)) return got;
  iovec piece{into.data(), into.size()};
  msghdr header{};
  header.msg_iov = &piece;
  header.msg_iovlen = 1;
  return ::recvmsg(socket, &header, 0);
}

} // namespace datum
