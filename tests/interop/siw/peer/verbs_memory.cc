// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "verbs_memory.h"

#include "must.h"

namespace datum::siw {
namespace {

std::uint8_t pattern(std::uint8_t seed, std::size_t offset) {
  return static_cast<std::uint8_t>(seed + offset * 7 + (offset >> 8));
}

} // namespace

VerbsMemory::VerbsMemory(ibv_pd* pd, std::size_t size, unsigned rights)
    : bytes_(size), region_(must(ibv_reg_mr(pd, bytes_.data(), size, rights), "ibv_reg_mr")) {}

VerbsMemory::~VerbsMemory() {
  ibv_dereg_mr(region_);
}

void VerbsMemory::fill(std::size_t offset, std::size_t length, std::uint8_t seed) {
  for (std::size_t i = offset; i < offset + length; ++i) bytes_[i] = pattern(seed, i);
}

std::size_t VerbsMemory::differs_at(std::size_t offset, std::size_t length,
                                    std::uint8_t seed) const {
  std::size_t i = offset;
  while (i < offset + length && bytes_[i] == pattern(seed, i)) ++i;
  return i;
}

bool VerbsMemory::contains(std::size_t offset, std::size_t length) const {
  return offset <= bytes_.size() && length <= bytes_.size() - offset;
}

std::uint64_t VerbsMemory::address() const {
  return reinterpret_cast<std::uint64_t>(bytes_.data());
}

ibv_sge VerbsMemory::piece(std::size_t offset, std::uint32_t length) const {
  return {address() + offset, length, region_->lkey};
}

} // namespace datum::siw
