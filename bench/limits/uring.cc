// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The measurements of tcp.cc with io_uring: one system call for several operations, instead of one
// system call for each.
#include <algorithm>
#include <cerrno>
#include <liburing.h>
#include <vector>

#include "limits.h"
#include "loopback.h"
#include "many.h"
#include "two.h"

namespace limits {
namespace {

// The completion of a Send carries this value, the completion of a Recv the number of its
// connection.
constexpr std::uint64_t kSend = ~std::uint64_t{0};

class Uring {
 public:
  // With these flags the kernel takes octets from the socket only when this process asks for
  // completions, and a flag in memory shows whether there are any. So a side that spins finds out
  // without a call that there are none.
  Uring() {
    const unsigned flags =
        IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_TASKRUN_FLAG;
    const int result = io_uring_queue_init(4 * kMany, &ring_, flags);
    if (result < 0) {
      errno = -result;
      fail("limits: io_uring_queue_init");
    }
  }
  ~Uring() { io_uring_queue_exit(&ring_); }
  Uring(const Uring&) = delete;
  Uring& operator=(const Uring&) = delete;

  void send(int end, const char* from, std::size_t size) {
    io_uring_sqe* entry = io_uring_get_sqe(&ring_);
    io_uring_prep_send(entry, end, from, size, MSG_NOSIGNAL | MSG_WAITALL);
    io_uring_sqe_set_data64(entry, kSend);
  }
  // Causes one completion, when all octets have come.
  void receive(int end, char* to, std::size_t size, std::uint64_t which = 0) {
    io_uring_sqe* entry = io_uring_get_sqe(&ring_);
    io_uring_prep_recv(entry, end, to, size, MSG_WAITALL);
    io_uring_sqe_set_data64(entry, which);
  }
  // Polls until `count` operations have ended, whatever they received.
  void await(unsigned count) {
    while (count != 0) count -= look([](unsigned, std::size_t) {});
  }
  void submit() { check(io_uring_submit(&ring_), "limits: io_uring_submit"); }
  // Submits, and sleeps until `count` operations have ended.
  void submit_and_wait(unsigned count) {
    check(io_uring_submit_and_wait(&ring_, count), "limits: io_uring_submit_and_wait");
  }
  // Takes the operations that have ended, and calls on_received(which, octets) for each Recv.
  // Returns how many operations there were.
  template <typename OnReceived>
  unsigned look(const OnReceived& on_received) {
    io_uring_cqe* all[2 * kMany];
    const unsigned count = io_uring_peek_batch_cqe(&ring_, all, 2 * kMany);
    for (unsigned i = 0; i < count; ++i) {
      errno = all[i]->res < 0 ? -all[i]->res : 0;
      const std::size_t octets = moved(all[i]->res < 0 ? -1 : all[i]->res);
      const std::uint64_t which = io_uring_cqe_get_data64(all[i]);
      if (which != kSend) on_received(static_cast<unsigned>(which), octets);
    }
    io_uring_cq_advance(&ring_, count);
    return count;
  }

 private:
  io_uring ring_{};
};

// In a round each side submits a Send and the next Recv with one call, and waits for both
// operations.
template <bool kSleeps>
double pingpong(std::size_t size, int rounds) {
  const Connection connection;
  const auto play = [&](int side) {
    std::vector<char> out(size, 'x');
    std::vector<char> in(size);
    Uring ring;
    const int end = connection.end(side);
    const auto run = [&](unsigned count) {
      if (kSleeps)
        ring.submit_and_wait(count);
      else
        ring.submit();
      ring.await(count);
    };
    if (side == 1) {
      ring.receive(end, in.data(), size);
      run(1);
    }
    for (int i = 0; i < rounds; ++i) {
      const bool last = side == 1 && i == rounds - 1;
      ring.send(end, out.data(), size);
      if (!last) ring.receive(end, in.data(), size);
      run(last ? 1 : 2);
    }
  };
  return run_two(
      [&] {
        const std::int64_t start = now();
        play(0);
        return static_cast<double>(now() - start) / (2.0 * rounds);
      },
      [&] { play(1); });
}

} // namespace

double uring_pingpong(std::size_t size, int rounds) {
  return pingpong<false>(size, rounds);
}

double uring_sleep_pingpong(std::size_t size, int rounds) {
  return pingpong<true>(size, rounds);
}

double uring_many(std::size_t size, int rounds) {
  return run_many(size, rounds, [&](const Connections& connections, Received& received, int side) {
    std::vector<char> out(size, 'x');
    std::vector<char> in(size * kMany);
    Uring ring;
    for (unsigned i = 0; i < kMany; ++i) {
      if (side == 0) ring.send(connections.end(i, side), out.data(), size);
      ring.receive(connections.end(i, side), &in[i * size], size, i);
    }
    ring.submit();
    while (!received.done()) {
      const unsigned ended = ring.look([&](unsigned which, std::size_t octets) {
        if (received.add(which, octets)) {
          const int end = connections.end(which, side);
          ring.send(end, out.data(), size);
          if (!received.last(which)) ring.receive(end, &in[which * size], size, which);
        }
      });
      if (ended != 0) ring.submit();
    }
  });
}

double uring_stream(std::size_t size, int messages) {
  const Connection connection;
  return run_two(
      [&] {
        std::vector<char> out(size, 'x');
        char answer = 0;
        Uring ring;
        const int end = connection.end(0);
        const std::int64_t start = now();
        for (int i = 0; i < messages; ++i) {
          ring.send(end, out.data(), size);
          ring.submit();
          ring.await(1);
        }
        ring.receive(end, &answer, 1);
        ring.submit();
        ring.await(1);
        return static_cast<double>(now() - start) / messages;
      },
      [&] {
        std::vector<char> in(size, 'x');
        Uring ring;
        const int end = connection.end(1);
        for (int i = 0; i < messages; ++i) {
          ring.receive(end, in.data(), size);
          ring.submit();
          ring.await(1);
        }
        ring.send(end, "y", 1);
        ring.submit();
        ring.await(1);
      });
}

} // namespace limits
