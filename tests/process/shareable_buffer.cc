// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "shareable_buffer.h"

#include <datum/memory.h>

namespace datum::test {

ShareableBuffer::ShareableBuffer(DAT_IA_HANDLE ia, DAT_PZ_HANDLE pz, std::size_t size)
    : memory_(datum_memory_alloc(size)), size_(size) {
  EXPECT_NE(memory_, nullptr);
  DAT_REGION_DESCRIPTION region{};
  region.for_va = memory_;
  EXPECT_DAT_OK(dat_lmr_create(ia, DAT_MEM_TYPE_VIRTUAL, region, size, pz, DAT_MEM_PRIV_ALL_FLAG,
                               lmr_.out(), &local_, &context_, nullptr, nullptr));
}

ShareableBuffer::~ShareableBuffer() {
  lmr_.free();
  datum_memory_free(memory_);
}

} // namespace datum::test
