// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/digest.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <new>
#include <vector>

#ifdef DATUM_XXHASH_DISPATCH
#include <xxh_x86dispatch.h> // the same names, for what this processor has: three times as fast
#else
#include <xxhash.h>
#endif

namespace datum::cp {
namespace {

Digest canonical(XXH128_hash_t hash) {
  XXH128_canonical_t bytes;
  XXH128_canonicalFromHash(&bytes, hash);
  Digest digest;
  std::memcpy(digest.data(), bytes.digest, digest.size());
  return digest;
}

const Digest& zero_block() {
  static const Digest digest = digest_of(std::vector<std::byte>(kBlock));
  return digest;
}

XXH3_state_t* new_state() {
  XXH3_state_t* state = XXH3_createState();
  if (state == nullptr) throw std::bad_alloc();
  XXH3_128bits_reset(state);
  return state;
}

} // namespace

void FileDigest::Free::operator()(XXH3_state_s* state) const {
  XXH3_freeState(state);
}

FileDigest::FileDigest(OnBlock on_block)
    : block_(new_state()), file_(new_state()), on_block_(std::move(on_block)) {}

void FileDigest::update(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const std::size_t part = std::min<std::uint64_t>(bytes.size(), kBlock - in_block_);
    XXH3_128bits_update(block_.get(), bytes.data(), part);
    in_block_ += part;
    bytes = bytes.subspan(part);
    if (in_block_ == kBlock) end_block();
  }
}

// The digest of a block of zeros is computed once, so a hole costs little time.
void FileDigest::update_zeros(std::uint64_t length) {
  static constexpr std::array<std::byte, 65536> kZeros = {};
  while (length > 0) {
    if (in_block_ == 0 && length >= kBlock) {
      add_block(zero_block());
      length -= kBlock;
      continue;
    }
    const std::uint64_t part = std::min({length, std::uint64_t{kZeros.size()}, kBlock - in_block_});
    update(std::span(kZeros).first(part));
    length -= part;
  }
}

void FileDigest::add_block(const Digest& digest) {
  XXH3_128bits_update(file_.get(), digest.data(), digest.size());
  if (on_block_) on_block_(digest);
}

void FileDigest::end_block() {
  const bool full = in_block_ == kBlock;
  const Digest digest = canonical(XXH3_128bits_digest(block_.get()));
  XXH3_128bits_reset(block_.get());
  in_block_ = 0;
  if (full)
    add_block(digest);
  else
    XXH3_128bits_update(file_.get(), digest.data(), digest.size());
}

Digest FileDigest::finish() {
  if (in_block_ > 0) end_block();
  return canonical(XXH3_128bits_digest(file_.get()));
}

Digest digest_of(std::span<const std::byte> bytes) {
  return canonical(XXH3_128bits(bytes.data(), bytes.size()));
}

Digest digest_of_short_file(std::span<const std::byte> content) {
  assert(content.size() <= kBlock);
  return content.empty() ? digest_of({}) : digest_of(digest_of(content));
}

} // namespace datum::cp
