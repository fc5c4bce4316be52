// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/crc32c_portable.h: the CRC without ISA-L, for builds that have no such library.
// Not here: long runs on x86-64 (crc32c_blocks.h).
#pragma once

#include "base/cpu_features.h"
#include "transport/iwarp/wire.h"

namespace datum::iwarp {

// Both continue the CRC `running` over all octets. crc32c_by_instruction() needs cpu_has_crc32c().
// If the compiler does not offer the instruction, it does the same as crc32c_by_tables().
std::uint32_t crc32c_by_instruction(Octets octets, std::uint32_t running);
// Eight octets at a time, by eight tables.
std::uint32_t crc32c_by_tables(Octets octets, std::uint32_t running);

inline std::uint32_t crc32c_portable(Octets octets, std::uint32_t running) {
  return cpu_has_crc32c() ? crc32c_by_instruction(octets, running)
                          : crc32c_by_tables(octets, running);
}

} // namespace datum::iwarp
