// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// bench/limits/loopback.h: connected TCP sockets, and sending octets through them.
#pragma once

#include <cstddef>
#include <sys/types.h>

namespace limits {

// Prints `what` and the errno, and ends the program.
[[noreturn]] void fail(const char* what);
inline void check(int result, const char* what) {
  if (result < 0) fail(what);
}

// Both ends of one connection, made before the fork. Each process uses one end. The ends never
// block.
class Connection {
 public:
  Connection();
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  [[nodiscard]] int end(int side) const { return ends_[side]; }

 private:
  int ends_[2] = {-1, -1};
};

// The number of octets that a send() or recv() with this result has moved. 0: the socket is full or
// empty, or a signal interrupted the call. Ends the program if the connection has ended or failed.
std::size_t moved(ssize_t result);
// Polls until everything is sent.
void send_all(int end, const char* from, std::size_t size);

} // namespace limits
