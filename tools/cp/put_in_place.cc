// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/put_in_place.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>

namespace datum::cp {

int put_in_place(int folder, const std::string& from, const std::string& to, Existing existing) {
  if (existing == Existing::Keep) {
    if (renameat2(folder, from.c_str(), folder, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
    // Some file systems know no flags. Then a look has to do; only another process can fool it.
    if (errno != EINVAL && errno != ENOSYS) return errno;
    struct stat st = {};
    if (fstatat(folder, to.c_str(), &st, AT_SYMLINK_NOFOLLOW) == 0) return EEXIST;
  }
  return renameat(folder, from.c_str(), folder, to.c_str()) == 0 ? 0 : errno;
}

} // namespace datum::cp
