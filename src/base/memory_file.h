// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/memory_file.h: a file that exists only in memory and can be passed to another process.
// Lives here: making it for every kernel, and giving it a length or a text. More than the limit on
//             files (RLIMIT_FSIZE) fails with EFBIG; the signal SIGXFSZ does not end the program.
// Not here:   sealing and mapping it (transport/shm/sealed_memory.h).
#pragma once

#include <cstddef>
#include <string_view>

#include "base/unique_fd.h"

namespace datum {

// An empty file that may be sealed and cannot be executed. Not valid: errno says why.
UniqueFd make_memory_file(const char* name);
bool set_length(const UniqueFd& file, std::size_t length);
// Appends all of the text. False: errno says why, and the end of the file is undefined.
bool append(const UniqueFd& file, std::string_view text);

} // namespace datum
