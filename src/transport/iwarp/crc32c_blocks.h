// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/crc32c_blocks.h: the CRC of long runs of octets, by two units of the processor at
// once. Not here: what is shorter than a block, and processors that cannot (crc32c.cc).
#pragma once

#include "transport/iwarp/wire.h"

namespace datum::iwarp {

// What an FPDU of 64 KiB has eight of.
inline constexpr std::size_t kCrcBlock = 8064;

// Whether this processor can, and nothing that is built in is faster.
bool crc32c_blocks_work();

// Goes on from `running` through all whole blocks at the beginning of `octets`, and takes them
// away.
std::uint32_t crc32c_blocks(Octets& octets, std::uint32_t running);
// The same, and copies them; the CRC is that of the copy, whoever writes `octets` meanwhile.
std::uint32_t crc32c_copy_blocks(std::byte*& to, Octets& octets, std::uint32_t running);

} // namespace datum::iwarp
