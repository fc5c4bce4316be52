// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/file_io.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace datum::cp {
namespace {

// A file system caches a write in pages as large as the write. The kernel finds few larger pages
// than this once memory has been in use for a while: a copy took four times as long.
constexpr std::size_t kWriteAtOnce = 128 << 10;

} // namespace

std::size_t read_at(int fd, std::span<std::byte> bytes, std::uint64_t offset) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n =
        pread(fd, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
    if (n == 0) break;
    if (n > 0) done += static_cast<std::size_t>(n);
    if (n < 0 && errno != EINTR) throw std::system_error(errno, std::generic_category(), "read");
  }
  return done;
}

int write_at(int fd, std::span<const std::byte> bytes, std::uint64_t offset) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const std::size_t part = std::min(bytes.size() - done, kWriteAtOnce);
    const ssize_t n = pwrite(fd, bytes.data() + done, part, static_cast<off_t>(offset + done));
    if (n == 0) return ENOSPC;
    if (n > 0) done += static_cast<std::size_t>(n);
    if (n < 0 && errno != EINTR) return errno;
  }
  return 0;
}

} // namespace datum::cp
