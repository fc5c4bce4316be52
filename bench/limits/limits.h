// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// bench/limits/limits.h: the limits of the machine, measured with as little code as possible. All
// times are in nanoseconds. A "half round trip" is half the time there and back.
#pragma once

#include <cstddef>
#include <string>

namespace limits {

double one_line_pingpong(int rounds); // one cache line that both sides write: half round trip
double two_line_pingpong(int rounds); // one line for each direction: half round trip
double ring_pingpong(std::size_t size, int rounds); // copy in, copy out: half round trip
// Messages of size bytes in 64-byte slots: messages per second.
double ring_rate(std::size_t size, std::size_t messages);
double put_pingpong(std::size_t size, int rounds); // copied into mapped memory: half round trip
double cma_call(std::size_t size, bool write, int rounds);
// One read, as in cma_call(), of memory whose first octet its owner writes again and again.
double cma_read_new(std::size_t size, int rounds);
// One call for each write. The other side watches its memory for the write. Half round trip.
double cma_put_pingpong(std::size_t size, int rounds);
// A message that is copied once. The sender announces it in a cache line. The receiver copies it out
// of the sender's buffer with one call. Each side has one buffer: it receives into that buffer and
// sends out of it. Half round trip.
double cma_pingpong(std::size_t size, int rounds);
double copy(std::size_t size, int rounds); // memcpy in one thread
double futex_handover(int rounds);         // both asleep: half round trip

// From now on TCP connections lead to this address (IPv4 or IPv6) in the network namespace with
// that path. Without this call they use loopback.
void place_far_end(const std::string& netns, const std::string& address);

// One TCP connection, both ends polling without a pause: half round trip.
double tcp_pingpong(std::size_t size, int rounds);
double tcp_epoll_pingpong(std::size_t size, int rounds); // both asleep in epoll_wait
// A ping-pong on each of many connections at once: nanoseconds for each message.
double tcp_many(std::size_t size, int rounds);
// tcp_pingpong(), tcp_epoll_pingpong() and tcp_many() through io_uring.
double uring_pingpong(std::size_t size, int rounds);
double uring_sleep_pingpong(std::size_t size, int rounds);
double uring_many(std::size_t size, int rounds);
// Messages in one direction, both ends polling without a pause. A system call takes one message, or
// with `gather` as many as pay. Returns nanoseconds for each message, until the last one was
// received.
double tcp_stream(std::size_t size, bool gather, int messages);
double uring_stream(std::size_t size, int messages);

// Waits between two writes of a line that another core reads, about as long as a poll of an EVD
// takes. A line that is written without a pause could never be read.
inline void breathe() {
  for (int i = 0; i < 16; ++i) asm volatile("" ::: "memory");
}

} // namespace limits
