// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/folder_names.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <string_view>

namespace datum::cp {

bool read_names(int folder, std::vector<std::string>& names) {
  const int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (copy < 0) return false;
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(fdopendir(copy), closedir);
  if (!stream) {
    close(copy);
    return false;
  }
  errno = 0;
  while (const dirent* item = readdir(stream.get())) {
    const std::string_view name = item->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  return errno == 0;
}

} // namespace datum::cp
