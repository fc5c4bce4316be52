// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/shared_buffer.h: page-aligned memory that a peer on this host may map (datum/memory.h), if
// Datum was built with that extension.
#pragma once

#include <cstddef>
#include <span>

namespace datum::cp {

class SharedBuffer {
 public:
  SharedBuffer() = default;
  explicit SharedBuffer(std::size_t size); // throws std::system_error
  SharedBuffer(SharedBuffer&& other) noexcept;
  SharedBuffer& operator=(SharedBuffer&& other) noexcept;
  ~SharedBuffer();
  [[nodiscard]] std::span<std::byte> bytes() const { return bytes_; }

 private:
  std::span<std::byte> bytes_;
};

} // namespace datum::cp
