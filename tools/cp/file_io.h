// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/file_io.h: pread and pwrite that finish what they begin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace datum::cp {

// Bytes read: fewer than asked only at the end of the file. Throws std::system_error.
std::size_t read_at(int fd, std::span<std::byte> bytes, std::uint64_t offset);

// Writes all. 0, or the errno value of what stopped it.
int write_at(int fd, std::span<const std::byte> bytes, std::uint64_t offset);

} // namespace datum::cp
