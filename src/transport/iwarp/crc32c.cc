// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/iwarp/crc32c.h"

#include <algorithm>
#include <limits>

#if DATUM_HAVE_ISAL
#include <isa-l/crc.h>
#endif

#include "base/copy_bytes.h"
#include "transport/iwarp/crc32c_blocks.h"
#include "transport/iwarp/crc32c_portable.h"

namespace datum::iwarp {
namespace {

#if DATUM_HAVE_ISAL

std::uint32_t add_all(Octets octets, std::uint32_t running) {
  constexpr std::size_t kMost = std::numeric_limits<int>::max();
  while (!octets.empty()) {
    const std::size_t piece = std::min(octets.size(), kMost);
    // The library's argument is not const, but it only reads.
    auto* from = reinterpret_cast<unsigned char*>(const_cast<std::byte*>(octets.data()));
    running = crc32_iscsi(from, static_cast<int>(piece), running);
    octets = octets.subspan(piece);
  }
  return running;
}

#else

std::uint32_t add_all(Octets octets, std::uint32_t running) {
  return crc32c_portable(octets, running);
}

#endif

} // namespace

void Crc32c::add(Octets octets) {
  if (octets.size() >= kCrcBlock && crc32c_blocks_work())
    running_ = crc32c_blocks(octets, running_);
  running_ = add_all(octets, running_);
}

void Crc32c::copy(std::byte* to, Octets octets) {
  constexpr std::size_t kInCache = 4096;
  if (octets.size() >= kCrcBlock && crc32c_blocks_work())
    running_ = crc32c_copy_blocks(to, octets, running_);
  while (!octets.empty()) {
    const std::size_t piece = std::min(octets.size(), kInCache);
    copy_bytes(to, octets.data(), piece);
    add({to, piece});
    to += piece;
    octets = octets.subspan(piece);
  }
}

} // namespace datum::iwarp
