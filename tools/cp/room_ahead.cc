// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/room_ahead.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>

namespace datum::cp {
namespace {

// A larger step gains nothing, and a copy that is killed leaves up to this much reserved space
// after the end of its temporary file.
constexpr std::uint64_t kStep = 16 << 20;
constexpr std::uint64_t kWorthACall = 1 << 20;

bool is_ext4(int fd) {
  struct statfs system = {};
  return fstatfs(fd, &system) == 0 && system.f_type == EXT4_SUPER_MAGIC;
}

} // namespace

RoomAhead::RoomAhead(int fd, std::uint64_t end)
    : fd_(fd), end_(end), pays_(end >= kWorthACall && is_ext4(fd)) {}

void RoomAhead::ask(std::uint64_t offset, std::uint64_t length) {
  if (!pays_ || offset + length <= reserved_) return;
  const std::uint64_t from = std::max(offset, reserved_);
  const std::uint64_t to = std::min(std::max(offset + length, from + kStep), end_);
  if (to <= from) return;
  pays_ = fallocate(fd_, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(from),
                    static_cast<off_t>(to - from)) == 0;
  if (pays_) reserved_ = to;
}

// ftruncate() to the size of the file frees the space reserved after its end.
bool RoomAhead::give_back(std::uint64_t offset) {
  if (reserved_ <= offset) return true;
  reserved_ = 0;
  return ftruncate(fd_, static_cast<off_t>(offset)) == 0;
}

} // namespace datum::cp
