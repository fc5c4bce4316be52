// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/fpdu.h: sizes of FPDUs (RFC 5044 section 4).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace datum::iwarp {

inline constexpr std::size_t kLengthSize = 2;
inline constexpr std::size_t kCrcSize = 4;
inline constexpr std::size_t kMostSentUlpdu = 64768; // RFC 5044 section 3
inline constexpr std::size_t kLeastUlpdu = 128;
inline constexpr std::size_t kMarkerSize = 4;
inline constexpr std::size_t kMarkerSpacing = 512;

// The pad depends on the size of length field and ULPDU together, not on that of the payload.
constexpr std::size_t pad_of(std::size_t ulpdu) {
  return (0 - (kLengthSize + ulpdu)) & 3U;
}
constexpr std::size_t fpdu_size(std::size_t ulpdu) {
  return kLengthSize + ulpdu + pad_of(ulpdu) + kCrcSize;
}

// The largest ULPDU whose FPDU fits in one TCP segment of `emss` octets.
constexpr std::size_t mulpdu(std::size_t emss, bool markers) {
  const std::size_t per_marker = markers ? 4 * ((emss + kMarkerSpacing - 1) / kMarkerSpacing) : 0;
  const std::size_t overhead = 6 + per_marker + emss % 4;
  return std::clamp(emss > overhead ? emss - overhead : 0, kLeastUlpdu, kMostSentUlpdu);
}

} // namespace datum::iwarp
