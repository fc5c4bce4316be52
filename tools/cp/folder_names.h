// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/folder_names.h: the names in a folder.
#pragma once

#include <string>
#include <vector>

namespace datum::cp {

// The names in a folder that is open, in no order, without "." and "..". False with errno if it
// cannot be read to its end.
bool read_names(int folder, std::vector<std::string>& names);

} // namespace datum::cp
