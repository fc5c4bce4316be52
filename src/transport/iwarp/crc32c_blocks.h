// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/crc32c_blocks.h: the CRC of long runs of octets, computed by the crc32
// instruction and by carry-less multiplication of vectors (VPCLMULQDQ) at the same time.
// Not here:   runs shorter than a block, and processors without one of the two (crc32c.cc).
#pragma once

#include "transport/iwarp/wire.h"

namespace datum::iwarp {

// An FPDU of 64 KiB has eight such blocks.
inline constexpr std::size_t kCrcBlock = 8064;

// True: this processor has both, and there is no faster code. ISA-L with AVX-512 is faster.
bool crc32c_blocks_work();

// Continues the CRC `running` over all whole blocks at the beginning of `octets`, and removes these
// blocks from `octets`.
std::uint32_t crc32c_blocks(Octets& octets, std::uint32_t running);
// Also copies the blocks to `to`, and moves `to` to the end of the copy. The CRC is that of the
// copy, even if a program writes `octets` meanwhile.
std::uint32_t crc32c_copy_blocks(std::byte*& to, Octets& octets, std::uint32_t running);

} // namespace datum::iwarp
