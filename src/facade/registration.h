// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/registration.h: the registry key that an IA is opened under, and the data of its entry.
#pragma once

#include <cstdint>
#include <string>

namespace datum {

// Lives as long as the process, because handles point at its table.
struct Registration {
  std::string ia_name;
  std::string instance_data;
  std::uint32_t api_major = 0;
  std::uint32_t api_minor = 0;
  bool thread_safe = false;
  const void* table = nullptr; // the DAT_PROVIDER that the first word of a handle's slot points at
  bool registered = false;
};

} // namespace datum
