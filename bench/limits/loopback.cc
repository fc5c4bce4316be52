// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "loopback.h"

#include <arpa/inet.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

#include "limits.h"

namespace limits {

void fail(const char* what) {
  std::perror(what);
  std::exit(2);
}

namespace {

struct FarEnd {
  std::string netns; // path; empty: that of this process
  sockaddr_storage address{};
};

FarEnd& far_end() {
  static FarEnd far = [] {
    FarEnd loopback;
    auto& address = reinterpret_cast<sockaddr_in&>(loopback.address);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return loopback;
  }();
  return far;
}

// A socket belongs to the namespace in which it was made, and stays in it.
int far_socket() {
  const FarEnd& far = far_end();
  if (far.netns.empty()) return socket(far.address.ss_family, SOCK_STREAM, 0);
  const int here = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
  check(here, "limits: /proc/self/ns/net");
  const int there = open(far.netns.c_str(), O_RDONLY | O_CLOEXEC);
  check(there, far.netns.c_str());
  check(setns(there, CLONE_NEWNET), "limits: setns");
  const int made = socket(far.address.ss_family, SOCK_STREAM, 0);
  check(setns(here, CLONE_NEWNET), "limits: setns");
  close(there);
  close(here);
  return made;
}

// Within a host Reno is the fastest, whatever the system has chosen: pacing costs a timer for each
// segment. For another host the system's choice is kept.
void take_reno(int socket) {
  if (far_end().netns.empty())
    check(setsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, "reno", 4), "limits: TCP_CONGESTION");
}

} // namespace

void place_far_end(const std::string& netns, const std::string& address) {
  FarEnd far;
  far.netns = netns;
  auto& v4 = reinterpret_cast<sockaddr_in&>(far.address);
  auto& v6 = reinterpret_cast<sockaddr_in6&>(far.address);
  if (inet_pton(AF_INET, address.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
  } else if (inet_pton(AF_INET6, address.c_str(), &v6.sin6_addr) == 1) {
    v6.sin6_family = AF_INET6;
  } else { // inet_pton() sets no errno
    std::fprintf(stderr, "limits: \"%s\" is no address of a far end\n", address.c_str());
    std::exit(2);
  }
  far_end() = far;
}

Connection::Connection() {
  const int listener = far_socket();
  check(listener, "limits: socket");
  sockaddr_storage address = far_end().address;
  auto* const name = reinterpret_cast<sockaddr*>(&address);
  socklen_t length = sizeof address;
  take_reno(listener); // accepted sockets inherit it
  check(bind(listener, name, length), "limits: bind");
  check(listen(listener, 1), "limits: listen");
  check(getsockname(listener, name, &length), "limits: getsockname");
  ends_[0] = socket(address.ss_family, SOCK_STREAM, 0);
  take_reno(ends_[0]);
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
