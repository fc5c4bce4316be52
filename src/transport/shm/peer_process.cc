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
#include "transport/host/text_file.h"
#include "transport/shm/message_socket.h"

namespace datum {
namespace {

constexpr int kSoPeerPidfd = 77; // SO_PEERPIDFD, newer than the C library's headers

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

// The pid of the process that the pidfd `fd` names; 0: the process is not visible in this pid
// namespace, -1: it has ended. Empty: `fd` is no pidfd.
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

UniqueFd line_of(pid_t pid) {
  char path[40];
  std::snprintf(path, sizeof path, "/proc/%ld/stat", static_cast<long>(pid));
  return UniqueFd(::open(path, O_RDONLY | O_CLOEXEC));
}

constexpr int kFieldOfState = 3, kFieldOfThreads = 20;

// The state in the line is that of the first thread, which may be a zombie while other threads run.
// So the number of threads is checked, too.
bool tells_of_an_end(const char* line) {
  // The second field, the name of the program, may contain anything.
  const char* at = std::strrchr(line, ')');
  if (at == nullptr || at[1] != ' ') return false;
  at += 2;
  if (*at != 'Z' && *at != 'X') return false;
  for (int field = kFieldOfState; field < kFieldOfThreads; ++field) {
    at = std::strchr(at, ' ');
    if (at == nullptr) return false;
    ++at;
  }
  return std::strtoul(at, nullptr, 10) <= 1;
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

NumberedProcess::NumberedProcess(pid_t pid)
    : pid_(pid), line_(pid > 0 ? line_of(pid) : UniqueFd()) {}

bool NumberedProcess::has_ended() const {
  if (pid_ <= 0) return false;
  const NotCancellable here;
  if (::kill(pid_, 0) != 0 && errno == ESRCH) return true;
  if (!line_) return false;
  char line[1024];
  const ssize_t got = ::pread(line_.get(), line, sizeof line - 1, 0);
  if (got < 0) return errno == ESRCH;
  line[got] = '\0';
  return tells_of_an_end(line);
}

} // namespace datum
