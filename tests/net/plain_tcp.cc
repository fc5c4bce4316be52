// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "plain_tcp.h"

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <thread>
#include <utility>
#include <vector>

namespace datum::net {
namespace {

using Clock = std::chrono::steady_clock;

class Socket {
 public:
  explicit Socket(int file) : file_(file) { EXPECT_GE(file, 0) << "errno " << errno; }
  ~Socket() { ::close(file_); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  int get() const { return file_; }

 private:
  int file_;
};

int new_socket(const Namespace& host) {
  const Visit visit(host);
  return ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

// A listening TCP port on the other host, without Datum.
class There {
 public:
  explicit There(const TwoHosts& hosts) : socket_(new_socket(hosts.there())) {
    EXPECT_EQ(::listen(socket_.get(), 1), 0) << "errno " << errno;
    socklen_t size = sizeof place_;
    EXPECT_EQ(::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&place_), &size), 0);
    EXPECT_EQ(::inet_pton(AF_INET, TwoHosts::kThere, &place_.sin_addr), 1);
  }
  std::chrono::nanoseconds connect(const Socket& from) const {
    const auto began = Clock::now();
    EXPECT_EQ(::connect(from.get(), reinterpret_cast<const sockaddr*>(&place_), sizeof place_), 0)
        << "errno " << errno;
    return Clock::now() - began;
  }
  int accept() const { return ::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC); }

 private:
  Socket socket_;
  sockaddr_in place_{};
};

} // namespace

std::chrono::nanoseconds time_of_connect(const TwoHosts& hosts) {
  const There there(hosts);
  const Socket here(new_socket(hosts.here()));
  return there.connect(here);
}

std::chrono::nanoseconds time_of_octets(const TwoHosts& hosts, std::size_t octets) {
  const There there(hosts);
  const Socket here(new_socket(hosts.here()));
  there.connect(here);
  const Socket taker(there.accept());
  const auto began = Clock::now();
  std::thread sender([&] {
    const std::vector<std::byte> all(octets);
    EXPECT_EQ(::send(here.get(), all.data(), octets, MSG_NOSIGNAL), static_cast<ssize_t>(octets));
    ::shutdown(here.get(), SHUT_WR);
  });
  std::vector<std::byte> some(64 * 1024);
  std::size_t taken = 0;
  for (ssize_t got = 0; (got = ::recv(taker.get(), some.data(), some.size(), 0)) > 0;)
    taken += static_cast<std::size_t>(got);
  const auto took = Clock::now() - began;
  sender.join();
  EXPECT_EQ(taken, octets);
  return took;
}

} // namespace datum::net
