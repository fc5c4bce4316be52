// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "foreign.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace datum::net {
namespace {

constexpr int kForeignPatience = 20;

int listen_everywhere(std::uint16_t port) {
  const int socket = ::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
  constexpr int kOn = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &kOn, sizeof kOn);
  sockaddr_in6 every{};
  every.sin6_family = AF_INET6;
  every.sin6_port = htons(port);
  if (::bind(socket, reinterpret_cast<sockaddr*>(&every), sizeof every) == 0 &&
      ::listen(socket, 8) == 0)
    return socket;
  const int error = errno;
  ::close(socket);
  errno = error;
  return -1;
}

std::string words_of(Manner manner) {
  switch (manner) {
  case Manner::HangsUp: return "HTTP/1.0 400 Bad Request\r\n\r\n";
  case Manner::Greets: return "SSH-2.0-Foreign\r\n";
  case Manner::Silent:
  case Manner::Closes: break;
  }
  return "";
}

} // namespace

bool is_taken(std::uint16_t port) {
  const int socket = listen_everywhere(port);
  if (socket < 0) return errno == EADDRINUSE;
  ::close(socket);
  return false;
}

Foreign::Foreign(const Namespace& host, std::uint16_t port, Manner manner) : manner_(manner) {
  const Visit visit(host);
  socket_ = listen_everywhere(port);
  EXPECT_GE(socket_, 0) << std::strerror(errno);
  // A silent program need not accept: the kernel completes the connections.
  if (manner != Manner::Silent) server_ = std::thread([this] { serve(); });
}

Foreign::~Foreign() {
  ::shutdown(socket_, SHUT_RDWR); // wakes the thread in accept()
  if (server_.joinable()) server_.join();
  ::close(socket_);
  for (const int guest : guests_) ::close(guest);
}

void Foreign::serve() {
  const std::string words = words_of(manner_);
  for (int guest = 0; (guest = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) {
    static_cast<void>(::send(guest, words.data(), words.size(), MSG_NOSIGNAL));
    if (manner_ == Manner::Greets)
      guests_.push_back(guest);
    else
      ::close(guest);
  }
}

std::string Foreign::hear(std::size_t octets) {
  const timeval patience{kForeignPatience, 0};
  ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  const int guest = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
  if (guest < 0) return "";
  guests_.push_back(guest);
  ::setsockopt(guest, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  std::string heard(octets, '\0');
  const ssize_t got = ::recv(guest, heard.data(), heard.size(), MSG_WAITALL);
  heard.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return heard;
}

} // namespace datum::net
