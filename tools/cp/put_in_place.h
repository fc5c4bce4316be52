// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/put_in_place.h: the step in which a finished file or link gets its final name.
#pragma once

#include <string>

namespace datum::cp {

enum class Existing { Keep, Replace }; // what happens to an entry that has the name already

// Renames within one folder. 0, or an errno value: EEXIST if an entry is to be kept.
int put_in_place(int folder, const std::string& from, const std::string& to, Existing existing);

} // namespace datum::cp
