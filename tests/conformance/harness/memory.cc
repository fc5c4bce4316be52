// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "memory.h"

#include <cassert>
#include <cstring>

namespace datum::test {

namespace {

std::byte pattern(std::uint8_t seed, std::size_t offset) {
  return static_cast<std::byte>(seed + offset * 7 + (offset >> 8));
}

} // namespace

Buffer::Buffer(DAT_IA_HANDLE ia, DAT_PZ_HANDLE pz, std::size_t size, DAT_MEM_PRIV_FLAGS privileges)
    : bytes_(size) {
  DAT_REGION_DESCRIPTION region{};
  region.for_va = bytes_.data();
  EXPECT_DAT_OK(dat_lmr_create(ia, DAT_MEM_TYPE_VIRTUAL, region, size, pz, privileges, lmr_.out(),
                               &lmr_context_, &rmr_context_, nullptr, nullptr));
}

std::string_view Buffer::text(std::size_t offset, std::size_t length) const {
  assert(offset + length <= bytes_.size());
  return {reinterpret_cast<const char*>(bytes_.data()) + offset, length};
}

void Buffer::write(std::size_t offset, std::string_view text) {
  assert(offset + text.size() <= bytes_.size());
  std::memcpy(bytes_.data() + offset, text.data(), text.size());
}

void Buffer::fill(std::uint8_t seed) {
  for (std::size_t i = 0; i < bytes_.size(); ++i) bytes_[i] = pattern(seed, i);
}

bool Buffer::holds(std::uint8_t seed, std::size_t offset, std::size_t length) const {
  for (std::size_t i = offset; i < offset + length; ++i) {
    if (bytes_[i] != pattern(seed, i)) return false;
  }
  return true;
}

DAT_VADDR Buffer::address(std::size_t offset) const {
  return reinterpret_cast<DAT_VADDR>(bytes_.data()) + offset;
}

DAT_LMR_TRIPLET Buffer::segment(std::size_t offset, std::size_t length) const {
  return local_part(lmr_context_, address(offset), length);
}

DAT_RMR_TRIPLET Buffer::remote(std::size_t offset, std::size_t length) const {
  return remote_part(rmr_context_, address(offset), length);
}

} // namespace datum::test
