// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A TCP connection over loopback without a protocol on top: only the octets, with one thread for
// each side.
#include <algorithm>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>
#include <vector>

#include "limits.h"
#include "loopback.h"
#include "many.h"
#include "two.h"

namespace limits {
namespace {

// Below this size a copy into one buffer costs less than an iovec.
constexpr std::size_t kSmall = 4096;
constexpr std::size_t kCall = 1UL << 20U; // the most octets of a gathering call
constexpr std::size_t kMostPieces = 256;

struct Spin {
  explicit Spin(int) {}
  void wait() {}
};

class Sleep {
 public:
  explicit Sleep(int end) : epoll_(epoll_create1(0)) {
    check(epoll_, "limits: epoll_create1");
    epoll_event wanted{};
    wanted.events = EPOLLIN;
    check(epoll_ctl(epoll_, EPOLL_CTL_ADD, end, &wanted), "limits: epoll_ctl");
  }
  ~Sleep() { close(epoll_); }
  Sleep(const Sleep&) = delete;
  Sleep& operator=(const Sleep&) = delete;
  void wait() {
    epoll_event got{};
    epoll_wait(epoll_, &got, 1, -1);
  }

 private:
  int epoll_;
};

template <typename Wait>
void receive_all(int end, Wait& until, char* to, std::size_t size) {
  while (size != 0) {
    until.wait();
    const std::size_t got = moved(recv(end, to, size, 0));
    to += got;
    size -= got;
  }
}

template <typename Wait>
double pingpong(std::size_t size, int rounds) {
  const Connection connection;
  std::vector<char> buffer(size, 'x');
  return run_two(
      [&] {
        const int end = connection.end(0);
        Wait until(end);
        const std::int64_t start = now();
        for (int i = 0; i < rounds; ++i) {
          send_all(end, buffer.data(), size);
          receive_all(end, until, buffer.data(), size);
        }
        return static_cast<double>(now() - start) / (2.0 * rounds);
      },
      [&] {
        const int end = connection.end(1);
        Wait until(end);
        for (int i = 0; i < rounds; ++i) {
          receive_all(end, until, buffer.data(), size);
          send_all(end, buffer.data(), size);
        }
      });
}

// Sends or receives one buffer again and again, several times in one call.
class Repeated {
 public:
  Repeated(std::size_t unit, std::size_t a_call) : buffer_(unit, 'x'), pieces_(a_call) {}
  void begin(std::size_t units) { left_ = buffer_.size() * units; }
  [[nodiscard]] bool done() const { return left_ == 0; }
  // The message for the next call.
  msghdr next() {
    std::size_t octets = left_, from = at_, count = 0;
    for (iovec& piece : pieces_) {
      if (octets == 0) break;
      piece.iov_base = buffer_.data() + from;
      piece.iov_len = std::min(buffer_.size() - from, octets);
      octets -= piece.iov_len;
      from = 0;
      ++count;
    }
    msghdr message{};
    message.msg_iov = pieces_.data();
    message.msg_iovlen = count;
    return message;
  }
  void advance(std::size_t octets) {
    left_ -= octets;
    at_ = (at_ + octets) % buffer_.size();
  }

 private:
  std::vector<char> buffer_;
  std::size_t left_ = 0, at_ = 0;
  std::vector<iovec> pieces_;
};

} // namespace

double tcp_pingpong(std::size_t size, int rounds) {
  return pingpong<Spin>(size, rounds);
}

double tcp_epoll_pingpong(std::size_t size, int rounds) {
  return pingpong<Sleep>(size, rounds);
}

// Both sides query epoll for connections with octets, and never sleep.
double tcp_many(std::size_t size, int rounds) {
  return run_many(size, rounds, [&](const Connections& connections, Received& received, int side) {
    const int epoll = epoll_create1(0);
    check(epoll, "limits: epoll_create1");
    std::vector<char> buffer(size, 'x');
    for (unsigned i = 0; i < kMany; ++i) {
      epoll_event wanted{};
      wanted.events = EPOLLIN;
      wanted.data.u32 = i;
      check(epoll_ctl(epoll, EPOLL_CTL_ADD, connections.end(i, side), &wanted),
            "limits: epoll_ctl");
      if (side == 0) send_all(connections.end(i, side), buffer.data(), size);
    }
    epoll_event ready[kMany];
    while (!received.done()) {
      const int count = epoll_wait(epoll, ready, kMany, 0);
      for (int i = 0; i < count; ++i) {
        const unsigned which = ready[i].data.u32;
        const int end = connections.end(which, side);
        if (received.add(which, moved(recv(end, buffer.data(), received.missing(which), 0))))
          send_all(end, buffer.data(), size);
      }
    }
    close(epoll);
  });
}

// Sends untimed messages first, until the kernel's windows have grown as on a connection in use.
double tcp_stream(std::size_t size, bool gather, int messages) {
  constexpr std::size_t kGrown = 32 << 20; // octets
  const std::size_t most = std::clamp<std::size_t>(kCall / size, 1, kMostPieces);
  const std::size_t a_call = gather ? most : 1;
  const bool together = size < kSmall;
  const std::size_t unit = together ? size * a_call : size;
  const auto wanted = static_cast<std::size_t>(messages);
  const std::size_t units = together ? (wanted + a_call - 1) / a_call : wanted;
  const std::size_t before = std::clamp<std::size_t>(kGrown / unit, 1, units);
  const Connection connection;
  return run_two(
      [&] {
        const int end = connection.end(0);
        Repeated out(unit, together ? 1 : a_call);
        double each = 0;
        for (const std::size_t count : {before, units}) {
          const std::int64_t start = now();
          for (out.begin(count); !out.done();) {
            const msghdr message = out.next();
            out.advance(moved(sendmsg(end, &message, MSG_NOSIGNAL)));
          }
          char answer = 0;
          Spin until(end);
          receive_all(end, until, &answer, 1);
          const std::size_t sent = together ? count * a_call : count;
          each = static_cast<double>(now() - start) / static_cast<double>(sent);
        }
        return each;
      },
      [&] {
        const int end = connection.end(1);
        Repeated in(unit, together ? 1 : a_call);
        for (const std::size_t count : {before, units}) {
          for (in.begin(count); !in.done();) {
            msghdr message = in.next();
            in.advance(moved(recvmsg(end, &message, 0)));
          }
          send_all(end, "y", 1);
        }
      });
}

} // namespace limits
