// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// bench/limits/many.h: many TCP connections between two processes, with a ping-pong on each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "loopback.h"
#include "two.h"

namespace limits {

inline constexpr unsigned kMany = 64;

class Connections {
 public:
  Connections() : all_(kMany) {
    for (auto& each : all_) each = std::make_unique<Connection>();
  }
  [[nodiscard]] int end(unsigned which, int side) const { return all_[which]->end(side); }

 private:
  std::vector<std::unique_ptr<Connection>> all_;
};

// The messages that one side has received on each connection. Side 0 begins, and receives the last
// message.
class Received {
 public:
  Received(int side, std::size_t size, int rounds)
      : side_(side), size_(size), rounds_(rounds), octets_(kMany), messages_(kMany) {}
  // The number of octets that the arriving message still lacks.
  [[nodiscard]] std::size_t missing(unsigned which) const { return size_ - octets_[which]; }
  // True: a message is complete, and an answer has to go back.
  bool add(unsigned which, std::size_t octets) {
    octets_[which] += octets;
    if (octets_[which] != size_) return false;
    octets_[which] = 0;
    ++all_;
    return ++messages_[which] != rounds_ || side_ == 1;
  }
  // True: no more messages come on this connection.
  [[nodiscard]] bool last(unsigned which) const { return messages_[which] == rounds_; }
  [[nodiscard]] bool done() const { return all_ == kMany * static_cast<std::uint64_t>(rounds_); }

 private:
  int side_;
  std::size_t size_;
  int rounds_;
  std::vector<std::size_t> octets_;
  std::vector<int> messages_;
  std::uint64_t all_ = 0;
};

// Nanoseconds for each message of both sides together. play(connections, received, side) plays one
// side.
template <typename Play>
double run_many(std::size_t size, int rounds, const Play& play) {
  const Connections connections;
  return run_two(
      [&] {
        Received received(0, size, rounds);
        const std::int64_t start = now();
        play(connections, received, 0);
        return static_cast<double>(now() - start) / (2.0 * kMany * rounds);
      },
      [&] {
        Received received(1, size, rounds);
        play(connections, received, 1);
      });
}

} // namespace limits
