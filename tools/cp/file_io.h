// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/file_io.h: system calls on open files and folders. Each function goes on until it has done
// everything.
// Not here: which files, and what a failure means (safe_path.h, file_error.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace datum::cp {

// Reads `bytes`, or up to the end of the file. Returns how many bytes it read. Throws
// std::system_error.
std::size_t read_at(int fd, std::span<std::byte> bytes, std::uint64_t offset);

// Writes all bytes. Returns 0, or an errno value.
int write_at(int fd, std::span<const std::byte> bytes, std::uint64_t offset);

struct Extent {
  bool hole = false; // it reads as zeros
  std::uint64_t length = 0;
};
// The extent that begins at offset (< size), cut at size. If the file is not `sparse`, all of it
// counts as data without a query of the kernel.
Extent next_extent(int fd, std::uint64_t offset, std::uint64_t size, bool sparse);

// The names in a folder, in no order, without "." and "..". Returns false with errno if the folder
// cannot be read to its end.
bool read_names(int folder, std::vector<std::string>& names);

enum class Existing { Keep, Replace }; // what happens to an entry that has the name already
// Renames within one folder, the last step of a finished file or link. 0, or an errno value: EEXIST
// if an entry is to be kept.
int put_in_place(int folder, const std::string& from, const std::string& to, Existing existing);

} // namespace datum::cp
