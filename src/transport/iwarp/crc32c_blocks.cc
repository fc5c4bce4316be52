// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The crc32 instruction takes eight octets a cycle, and so do carry-less multiplications of
// vectors. They run in different units of the processor, so both work on a block at the same time.
// The first part of a block is read as three streams, since the result of a crc32 instruction takes
// three cycles. The rest is folded in three vectors (Intel's paper "Fast CRC Computation for
// Generic Polynomials Using PCLMULQDQ", 2009, the source of the exponents). Then the CRC of each
// part is moved to the end of the block, and all of them are added.
#include "transport/iwarp/crc32c_blocks.h"

#ifdef __x86_64__

#include <cassert>
#include <cstring>
#include <immintrin.h>

namespace datum::iwarp {
namespace {

constexpr unsigned kRounds = 48; // rounds for a block
constexpr std::size_t kWord = 8;
constexpr std::size_t kVector = 32;
constexpr std::size_t kStreamRound = 3 * kWord;
constexpr std::size_t kFoldRound = 3 * kVector;
constexpr std::size_t kStream = kRounds * kStreamRound;
constexpr std::size_t kFolded = kRounds * kFoldRound;
static_assert(3 * kStream + kFolded == kCrcBlock);

// x to the power of n modulo the polynomial of CRC32C; the most significant bit is x^31.
constexpr std::uint32_t power_of_x(std::size_t n) {
  constexpr std::uint32_t kPolynomial = 0x1edc6f41;
  std::uint32_t power = 1;
  for (; n != 0; --n) power = (power << 1U) ^ (power >> 31U) * kPolynomial;
  return power;
}

// Reverses the bits: in a CRC the least significant one comes first.
constexpr std::uint64_t reflected(std::uint32_t value) {
  std::uint64_t turned = 0;
  for (unsigned i = 0; i < 32; ++i)
    if ((value >> i & 1U) != 0) turned |= std::uint64_t{1} << (31 - i);
  return turned;
}

// The factors that move 16 octets on by `octets`. Each half of the 16 octets has its own factor.
struct Fold {
  std::uint64_t low;
  std::uint64_t high;
};
constexpr Fold fold_by(std::size_t octets) {
  return {.low = reflected(power_of_x(8 * octets + 32)) << 1U,
          .high = reflected(power_of_x(8 * octets - 32)) << 1U};
}

// The factor that moves a CRC on by `octets`. The crc32 instruction reduces the product.
constexpr std::uint64_t skip(std::size_t octets) {
  return reflected(power_of_x(8 * octets - 33));
}

constexpr Fold kByRound = fold_by(kFoldRound);
constexpr Fold kByVector = fold_by(kVector);
constexpr Fold kByHalf = fold_by(kVector / 2);
constexpr std::uint64_t kSkips[3] = {skip(2 * kStream + kFolded), skip(kStream + kFolded),
                                     skip(kFolded)};

#define DATUM_WIDE [[gnu::target("avx2,vpclmulqdq,pclmul,sse4.2")]]

DATUM_WIDE inline __m256i twice(Fold by) {
  const auto low = static_cast<long long>(by.low);
  const auto high = static_cast<long long>(by.high);
  return _mm256_set_epi64x(high, low, high, low);
}

// The CRC must be that of the copy, even if a program writes the source meanwhile. So the source is
// read once: the empty asm statements keep the compiler from reading it again.
template <bool kCopies>
DATUM_WIDE inline __m256i vector_at(const std::byte* from, std::byte* to, std::size_t at) {
  __m256i vector = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + at));
  if constexpr (kCopies) {
    asm("" : "+x"(vector));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + at), vector);
  }
  return vector;
}

DATUM_WIDE inline __m256i folded(__m256i sum, __m256i by, __m256i next) {
  const __m256i low = _mm256_clmulepi64_epi128(sum, by, 0x00);
  const __m256i high = _mm256_clmulepi64_epi128(sum, by, 0x11);
  return _mm256_xor_si256(_mm256_xor_si256(low, high), next);
}

template <bool kCopies>
DATUM_WIDE inline std::uint64_t add_word(std::uint64_t crc, const std::byte* from, std::byte* to,
                                         std::size_t at) {
  std::uint64_t word = 0;
  std::memcpy(&word, from + at, sizeof word);
  if constexpr (kCopies) {
    asm("" : "+r"(word));
    std::memcpy(to + at, &word, sizeof word);
  }
  return _mm_crc32_u64(crc, word);
}

template <bool kCopies>
DATUM_WIDE inline std::uint64_t add_words(std::uint64_t crc, const std::byte* from, std::byte* to,
                                          std::size_t at) {
  crc = add_word<kCopies>(crc, from, to, at);
  crc = add_word<kCopies>(crc, from, to, at + kWord);
  return add_word<kCopies>(crc, from, to, at + 2 * kWord);
}

