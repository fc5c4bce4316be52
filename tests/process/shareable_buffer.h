// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/process/shareable_buffer.h: registered memory from the allocator whose blocks peers can
// map.
// Not here:   memory that they cannot map (harness/memory.h).
#pragma once

#include <cstddef>

#include "objects.h"

namespace datum::test {

class ShareableBuffer {
 public:
  ShareableBuffer(DAT_IA_HANDLE ia, DAT_PZ_HANDLE pz, std::size_t size);
  ~ShareableBuffer();
  ShareableBuffer(const ShareableBuffer&) = delete;
  ShareableBuffer& operator=(const ShareableBuffer&) = delete;
  DAT_RMR_CONTEXT context() const { return context_; }
  DAT_VADDR address() const { return reinterpret_cast<DAT_VADDR>(memory_); }
  DAT_LMR_TRIPLET segment() const { return {local_, 0, address(), size_}; }
  Lmr& lmr() { return lmr_; }

 private:
  void* memory_;
  std::size_t size_;
  Lmr lmr_;
  DAT_LMR_CONTEXT local_ = 0;
  DAT_RMR_CONTEXT context_ = 0;
};

} // namespace datum::test
