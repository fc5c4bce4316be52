// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/room_ahead.h: room on the disk for what is going to be written, where asking for it pays.
// ext4 reserves each page of a write by itself, which takes longer than the copy. Of room that it
// gave away beforehand (fallocate(2)) it only looks up where it is: a file of 2 GB is written in
// two thirds of the time. tmpfs gains nothing; others compress less, or ask a server.
#pragma once

#include <cstdint>

namespace datum::cp {

class RoomAhead {
 public:
  // For a file that will not be longer than end.
  RoomAhead(int fd, std::uint64_t end);

  // Before something is written there. Room that is not to be had is no error: the write tells.
  void ask(std::uint64_t offset, std::uint64_t length);
  // Gives back what lies behind offset, the file's size; false: errno tells why that failed.
  [[nodiscard]] bool give_back(std::uint64_t offset);

 private:
  int fd_;
  std::uint64_t end_;
  std::uint64_t reserved_ = 0; // up to here; 0: nothing
  bool pays_;
};

} // namespace datum::cp
