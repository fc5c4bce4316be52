// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/shm/peer_process.h"
#include "base/text.h"

#include <cstdlib>
#include <fcntl.h>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "transport/inet/text_file.h"
#include "transport/shm/message_socket.h"

namespace datum {
namespace {

constexpr int kSoPeerPidfd = 77; // SO_PEERPIDFD, younger than the C library's headers

UniqueFd pidfd_open(pid_t pid) {
  return UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

UniqueFd pidfd_of_socket(int socket) {
  int fd = -1;
  socklen_t length = sizeof fd;
  if (::getsockopt(socket, SOL_SOCKET, kSoPeerPidfd, &fd, &length) != 0) return UniqueFd();
  ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  return UniqueFd(fd);
}

// The number in our pid namespace; 0: not visible, -1: already gone. Nothing: not a pidfd.
std::optional<long> pid_named_by(int fd) {
  const std::string info = read_text_file(text("/proc/self/fdinfo/{}", fd).c_str());
  const std::size_t at = info.find("\nPid:");
  if (at == std::string::npos) return std::nullopt;
  return std::strtol(info.c_str() + at + 5, nullptr, 10);
}

bool may_be(const UniqueFd& passed, pid_t pid) {
  if (!passed) return false;
  const std::optional<long> named = pid_named_by(passed.get());
  return named && (pid == 0 || *named == pid || *named == -1);
}

} // namespace

UniqueFd own_pidfd() {
  return pidfd_open(::getpid());
}

UniqueFd peer_pidfd(int socket, UniqueFd passed) {
  if (UniqueFd told = pidfd_of_socket(socket)) return told;
  const pid_t pid = peer_credentials(socket).value_or(PeerCredentials{}).pid;
  if (may_be(passed, pid)) return passed;
  return pid > 0 ? pidfd_open(pid) : UniqueFd();
}

} // namespace datum
