// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// harness/memory.h: registered memory.
// Lives here: a buffer with its LMR, and the triplets that name parts of it.
// Not here:   posting (posts.h).
#pragma once

#include "dat.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "objects.h"

namespace datum::test {

class Buffer {
 public:
  Buffer(DAT_IA_HANDLE ia, DAT_PZ_HANDLE pz, std::size_t size,
         DAT_MEM_PRIV_FLAGS privileges = DAT_MEM_PRIV_ALL_FLAG);

  std::span<std::byte> bytes() { return bytes_; }
  std::string_view text(std::size_t offset, std::size_t length) const;
  void write(std::size_t offset, std::string_view text);
  // Bytes that depend on their offset and the seed, so that misplaced ones are noticed.
  void fill(std::uint8_t seed);
  bool holds(std::uint8_t seed, std::size_t offset, std::size_t length) const;

  DAT_LMR_TRIPLET segment(std::size_t offset, std::size_t length) const;
  DAT_LMR_TRIPLET segment() const { return segment(0, bytes_.size()); }
  DAT_RMR_TRIPLET remote(std::size_t offset, std::size_t length) const;
  DAT_RMR_TRIPLET remote() const { return remote(0, bytes_.size()); }

  DAT_VADDR address(std::size_t offset = 0) const;
  std::size_t size() const { return bytes_.size(); }
  Lmr& lmr() { return lmr_; }
  DAT_LMR_CONTEXT lmr_context() const { return lmr_context_; }
  DAT_RMR_CONTEXT rmr_context() const { return rmr_context_; }

 private:
  std::vector<std::byte> bytes_;
  Lmr lmr_;
  DAT_LMR_CONTEXT lmr_context_ = 0;
  DAT_RMR_CONTEXT rmr_context_ = 0;
};

} // namespace datum::test
