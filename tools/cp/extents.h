// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/extents.h: where a file has data, and where it has holes, which read as zeros.
#pragma once

#include <cstdint>

namespace datum::cp {

struct Extent {
  bool hole = false;
  std::uint64_t length = 0;
};

// The extent that begins at offset (< size), cut at size. If the file is not `sparse`, all of it
// counts as data, and the kernel is not asked.
Extent next_extent(int fd, std::uint64_t offset, std::uint64_t size, bool sparse);

} // namespace datum::cp
