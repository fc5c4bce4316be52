// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "common/log_stream.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>

#include <fmt/format.h>

#include "base/refused_calls.h"
#include "base/socket_call.h"
#include "base/unique_fd.h"

namespace datum::tools {
namespace {

// O_NONBLOCK is a flag of the open file description, which other processes share. A second open(2)
// of the pipe or terminal makes a description that only this process uses.
UniqueFd open_again(int fd) {
  struct stat st = {};
  if (fstat(fd, &st) != 0 || (!S_ISFIFO(st.st_mode) && isatty(fd) == 0)) return {};
  const std::string path = fmt::format("/proc/self/fd/{}", fd);
  return UniqueFd(open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
}

// If a pipe polls as writable, it takes PIPE_BUF octets, unless another process writes first. A
// broken descriptor polls as ready, too, and write(2) then fails at once.
bool has_room(int fd) {
  pollfd ready = {fd, POLLOUT, 0};
  return poll(&ready, 1, 0) == 1;
}

ssize_t write_without_waiting(int fd, std::string_view text) {
  const ssize_t sent = send_octets(fd, std::as_bytes(std::span(text)), MSG_DONTWAIT | MSG_NOSIGNAL);
  // If both calls are refused, the descriptor may be of any kind. write(2) to a socket whose reader
  // has gone would raise SIGPIPE, which servers ignore: outlive_readers().
  if (sent >= 0 || (errno != ENOTSOCK && !is_refusal_of_call(errno))) return sent;
  if (const UniqueFd own = open_again(fd)) return ::write(own.get(), text.data(), text.size());
  // open_again() fails without /proc, without permission or without a free descriptor.
  return has_room(fd) ? ::write(fd, text.data(), text.size()) : -1;
}

} // namespace

bool LogStream::put(std::string_view line) {
  std::string text = torn_ ? "\n" : "";
  text += line.substr(0, PIPE_BUF - 2);
  text += '\n';
  const ssize_t written = write_without_waiting(fd_, text);
  if (written > 0) torn_ = static_cast<std::size_t>(written) < text.size();
  return written == static_cast<ssize_t>(text.size());
}

void LogStream::write(std::string_view line) {
  if (lost_ > 0) {
    const std::string said =
        fmt::format("{}: {} line{} of this log {} lost, because standard error had no room",
                    program_, lost_, lost_ == 1 ? "" : "s", lost_ == 1 ? "was" : "were");
    if (put(said)) lost_ = 0;
  }
  if (lost_ > 0 || !put(line)) ++lost_;
}

} // namespace datum::tools
