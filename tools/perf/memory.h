// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// perf/memory.h: the memory that is measured: ordinary or shareable, on base or on huge pages.
// Not here: its registration (link.h).
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "perf/task.h"

namespace datum::perf {

inline constexpr std::size_t kHugePage = std::size_t{2} << 20U;

class Buffer {
 public:
  // The memory is present and zero. Throws ToolError if there is none.
  Buffer(Memory kind, std::size_t size);
  [[nodiscard]] std::span<std::byte> bytes() const { return {memory_.get(), size_}; }
  // How the pages differ from the wanted pages: "huge pages advised, not confirmed". Empty: they do
  // not.
  [[nodiscard]] const std::string& remark() const { return remark_; }

 private:
  using Release = void (*)(void*);
  void take_ordinary(bool huge);
  void take_shareable(bool huge);

  std::size_t size_;
  std::unique_ptr<std::byte, Release> memory_{nullptr, nullptr};
  std::string remark_;
};

} // namespace datum::perf
