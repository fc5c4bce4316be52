// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "perf/memory.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#if DATUM_HAVE_MEMORY
#include <datum/memory.h>
#endif

#include "common/tool_error.h"

namespace datum::perf {

using tools::ExitCode;
using tools::ToolError;

namespace {

[[noreturn]] void no_memory(std::string_view kind, std::size_t size) {
  throw ToolError(ExitCode::Failed,
                  fmt::format("{} bytes of {} memory: {}", size, kind, std::strerror(errno)));
}

} // namespace

Buffer::Buffer(Memory kind, std::size_t size) : size_(size) {
  if (is_shareable(kind))
    take_shareable(is_huge(kind));
  else
    take_ordinary(is_huge(kind));
  std::memset(memory_.get(), 0, size_);
}

void Buffer::take_ordinary(bool huge) {
  const std::size_t alignment = huge ? kHugePage : 4096;
  const std::size_t whole = (size_ + alignment - 1) / alignment * alignment;
  memory_ = {static_cast<std::byte*>(std::aligned_alloc(alignment, whole)), std::free};
  if (!memory_) no_memory("ordinary", size_);
  if (!huge) return;
  remark_ = madvise(memory_.get(), whole, MADV_HUGEPAGE) == 0
                ? "transparent huge pages advised, not confirmed"
                : fmt::format("no transparent huge pages: {}", std::strerror(errno));
}

#if DATUM_HAVE_MEMORY

void Buffer::take_shareable(bool huge) {
  datum_memory_pages pages = DATUM_MEMORY_PAGES_BASE;
  void* const block =
      huge ? datum_memory_alloc_huge(size_, &pages) : datum_memory_aligned(4096, size_);
  memory_ = {static_cast<std::byte*>(block), datum_memory_free};
  if (!memory_) no_memory("shareable", size_);
  if (!huge) return;
  switch (pages) {
  case DATUM_MEMORY_PAGES_BASE: remark_ = "no huge pages to be had: base pages"; break;
  case DATUM_MEMORY_PAGES_ADVISED: remark_ = "huge pages advised, not confirmed"; break;
  case DATUM_MEMORY_PAGES_TRANSPARENT: remark_ = "transparent huge pages"; break;
  case DATUM_MEMORY_PAGES_HUGETLB: remark_ = "pages of the hugetlb pool"; break;
  }
}

#else

void Buffer::take_shareable(bool /*huge*/) {
  throw ToolError(ExitCode::Usage,
                  "shareable memory: this dat-perf was built without the memory extension "
                  "(datum_memory(3)); measure with -m ordinary");
}

#endif

} // namespace datum::perf
