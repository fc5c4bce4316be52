// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "squatter.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "tests/abstract_name.h"

namespace datum::test {
namespace {

int connect_to(const std::string& name) {
  const int caller = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0);
  sockaddr_un address;
  const socklen_t length = to_sockaddr(name, address);
  if (::connect(caller, reinterpret_cast<sockaddr*>(&address), length) == 0) return caller;
  ::close(caller);
  return -1;
}

bool behave(int socket_fd, const SquattedName& name, Squatting how) {
  switch (how) {
  case Squatting::DoesNotListen: return true;
  case Squatting::Listens: return ::listen(socket_fd, 8) == 0;
  case Squatting::HasAFullQueue:
    if (::listen(socket_fd, 0) != 0) return false;
    while (connect_to(name.name) >= 0) {
    }
    return true;
  case Squatting::IsConnected: {
    // The socket connects to another socket of this process, which has to listen.
    const int other = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    sockaddr_un address;
    const socklen_t length = to_sockaddr(name.name + " too", address);
    return ::bind(other, reinterpret_cast<sockaddr*>(&address), length) == 0 &&
           ::listen(other, 8) == 0 &&
           ::connect(socket_fd, reinterpret_cast<sockaddr*>(&address), length) == 0;
  }
  }
  return false;
}

// Takes the name. Returns the socket, or -1 if the name cannot be taken.
int hold(const SquattedName& name, Squatting how) {
  const int socket_fd = socket(AF_UNIX, name.type | SOCK_NONBLOCK, 0);
  sockaddr_un address;
  const socklen_t length = to_sockaddr(name.name, address);
  if (::bind(socket_fd, reinterpret_cast<sockaddr*>(&address), length) != 0) return -1;
  if (name.type == SOCK_SEQPACKET && !behave(socket_fd, name, how)) return -1;
  return socket_fd;
}

bool is_spoken_to(int socket_fd) {
  for (int caller = ::accept(socket_fd, nullptr, nullptr); caller >= 0;
       caller = ::accept(socket_fd, nullptr, nullptr)) {
    char words[256];
    if (recv(caller, words, sizeof words, MSG_DONTWAIT) > 0) return true;
  }
  return false;
}

[[noreturn]] void squat(const std::vector<SquattedName>& names, uid_t user, Squatting how,
                        int ready, int stop) {
  if (setuid(user) != 0) _exit(2);
  prctl(PR_SET_PDEATHSIG, SIGKILL); // setuid() has cleared it
  std::vector<int> sockets;
  for (const SquattedName& name : names) {
    sockets.push_back(hold(name, how));
    if (sockets.back() < 0) _exit(2);
  }
  if (write(ready, "", 1) != 1) _exit(2);
  char byte = 0;
  [[maybe_unused]] const ssize_t ended = read(stop, &byte, 1);
  for (const int each : sockets)
    if (is_spoken_to(each)) _exit(1);
  _exit(0);
}

} // namespace

Squatter::Squatter(std::vector<SquattedName> names, uid_t user, Squatting how) {
  int ready[2];
  int stop[2];
  if (pipe(ready) != 0 || pipe(stop) != 0) std::abort();
  child_ = fork();
  if (child_ == 0) {
    close(stop[1]);
    squat(names, user, how, ready[1], stop[0]);
  }
  close(ready[1]);
  close(stop[0]);
  stop_ = stop[1];
  char byte = 0;
  holds_ = read(ready[0], &byte, 1) == 1;
  close(ready[0]);
}

Squatter::~Squatter() {
  if (stop_ >= 0) end();
}

bool Squatter::end() {
  close(std::exchange(stop_, -1));
  int status = 0;
  waitpid(child_, &status, 0);
  return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

std::string host_of(DAT_IA_ADDRESS_PTR address) {
  char text[INET6_ADDRSTRLEN] = {};
  sockaddr_in v4{};
  std::memcpy(&v4, address, sizeof v4);
  if (v4.sin_family == AF_INET) {
    inet_ntop(AF_INET, &v4.sin_addr, text, sizeof text);
  } else {
    sockaddr_in6 v6{};
    std::memcpy(&v6, address, sizeof v6);
    inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof text);
  }
  return text;
}

std::string rendezvous_of(DAT_IA_ADDRESS_PTR address, DAT_CONN_QUAL qualifier) {
  return "datum/1/" + host_of(address) + "/" + std::to_string(qualifier);
}

} // namespace datum::test
