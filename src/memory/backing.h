// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// memory/backing.h: one sealed memfd and its mapping.
// Lives here: the system calls that make, check and remove both; huge pages.
// Not here:   which part of the memory belongs to which block (arenas.h).
#pragma once

#include "arena_table.h"

namespace datum::memory {

// A multiple of every base page size in use. The length of each file is a multiple of kGranule.
inline constexpr std::size_t kGranule = std::size_t{64} << 10;
inline constexpr std::size_t kHugePageSize = std::size_t{2} << 20;

constexpr std::size_t round_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

enum class PagePool { Ordinary, HugeTlb };

// A memfd of that length that can neither shrink nor grow, or -errno.
int open_sealed_memfd(std::size_t length, PagePool pool);

// Returns 0 and sets `out`, or returns an errno. The mapping begins at a chunk boundary.
int map_new_file(std::size_t length, PagePool pool, ArenaInfo& out);
void unmap(const ArenaInfo& info);

// True: the descriptor is still that of the arena. Programs close descriptors that they do not know
// (daemons close all of them), and the number may name another file by now.
bool owns_descriptor(const ArenaInfo& info);
void identify(int fd, ArenaInfo& info);

// Transparent huge pages for the whole mapping. advise_huge_pages() requests them before the
// mapping is populated. collapse_to_huge_pages() makes them afterwards where the kernel can, and
// returns which pages the mapping has.
void advise_huge_pages(const ArenaInfo& info);
datum_memory_pages collapse_to_huge_pages(const ArenaInfo& info);

// The longest file that RLIMIT_FSIZE allows. Making a longer file would kill the process (SIGXFSZ).
std::size_t longest_file();

// Gives pages back to the kernel, by address and not by descriptor: see owns_descriptor(). The
// range reads as zero afterwards. False: the kernel refused.
bool discard(void* address, std::size_t length);
// Makes every page of the range present. False: the kernel has too few pages, and a later access
// would raise SIGBUS.
bool populate(void* address, std::size_t length);

} // namespace datum::memory
