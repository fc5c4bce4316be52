// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/host/text_file.h: the contents of a small file below /proc.
#pragma once

#include <string>

namespace datum {

// Empty: the file cannot be opened or read.
std::string read_text_file(const char* path);

} // namespace datum
