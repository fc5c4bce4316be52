// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/extents.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace datum::cp {

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

} // namespace datum::cp
