// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/shm/peer_process.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "base/cancellation.h"
#include "base/text.h"
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

// Of /proc/<pid>/stat.
struct ProcessState {
  char state = 0;
  unsigned long threads = 0;
  std::uint64_t began = 0;
};

constexpr int kFieldOfThreads = 20, kFieldOfBegin = 22; // the state is field 3

// Nothing: it cannot be read. No memory is needed for it.
std::optional<ProcessState> state_of(pid_t pid) {
  char path[40];
  std::snprintf(path, sizeof path, "/proc/%ld/stat", static_cast<long>(pid));
  const UniqueFd file(::open(path, O_RDONLY | O_CLOEXEC));
  if (!file) return std::nullopt;
  char line[1024];
  const ssize_t got = ::read(file.get(), line, sizeof line - 1);
  if (got <= 0) return std::nullopt;
  line[got] = '\0';
  // The second field, the name of the program, may contain anything.
  const char* at = std::strrchr(line, ')');
  if (at == nullptr || at[1] != ' ') return std::nullopt;
  ProcessState result{.state = at[2]};
  at += 2;
  for (int field = 3; field < kFieldOfBegin; ++field) {
    if (field == kFieldOfThreads) result.threads = std::strtoul(at, nullptr, 10);
    at = std::strchr(at, ' ');
    if (at == nullptr) return std::nullopt;
    ++at;
  }
  result.began = std::strtoull(at, nullptr, 10);
  return result;
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

NumberedProcess::NumberedProcess(pid_t pid) : pid_(pid) {
  if (pid_ <= 0) return;
  if (const auto state = state_of(pid_)) began_ = state->began;
}

bool NumberedProcess::has_ended() const {
  if (pid_ <= 0) return false;
  const NotCancellable here;
  if (::kill(pid_, 0) != 0 && errno == ESRCH) return true;
  if (began_ == 0) return false;
  const auto found = state_of(pid_);
  if (!found) return false;
  if (found->began != began_) return true;
  // The first thread of a process may end before the others.
  return (found->state == 'Z' || found->state == 'X') && found->threads <= 1;
}

} // namespace datum
