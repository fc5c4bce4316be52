// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/crc32c.h: the CRC of FPDUs, computed piece by piece (RFC 5044 section 4.4).
#pragma once

#include "transport/iwarp/wire.h"

namespace datum::iwarp {

class Crc32c {
 public:
  void add(Octets octets);
  // Adds and copies the octets. The CRC is that of the copy, even if a program writes `octets`
  // meanwhile.
  void copy(std::byte* to, Octets octets);
  // The value goes on the wire with the least significant octet first.
  std::uint32_t value() const { return ~running_; }

 private:
  std::uint32_t running_ = 0xffffffff;
};

inline std::uint32_t crc32c(Octets octets) {
  Crc32c crc;
  crc.add(octets);
  return crc.value();
}

} // namespace datum::iwarp
