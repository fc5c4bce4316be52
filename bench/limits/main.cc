// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// datum-limits: prints one physical limit as a number (nanoseconds, or messages per second).
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "limits.h"

namespace {

constexpr char kUsage[] =
    "usage: datum-limits LIMIT [SIZE]\n"
    "  one-line, two-lines        cache line ping-pong, half round trip, ns\n"
    "  ring SIZE                  ring of 64-byte slots, half round trip, ns\n"
    "  ring-rate SIZE             messages per second\n"
    "  put SIZE                   copy into mapped memory, half round trip, ns\n"
    "  cma-write, cma-read SIZE   one process_vm call, ns\n"
    "  cma-read-new SIZE          the same, of memory that its owner writes meanwhile, ns\n"
    "  cma-put SIZE               one process_vm call for each write, half round trip, ns\n"
    "  cma-message SIZE           one process_vm call for each message, half round trip, ns\n"
    "  memcpy SIZE                one copy, ns\n"
    "  futex                      hand-over between sleepers, half round trip, ns\n"
    "  tcp SIZE, tcp-epoll SIZE   loopback, spinning or asleep, half round trip, ns\n"
    "  tcp-stream SIZE            messages one way, one to a call, ns each\n"
    "  tcp-gather SIZE            the same, as many to a call as pay\n"
    "  tcp-many SIZE              a ping-pong on each of 64 connections, ns for each message\n"
    "  uring, uring-sleep, uring-stream, uring-many SIZE\n"
    "                             what tcp, tcp-epoll, tcp-stream, tcp-many do, by io_uring\n";

int rounds_for(std::size_t size) {
  const std::size_t octets = 1UL << 29U;
  const std::size_t rounds = size == 0 ? 200000 : octets / size;
  return static_cast<int>(rounds > 200000 ? 200000 : rounds < 20 ? 20 : rounds);
}

std::size_t messages_for(std::size_t size) {
  const std::size_t octets = 1UL << 28U;
  return size <= 56 ? 20000000 : octets / size + 1;
}

// Without gathering, each message takes a system call, which costs microseconds.
int tcp_messages_for(std::size_t size, bool gather) {
  const std::size_t messages = messages_for(size);
  return static_cast<int>(gather || messages < 50000 ? messages : 50000);
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  const char* limit = argv[1];
  const std::size_t size = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 8;
  const int rounds = rounds_for(size);
  const auto is = [&](const char* name) { return std::strcmp(limit, name) == 0; };
  double value = 0;
  if (is("one-line"))
    value = limits::one_line_pingpong(200000);
  else if (is("two-lines"))
    value = limits::two_line_pingpong(200000);
  else if (is("ring"))
    value = limits::ring_pingpong(size, rounds);
  else if (is("ring-rate"))
    value = limits::ring_rate(size, messages_for(size));
  else if (is("put"))
    value = limits::put_pingpong(size, rounds);
  else if (is("cma-write") || is("cma-read"))
    value = limits::cma_call(size, is("cma-write"), rounds);
  else if (is("cma-read-new"))
    value = limits::cma_read_new(size, rounds);
  else if (is("cma-put"))
    value = limits::cma_put_pingpong(size, rounds);
  else if (is("cma-message"))
    value = limits::cma_pingpong(size, rounds);
  else if (is("memcpy"))
    value = limits::copy(size, rounds);
  else if (is("futex"))
    value = limits::futex_handover(20000);
  else if (is("tcp"))
    value = limits::tcp_pingpong(size, rounds / 10 + 1);
  else if (is("tcp-epoll"))
    value = limits::tcp_epoll_pingpong(size, rounds / 10 + 1);
  else if (is("tcp-stream") || is("tcp-gather"))
    value = limits::tcp_stream(size, is("tcp-gather"), tcp_messages_for(size, is("tcp-gather")));
  else if (is("tcp-many"))
    value = limits::tcp_many(size, rounds / 100 + 1);
  else if (is("uring"))
    value = limits::uring_pingpong(size, rounds / 10 + 1);
  else if (is("uring-sleep"))
    value = limits::uring_sleep_pingpong(size, rounds / 10 + 1);
  else if (is("uring-many"))
    value = limits::uring_many(size, rounds / 100 + 1);
  else if (is("uring-stream"))
    value = limits::uring_stream(size, tcp_messages_for(size, false));
  else {
    std::fputs(kUsage, stderr);
    return 2;
  }
  std::printf("%.2f\n", value);
  return 0;
}
