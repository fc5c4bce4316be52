// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/host/text_file.h"

#include <fcntl.h>

#include "base/unique_fd.h"

namespace datum {

std::string read_text_file(const char* path) {
  std::string text;
  const UniqueFd file(::open(path, O_RDONLY | O_CLOEXEC));
  if (!file) return text;
  char block[8192];
  for (;;) {
    const ssize_t got = ::read(file.get(), block, sizeof block);
    if (got <= 0) return text;
    text.append(block, static_cast<std::size_t>(got));
  }
}

} // namespace datum
