// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/file_io.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <string_view>
#include <system_error>

#include "base/unique_fd.h"

namespace datum::cp {
namespace {

// A file system caches a write in pages as large as the write. Once memory has been in use for a
// while, the kernel finds few pages larger than this. With larger writes a copy took four times as
// long.
constexpr std::size_t kWriteAtOnce = 128 << 10;
constexpr std::size_t kNamesAtOnce = 32 << 10; // octets, as readdir(3) takes

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

Extent next_extent(int fd, std::uint64_t offset, std::uint64_t size, bool sparse) {
  const Extent all_data = {false, size - offset};
  if (!sparse) return all_data;
  const off_t data = lseek(fd, static_cast<off_t>(offset), SEEK_DATA);
  if (data < 0) return errno == ENXIO ? Extent{true, size - offset} : all_data;
  if (const auto start = static_cast<std::uint64_t>(data); start > offset)
    return {true, std::min(start, size) - offset};
  const off_t hole = lseek(fd, static_cast<off_t>(offset), SEEK_HOLE);
  if (hole < 0) return all_data;
  return {false, std::min(static_cast<std::uint64_t>(hole), size) - offset};
}

static_assert(offsetof(dirent, d_name) == 8 + 8 + 2 + 1, "what the kernel writes");

// fdopendir(3) would call fcntl(2), which a filter of system calls may refuse.
bool read_names(int folder, std::vector<std::string>& names) {
  const UniqueFd copy(openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!copy) return false;
  alignas(dirent) std::array<char, kNamesAtOnce> part;
  for (;;) {
    const long length = syscall(SYS_getdents64, copy.get(), part.data(), part.size());
    if (length <= 0) return length == 0;
    for (long at = 0; at < length;) {
      const auto* const item = reinterpret_cast<const dirent*>(part.data() + at);
      const std::string_view name = item->d_name;
      if (name != "." && name != "..") names.emplace_back(name);
      at += item->d_reclen;
    }
  }
}

// musl has no renameat2().
int put_in_place(int folder, const std::string& from, const std::string& to, Existing existing) {
  if (existing == Existing::Keep) {
    if (syscall(SYS_renameat2, folder, from.c_str(), folder, to.c_str(), RENAME_NOREPLACE) == 0)
      return 0;
    // Some file systems know no flags. Then this checks for the entry first, which only another
    // process at the same moment can defeat.
    if (errno != EINVAL && errno != ENOSYS) return errno;
    struct stat st = {};
    if (fstatat(folder, to.c_str(), &st, AT_SYMLINK_NOFOLLOW) == 0) return EEXIST;
  }
  return renameat(folder, from.c_str(), folder, to.c_str()) == 0 ? 0 : errno;
}

} // namespace datum::cp
