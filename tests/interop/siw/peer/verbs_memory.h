// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// siw/peer/verbs_memory.h: the peer's registered memory and the pattern that fills it.
#pragma once

#include <infiniband/verbs.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace datum::siw {

class VerbsMemory {
 public:
  // rights: of enum ibv_access_flags.
  VerbsMemory(ibv_pd* pd, std::size_t size, unsigned rights);
  ~VerbsMemory();
  VerbsMemory(const VerbsMemory&) = delete;
  VerbsMemory& operator=(const VerbsMemory&) = delete;

  // Fills the memory as the Buffer of the conformance harness does, by offset and seed.
  void fill(std::size_t offset, std::size_t length, std::uint8_t seed);
  // The first offset that differs, or `offset + length`.
  std::size_t differs_at(std::size_t offset, std::size_t length, std::uint8_t seed) const;

  bool contains(std::size_t offset, std::size_t length) const;
  ibv_sge piece(std::size_t offset, std::uint32_t length) const;
  std::uint32_t stag() const { return region_->rkey; }
  std::uint64_t address() const;
  std::size_t size() const { return bytes_.size(); }

 private:
  std::vector<std::uint8_t> bytes_;
  ibv_mr* region_;
};

} // namespace datum::siw
