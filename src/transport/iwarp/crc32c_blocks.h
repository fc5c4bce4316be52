// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/crc32c_blocks.h: the CRC of long runs of octets, by the crc32 instruction and
// carry-less multiplication of vectors (VPCLMULQDQ) at once.
// Not here:   octets short of a block, and processors without one of the two (crc32c.cc).
#pragma once

#include "transport/iwarp/wire.h"

namespace datum::iwarp {

// An FPDU of 64 KiB has eight such blocks.
inline constexpr std::size_t kCrcBlock = 8064;

// True: this processor has both, and no faster code can run: no ISA-L in the build, or no AVX-512
// for it.
bool crc32c_blocks_work();

// Goes on from `running` through all whole blocks at the beginning of `octets`, and takes them
// away.
std::uint32_t crc32c_blocks(Octets& octets, std::uint32_t running);
// Also copies the blocks to `to`, and moves `to` on. The CRC is that of the copy, even if a program
// writes `octets` meanwhile.
std::uint32_t crc32c_copy_blocks(std::byte*& to, Octets& octets, std::uint32_t running);

} // namespace datum::iwarp
