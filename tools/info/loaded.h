// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// info/loaded.h: the files of the libraries of this process. The loader is queried, which works
// without /proc.
#pragma once

#include <string>

namespace datum::info {

// name: a path or a file name. Empty result: the library is not loaded.
std::string path_of_library(const std::string& name);

} // namespace datum::info
