// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/unit/tcp/caller.h: a plain TCP socket that connects to a station.
#pragma once

#include <cstring>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include "../iwarp/pair.h"
#include "base/unique_fd.h"
#include "station.h"

namespace datum::test {

// A foreign program. The test writes what the program sends.
class Caller {
 public:
  explicit Caller(ConnQual qualifier) {
    const Address address = loopback();
    sockaddr_in to{};
    std::memcpy(&to, address.bytes, sizeof to);
    to.sin_port = htons(static_cast<std::uint16_t>(qualifier));
    EXPECT_EQ(::connect(socket_.get(), reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
  }
  void say(const iwarp::test::Bytes& octets) const {
    EXPECT_EQ(::send(socket_.get(), octets.data(), octets.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(octets.size()));
  }
  void say_hex(const char* hex) const { say(iwarp::test::from_hex(hex)); }
  void hear(std::size_t octets) const {
    iwarp::test::Bytes heard(octets);
    EXPECT_EQ(::recv(socket_.get(), heard.data(), octets, MSG_WAITALL),
              static_cast<ssize_t>(octets));
  }
  void finish() const { EXPECT_EQ(::shutdown(socket_.get(), SHUT_WR), 0); }
  // Ends the connection by a reset.
  void reset() {
    const linger none{1, 0};
    EXPECT_EQ(::setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &none, sizeof none), 0);
    close();
  }
  void close() { socket_ = {}; }
  bool is_ended() const {
    pollfd one{socket_.get(), POLLRDHUP, 0};
    return ::poll(&one, 1, 0) > 0;
  }

 private:
  UniqueFd socket_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
};

// An MPA request of revision 1, without CRC.
inline constexpr const char* kPlain = "4d504120494420526571204672616d6500010000";

} // namespace datum::test