DATUM_WIDE inline std::uint64_t moved_on(std::uint64_t crc, std::uint64_t by) {
  const __m128i product = _mm_clmulepi64_si128(_mm_cvtsi64_si128(static_cast<long long>(crc)),
                                               _mm_cvtsi64_si128(static_cast<long long>(by)), 0);
  return static_cast<std::uint64_t>(_mm_cvtsi128_si64(product));
}

// The CRC, from 0, of the octets that the three vectors hold.
DATUM_WIDE inline std::uint64_t reduced(__m256i first, __m256i second, __m256i third) {
  const __m256i by_vector = twice(kByVector);
  const __m256i sum = folded(folded(first, by_vector, second), by_vector, third);
  const __m128i by_half = _mm256_castsi256_si128(twice(kByHalf));
  const __m128i half = _mm256_castsi256_si128(sum);
  const __m128i low = _mm_clmulepi64_si128(half, by_half, 0x00);
  const __m128i high = _mm_clmulepi64_si128(half, by_half, 0x11);
  const __m128i rest = _mm_xor_si128(_mm_xor_si128(low, high), _mm256_extracti128_si256(sum, 1));
  const std::uint64_t crc =
      _mm_crc32_u64(0, static_cast<std::uint64_t>(_mm_extract_epi64(rest, 0)));
  return _mm_crc32_u64(crc, static_cast<std::uint64_t>(_mm_extract_epi64(rest, 1)));
}

// `to` is used only with kCopies.
template <bool kCopies>
DATUM_WIDE std::uint32_t add_block(const std::byte* block, std::byte* to, std::uint32_t running) {
  const __m256i by_round = twice(kByRound);
  __m256i sums[3] = {_mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256()};
  std::uint64_t crcs[3] = {running, 0, 0};
  std::size_t fold = 3 * kStream;
  std::size_t word = 0;
  for (unsigned round = 0; round < kRounds; ++round) {
    sums[0] = folded(sums[0], by_round, vector_at<kCopies>(block, to, fold));
    sums[1] = folded(sums[1], by_round, vector_at<kCopies>(block, to, fold + kVector));
    sums[2] = folded(sums[2], by_round, vector_at<kCopies>(block, to, fold + 2 * kVector));
    fold += kFoldRound;
    crcs[0] = add_words<kCopies>(crcs[0], block, to, word);
    crcs[1] = add_words<kCopies>(crcs[1], block, to, kStream + word);
    crcs[2] = add_words<kCopies>(crcs[2], block, to, 2 * kStream + word);
    word += kStreamRound;
  }
  const std::uint64_t moved =
      moved_on(crcs[0], kSkips[0]) ^ moved_on(crcs[1], kSkips[1]) ^ moved_on(crcs[2], kSkips[2]);
  const std::uint64_t streams = _mm_crc32_u64(0, moved);
  return static_cast<std::uint32_t>(streams ^ reduced(sums[0], sums[1], sums[2]));
}

#undef DATUM_WIDE

} // namespace

bool crc32c_blocks_work() {
  // With AVX-512, ISA-L (if it is in the build) folds vectors of 64 octets, which is faster still.
  static const bool work =
      __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("vpclmulqdq") != 0 &&
      __builtin_cpu_supports("pclmul") != 0 && __builtin_cpu_supports("sse4.2") != 0 &&
      (DATUM_HAVE_ISAL == 0 || __builtin_cpu_supports("avx512vl") == 0);
  return work;
}

std::uint32_t crc32c_blocks(Octets& octets, std::uint32_t running) {
  assert(crc32c_blocks_work());
  for (; octets.size() >= kCrcBlock; octets = octets.subspan(kCrcBlock))
    running = add_block<false>(octets.data(), nullptr, running);
  return running;
}

std::uint32_t crc32c_copy_blocks(std::byte*& to, Octets& octets, std::uint32_t running) {
  assert(crc32c_blocks_work());
  for (; octets.size() >= kCrcBlock; octets = octets.subspan(kCrcBlock)) {
    running = add_block<true>(octets.data(), to, running);
    to += kCrcBlock;
  }
  return running;
}

} // namespace datum::iwarp

#else

namespace datum::iwarp {

bool crc32c_blocks_work() {
  return false;
}

std::uint32_t crc32c_blocks(Octets& /*octets*/, std::uint32_t running) {
  return running;
}

std::uint32_t crc32c_copy_blocks(std::byte*& /*to*/, Octets& /*octets*/, std::uint32_t running) {
  return running;
}

} // namespace datum::iwarp

#endif
