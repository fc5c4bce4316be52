// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/extents.h: where a file has data and where it only pretends to (holes).
#pragma once

#include <cstdint>

namespace datum::cp {

struct Extent {
  bool hole = false;
  std::uint64_t length = 0;
};

// What begins at offset (< size), cut at size. Without sparse the question is not asked: all is
// data.
Extent next_extent(int fd, std::uint64_t offset, std::uint64_t size, bool sparse);

} // namespace datum::cp
