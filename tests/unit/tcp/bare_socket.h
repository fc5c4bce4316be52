// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/unit/tcp/bare_socket.h: what one part of a connection needs in a test without the
// connection: a socket whose other end the test holds, a session in full operation, and the
// TcpContext of a transport.
#pragma once

#include <cerrno>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "../iwarp/pair.h"
#include "base/unique_fd.h"
#include "station.h"
#include "transport/tcp/inet_socket.h"
#include "transport/tcp/tcp_context.h"
#include "transport/tcp/watched_socket.h"

namespace datum::test {

using iwarp::test::Bytes;
using Log = std::vector<std::string>;

enum class PeerIs : std::uint8_t { Foreign, Own };

class BareSocket : private FdHandler {
 public:
  explicit BareSocket(PeerIs kind = PeerIs::Foreign, const TcpOptions& options = {},
                      const iwarp::SessionSettings& settings = {})
      : context(reactor, *read_address(loopback()), options),
        session(settings, context.chunks, events) {
    context.lent.progress = &time;
    events.session = &session;
    EXPECT_TRUE(socket.watch(EPOLLIN).ok());
    begin(kind);
    events.take_log();
  }
  virtual ~BareSocket() = default;

  void say(iwarp::Octets octets) const {
    const std::size_t before = unread();
    EXPECT_EQ(::send(peer.get(), octets.data(), octets.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(octets.size()));
    while (unread() < before + octets.size()) continue;
  }
  // Waits until poll(2) reports `what` for the socket. With 0 it waits for a reset.
  void await(short what) const {
    pollfd one{socket.get(), what, 0};
    ::poll(&one, 1, -1);
  }
  void reset() {
    reset_when_closed(peer.get());
    peer.reset();
    await(0);
  }
  // Reads all octets that have come to the peer, and returns their number.
  std::size_t hear() const {
    std::size_t all = 0;
    Bytes some(256 * 1024);
    for (ssize_t got; (got = ::recv(peer.get(), some.data(), some.size(), MSG_DONTWAIT)) > 0;)
      all += static_cast<std::size_t>(got);
    return all;
  }
  static Bytes message(std::uint32_t msn, std::size_t size) {
    return iwarp::test::fpdu(iwarp::test::untagged(iwarp::Rdmap::Send, 0, msn),
                             iwarp::test::pattern(size, 3, msn));
  }

 private:
  static GuardedFd connect_to_self(UniqueFd& peer) {
    const UniqueFd listener(::socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in name{};
    name.sin_family = AF_INET;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof name;
    auto* address = reinterpret_cast<sockaddr*>(&name);
    EXPECT_EQ(::bind(listener.get(), address, sizeof name), 0);
    EXPECT_EQ(::listen(listener.get(), 1), 0);
    EXPECT_EQ(::getsockname(listener.get(), address, &length), 0);
    peer = UniqueFd(::socket(AF_INET, SOCK_STREAM, 0));
    EXPECT_EQ(::connect(peer.get(), address, sizeof name), 0);
    return GuardedFd(UniqueFd(::accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK)));
  }
  void begin(PeerIs kind) {
    session.expect_request(0);
    session.feed(iwarp::test::from_hex(kind == PeerIs::Own
                                           ? iwarp::test::kRequest
                                           : "4d504120494420526571204672616d6540010000"),
                 0);
    session.accept({}, {.reads_in = 4, .reads_out = 4}, events, 0);
    drop_output();
    const std::uint64_t said =
        kind == PeerIs::Own ? encode(iwarp::Hello{.largest_ulpdu = 0xffff}) : 0;
    session.feed(iwarp::test::fpdu(iwarp::test::tagged(
                     iwarp::Rdmap::Write, kind == PeerIs::Own ? iwarp::kHelloStag : 1, said)),
                 0);
    drop_output();
    EXPECT_EQ(session.peer_is_own(), kind == PeerIs::Own);
  }
  void drop_output() {
    std::array<iwarp::Octets, TcpContext::kPieces> pieces;
    for (std::size_t count; (count = session.output(pieces, 0)) != 0;)
      for (const iwarp::Octets piece : std::span(pieces).first(count))
        session.sent(piece.size(), 0);
  }
  std::size_t unread() const {
    int octets = 0;
    EXPECT_EQ(::ioctl(socket.get(), FIONREAD, &octets), 0);
    return static_cast<std::size_t>(octets);
  }
  void on_ready(std::uint32_t) override {}

 public:
  StepReactor reactor;
  RealTime time;
  TcpContext context;
  UniqueFd peer;
  WatchedSocket socket{reactor, connect_to_self(peer), *this};
  iwarp::test::StandIn events;
  iwarp::Session session;
};

} // namespace datum::test
