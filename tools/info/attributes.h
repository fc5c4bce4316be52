// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// info/attributes.h: all attributes of an IA and of its provider as names and texts.
#pragma once

#include <string>
#include <vector>

#include "info/adapters.h"

namespace datum::info {

struct Attribute {
  std::string name, value;
  bool is_number = false;
};

struct Attributes {
  std::vector<Attribute> adapter;  // DAT_IA_ATTR
  std::vector<Attribute> provider; // DAT_PROVIDER_ATTR
};

// Opens the adapter; throws ToolError if it does not open.
Attributes attributes_of(const Adapter& adapter);

} // namespace datum::info
