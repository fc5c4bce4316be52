// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/shared_buffer.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <fmt/format.h>

#include "common/human.h"
#include "common/memory_fd.h"
#include "common/tool_error.h"

#if DATUM_HAVE_MEMORY
#include <datum/memory.h>
#endif

namespace datum::cp {
namespace {

constexpr std::size_t kPage = 4096;

// The memory has no huge pages. To find huge pages, the kernel may move other programs' memory,
// which may take longer than a small copy.
void* take_shareable([[maybe_unused]] std::size_t size) {
#if DATUM_HAVE_MEMORY
  return datum_memory_aligned(kPage, size);
#else
  return nullptr;
#endif
}

void give_back_shareable([[maybe_unused]] void* memory) {
#if DATUM_HAVE_MEMORY
  datum_memory_free(memory);
#endif
}

bool is_refusal(int error) {
  return error == ENOSYS || error == EPERM || error == EACCES || error == EINVAL;
}

// True: shareable memory can never be made here. The allocator returns ENOMEM in that case, too. If
// memory or descriptors are short only now, the copy must fail with that reason instead of becoming
// slower.
bool is_unavailable() {
#if DATUM_HAVE_MEMORY
  const int before = errno;
  const UniqueFd probe = tools::make_memory_fd("dat-cp");
  const int error = probe && ftruncate(probe.get(), kPage) == 0 &&
                            fcntl(probe.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0
                        ? 0
                        : errno;
  errno = before;
  return is_refusal(error);
#else
  return true;
#endif
}

std::string_view next_step(int error) {
  if (error == EMFILE) return "raise 'ulimit -n'";
  if (error == ENFILE) return "see /proc/sys/fs/file-max";
  if (is_refusal(error))
    return "a filter of system calls, or a security policy, refuses mmap or a call like it to this "
           "process";
  if (error == EFBIG) return "raise 'ulimit -f', or take a smaller --chunk or --depth";
  return "raise 'ulimit -v', make room, or take a smaller --chunk or --depth";
}

void* take_ordinary(std::size_t size) {
  return std::aligned_alloc(kPage, (size + kPage - 1) / kPage * kPage);
}

} // namespace

SharedBuffer::SharedBuffer(std::size_t size)
    : size_(size), memory_(take_shareable(size), give_back_shareable) {
  // If memfd_create(2) is refused, or ftruncate(2) on its file, or the seals, the connection goes
  // over TCP anyway.
  if (!memory_ && is_unavailable()) memory_ = {take_ordinary(size), std::free};
  if (!memory_)
    throw tools::ToolError(tools::ExitCode::Usage,
                           fmt::format("{} for transfer buffers: {} ({})", tools::human_size(size),
                                       std::strerror(errno), next_step(errno)));
}

} // namespace datum::cp
