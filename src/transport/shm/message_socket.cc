// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/shm/message_socket.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/socket.h>

#include "base/refused_calls.h"

namespace datum {
namespace {

constexpr std::size_t kFdBytes = kMaxPassedFds * sizeof(int);

union ControlBuffer {
  cmsghdr align;
  std::byte bytes[CMSG_SPACE(kFdBytes)];
};

// False: the record or its descriptors did not fit. Descriptors beyond kMaxPassedFds are closed.
bool take_fds(msghdr& header, PassedFds& passed) {
  bool clean = (header.msg_flags & (MSG_CTRUNC | MSG_TRUNC)) == 0;
  for (cmsghdr* part = CMSG_FIRSTHDR(&header); part != nullptr; part = CMSG_NXTHDR(&header, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(part) + i * sizeof fd, sizeof fd);
      UniqueFd owned(fd);
      if (passed.count < kMaxPassedFds)
        passed.fds[passed.count++] = std::move(owned);
      else
        clean = false;
    }
  }
  return clean;
}

// Called if the kernel has not delivered all passed descriptors. True: this process (EMFILE) or
// this host (ENFILE) has no free descriptor, as errno says.
bool lacks_descriptors(int socket, const PassedFds& passed) {
  if (passed.count == kMaxPassedFds) return false; // the peer passed more
  const UniqueFd probe(::fcntl(socket, F_DUPFD_CLOEXEC, 0));
  return !probe && (errno == EMFILE || errno == ENFILE);
}

} // namespace

ReceiveResult receive_message(int socket, std::span<std::byte> into, std::size_t& length,
                              PassedFds& passed) {
  iovec piece{into.data(), into.size()};
  ControlBuffer control{};
  msghdr header{};
  header.msg_iov = &piece;
  header.msg_iovlen = 1;
  header.msg_control = control.bytes;
  header.msg_controllen = sizeof control.bytes;
  ssize_t got = -1;
  do got = ::recvmsg(socket, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  if (got < 0 && is_refusal_of_call(errno)) return ReceiveResult::Refused;
  // If the kernel lacks memory, the message stays in the socket.
  if (got < 0)
    return errno == EAGAIN || errno == ENOMEM || errno == ENOBUFS ? ReceiveResult::Nothing
                                                                  : ReceiveResult::Ended;
  if (!take_fds(header, passed))
    return (header.msg_flags & MSG_CTRUNC) != 0 && lacks_descriptors(socket, passed)
               ? ReceiveResult::Lacking
               : ReceiveResult::Garbage;
  if (got == 0) return ReceiveResult::Ended;
  length = static_cast<std::size_t>(got);
  return ReceiveResult::Message;
}

int send_message(int socket, std::span<const std::byte> message, std::span<const int> fds) {
  iovec piece{const_cast<std::byte*>(message.data()), message.size()};
  ControlBuffer control{};
  msghdr header{};
  header.msg_iov = &piece;
  header.msg_iovlen = 1;
  if (!fds.empty()) {
    header.msg_control = control.bytes;
    header.msg_controllen = CMSG_SPACE(fds.size_bytes());
    cmsghdr* part = CMSG_FIRSTHDR(&header);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(fds.size_bytes());
    std::memcpy(CMSG_DATA(part), fds.data(), fds.size_bytes());
  }
  ssize_t sent = -1;
  do sent = ::sendmsg(socket, &header, MSG_DONTWAIT | MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  if (sent < 0) return errno;
  return sent == static_cast<ssize_t>(message.size()) ? 0 : EMSGSIZE;
}

OrErrno<PeerCredentials> peer_credentials(int socket) {
  ucred credentials{};
  socklen_t length = sizeof credentials;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0)
    return tl::unexpected(errno);
  return PeerCredentials{credentials.pid, credentials.uid};
}

} // namespace datum
