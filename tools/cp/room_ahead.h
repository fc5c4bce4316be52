// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/room_ahead.h: reserves disk space for data that will be written, on file systems where that
// makes the copy faster.
// ext4 reserves space for each page of a write, which takes longer than copying the page. If the
// space was reserved beforehand (fallocate(2)), ext4 only looks it up, and a file of 2 GB is
// written in two thirds of the time. tmpfs gains nothing. Other file systems would compress less,
// or send a request to a server.
#pragma once

#include <cstdint>

namespace datum::cp {

class RoomAhead {
 public:
  // `end`: the file will not become longer than this.
  RoomAhead(int fd, std::uint64_t end);

  // Called before octets are written there. A failure to reserve is no error: the write itself will
  // report it.
  void ask(std::uint64_t offset, std::uint64_t length);
  // Gives back the space after `offset`, which is the file's size. False: errno tells why that
  // failed.
  [[nodiscard]] bool give_back(std::uint64_t offset);

 private:
  int fd_;
  std::uint64_t end_;
  std::uint64_t reserved_ = 0; // the end of the reserved space; 0: nothing is reserved
  bool pays_;
};

} // namespace datum::cp
