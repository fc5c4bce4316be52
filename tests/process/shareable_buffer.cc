// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "shareable_buffer.h"

#if DATUM_HAVE_MEMORY
#include <datum/memory.h>
#else
#include <cstdlib>
#endif

namespace datum::test {

#if !DATUM_HAVE_MEMORY
// In a build without the extension the tests run with ordinary memory instead.
constexpr auto datum_memory_alloc = &std::malloc;
constexpr auto datum_memory_free = &std::free;
#endif

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
