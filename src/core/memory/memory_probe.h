// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/memory/memory_probe.h: questions about the consumer's memory. The core itself makes no
// system call.
#pragma once

#include <cstdint>

#include "core/port/types.h"

namespace datum {

// LacksMemory, LacksDevice: there is no answer, for lack of memory or of a descriptor.
enum class Found : std::uint8_t { No, Yes, LacksMemory, LacksDevice };

class MemoryProbe {
 public:
  virtual ~MemoryProbe() = default;
  // Yes: every page of the range is mapped with the protection that `access` needs.
  virtual Found usable(std::uint64_t address, std::uint64_t length, Access access) = 0;
  // Yes: the range is shared memory (DAT_MEM_TYPE_SHARED_VIRTUAL).
  virtual Found shared(std::uint64_t address, std::uint64_t length) = 0;
  // True: the range is a mapping of a sealed file that peers may map.
  virtual bool backing(std::uint64_t address, std::uint64_t length, std::int32_t& fd,
                       std::uint64_t& offset) = 0;
};

} // namespace datum
