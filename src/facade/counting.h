// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/counting.h: DAT_VA_TYPE, which only DAT 2.0 has: whether addresses in a region or a window
// begin at its virtual address or at 0.
#pragma once

#include <cstdint>

namespace datum {

// Neither: the argument is wrong. The call refuses it only after it has checked the handles.
enum class Counting : std::uint8_t { FromAddress, FromZero, Neither };

} // namespace datum
