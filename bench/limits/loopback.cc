// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "loopback.h"

#include <arpa/inet.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace limits {

void fail(const char* what) {
  std::perror(what);
  std::exit(2);
}

Connection::Connection() {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  check(listener, "limits: socket");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto* const name = reinterpret_cast<sockaddr*>(&address);
  socklen_t length = sizeof address;
  check(bind(listener, name, length), "limits: bind");
  check(listen(listener, 1), "limits: listen");
  check(getsockname(listener, name, &length), "limits: getsockname");
  ends_[0] = socket(AF_INET, SOCK_STREAM, 0);
  check(connect(ends_[0], name, length), "limits: connect");
  ends_[1] = accept(listener, nullptr, nullptr);
  check(ends_[1], "limits: accept");
  close(listener);
  const int yes = 1;
  for (const int end : ends_) {
    check(setsockopt(end, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes), "limits: TCP_NODELAY");
    check(fcntl(end, F_SETFL, O_NONBLOCK), "limits: O_NONBLOCK");
  }
}

Connection::~Connection() {
  close(ends_[0]);
  close(ends_[1]);
}

std::size_t moved(ssize_t result) {
  if (result > 0) return static_cast<std::size_t>(result);
  if (result == 0) {
    std::fputs("limits: the other process hung up\n", stderr);
    std::exit(2);
  }
  if (errno != EAGAIN && errno != EINTR) fail("limits: TCP");
  return 0;
}

void send_all(int end, const char* from, std::size_t size) {
  while (size != 0) {
    const std::size_t sent = moved(send(end, from, size, MSG_NOSIGNAL));
    from += sent;
    size -= sent;
  }
}

} // namespace limits
