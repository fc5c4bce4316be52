// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/counting.h: from where peers count the bytes of a region or a window: DAT_VA_TYPE, which
// only DAT 2.0 has.
#pragma once

#include <cstdint>

namespace datum {

// Neither: a wrong argument, which is refused in its turn, after the handles.
enum class Counting : std::uint8_t { FromAddress, FromZero, Neither };

} // namespace datum
