// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/memory/memory_probe.h: questions about the consumer's memory. The core itself makes no
// system call.
#pragma once

#include <cstdint>

#include "core/port/types.h"

namespace datum {

// The last two: memory, or a descriptor to ask with, was short. So there is no answer.
enum class Found : std::uint8_t { No, Yes, LacksMemory, LacksDevice };

class MemoryProbe {
 public:
  virtual ~MemoryProbe() = default;
  // Every page of the range is mapped with the protection that `access` needs.
  virtual Found usable(std::uint64_t address, std::uint64_t length, Access access) = 0;
  // The range is shared memory (DAT_MEM_TYPE_SHARED_VIRTUAL).
  virtual Found shared(std::uint64_t address, std::uint64_t length) = 0;
  // A sealed file behind the range that peers may map; false: none.
  virtual bool backing(std::uint64_t address, std::uint64_t length, std::int32_t& fd,
                       std::uint64_t& offset) = 0;
};

} // namespace datum
