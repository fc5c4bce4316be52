// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/shared_buffer.h: page-aligned memory that a peer on this host may map (datum/memory.h). If
// Datum was built without that extension, or if the kernel or a filter refuses such memory, it is
// ordinary memory, which the transport copies by system calls. A lack of memory or of descriptors
// is an error.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace datum::cp {

class SharedBuffer {
 public:
  SharedBuffer() = default;
  explicit SharedBuffer(std::size_t size); // throws ToolError(Usage)
  [[nodiscard]] std::span<std::byte> bytes() const {
    return {static_cast<std::byte*>(memory_.get()), size_};
  }

 private:
  std::size_t size_ = 0;
  std::unique_ptr<void, void (*)(void*)> memory_{nullptr, nullptr};
};

} // namespace datum::cp
