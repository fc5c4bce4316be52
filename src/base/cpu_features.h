// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/cpu_features.h: which optional instructions this processor has.
#pragma once

namespace datum {

// True: the processor has an instruction for CRC32C, by SSE 4.2 or the CRC extension of Armv8.
bool cpu_has_crc32c();

} // namespace datum
