// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/file_io.h: pread and pwrite that finish what they begin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace datum::cp {

// Reads `bytes`, or up to the end of the file. Returns how many bytes it read. Throws
// std::system_error.
std::size_t read_at(int fd, std::span<std::byte> bytes, std::uint64_t offset);

// Writes all bytes. Returns 0, or an errno value.
int write_at(int fd, std::span<const std::byte> bytes, std::uint64_t offset);

} // namespace datum::cp
