// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/iwarp/crc32c_portable.h"

#include <array>
#include <bit>
#include <cassert>
#include <cstring>

#if defined __x86_64__
#include <nmmintrin.h>
#elif defined __aarch64__
#include <arm_acle.h>
#endif

#include "base/cpu_features.h"

// Clang declares the instructions of Armv8 only where the whole build may use them.
#if defined __aarch64__ && (defined __ARM_FEATURE_CRC32 || !defined __clang__)
#define DATUM_ARM_CRC32
#endif

namespace datum::iwarp {
namespace {

constexpr std::uint32_t kReversedPolynomial = 0x82f63b78; // RFC 3720 section 12.1, CRC32C
constexpr std::size_t kAtOnce = 8;

using Tables = std::array<std::array<std::uint32_t, 256>, kAtOnce>;

// Table n gives the share of an octet in the CRC after n more octets.
constexpr Tables made_tables() {
  Tables tables{};
  for (std::uint32_t octet = 0; octet < 256; ++octet) {
    std::uint32_t crc = octet;
    for (int bit = 0; bit < 8; ++bit)
      crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? kReversedPolynomial : 0);
    tables[0][octet] = crc;
  }
  for (std::size_t n = 1; n < kAtOnce; ++n)
    for (std::size_t octet = 0; octet < 256; ++octet) {
      const std::uint32_t before = tables[n - 1][octet];
      tables[n][octet] = (before >> 8U) ^ tables[0][before & 0xffU];
    }
  return tables;
}

constexpr Tables kTables = made_tables();

std::uint64_t word_at(const std::byte* from) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, sizeof word);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return word;
}

std::uint32_t one_by_tables(std::uint32_t crc, std::byte octet) {
  return (crc >> 8U) ^ kTables[0][(crc ^ std::to_integer<std::uint32_t>(octet)) & 0xffU];
}

} // namespace

std::uint32_t crc32c_by_tables(Octets octets, std::uint32_t running) {
  std::uint32_t crc = running;
  for (; octets.size() >= kAtOnce; octets = octets.subspan(kAtOnce)) {
    const std::uint64_t word = word_at(octets.data()) ^ crc;
    crc = 0;
    for (std::size_t n = 0; n < kAtOnce; ++n)
      crc ^= kTables[kAtOnce - 1 - n][word >> (8 * n) & 0xffU];
  }
  for (const std::byte octet : octets) crc = one_by_tables(crc, octet);
  return crc;
}

#if defined __x86_64__

[[gnu::target("sse4.2")]] std::uint32_t crc32c_by_instruction(Octets octets,
                                                              std::uint32_t running) {
  assert(cpu_has_crc32c());
  std::uint64_t crc = running;
  for (; octets.size() >= kAtOnce; octets = octets.subspan(kAtOnce))
    crc = _mm_crc32_u64(crc, word_at(octets.data()));
  auto rest = static_cast<std::uint32_t>(crc);
  for (const std::byte octet : octets)
    rest = _mm_crc32_u8(rest, std::to_integer<std::uint8_t>(octet));
  return rest;
}

#elif defined DATUM_ARM_CRC32

[[gnu::target("+crc")]] std::uint32_t crc32c_by_instruction(Octets octets, std::uint32_t running) {
  assert(cpu_has_crc32c());
  std::uint32_t crc = running;
  for (; octets.size() >= kAtOnce; octets = octets.subspan(kAtOnce))
    crc = __crc32cd(crc, word_at(octets.data()));
  for (const std::byte octet : octets) crc = __crc32cb(crc, std::to_integer<std::uint8_t>(octet));
  return crc;
}

#else

std::uint32_t crc32c_by_instruction(Octets octets, std::uint32_t running) {
  return crc32c_by_tables(octets, running);
}

#endif

} // namespace datum::iwarp
