// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// info/loaded.h: which files this process has mapped its libraries from. The loader knows also
// where /proc is not mounted.
#pragma once

#include <string>

namespace datum::info {

// Of a library by its path, or its name alone; empty: it is not loaded.
std::string path_of_library(const std::string& name);

} // namespace datum::info
