// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// These functions are linked into dat-cp. They make every folder behave as on a file system that
// keeps the case of letters but ignores it when it compares names, as ext4's casefold and FAT do.
// So the tests need no such file system.
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <string>

namespace {

template <class F>
F* next(const char* name, F* /*type*/) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

// The entry of the folder that `name` stands for: the entry of the same name, or else an entry that
// differs in case. Without such an entry the result is `name` itself.
std::string spelled(int folder, const char* name) {
  std::string found = name;
  struct stat st = {};
  if (folder == AT_FDCWD || std::strchr(name, '/') != nullptr ||
      next("fstatat", ::fstatat)(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
    return found;
  const int copy = next("openat", ::openat)(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* const stream = copy < 0 ? nullptr : fdopendir(copy);
  if (stream == nullptr) return found;
  while (const dirent* const item = readdir(stream))
    if (strcasecmp(item->d_name, name) == 0) found = item->d_name;
  closedir(stream);
  return found;
}

} // namespace

// Hidden, so that the libraries of the process still call the C library's functions.
#define DATUM_INSTEAD __attribute__((visibility("hidden")))

extern "C" {

DATUM_INSTEAD int openat(int folder, const char* name, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const bool makes = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  const mode_t mode = makes ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return next("openat", ::openat)(folder, spelled(folder, name).c_str(), flags, mode);
}

DATUM_INSTEAD int fstatat(int folder, const char* name, struct stat* st, int flags) noexcept {
  return next("fstatat", ::fstatat)(folder, spelled(folder, name).c_str(), st, flags);
}

DATUM_INSTEAD int mkdirat(int folder, const char* name, mode_t mode) noexcept {
  return next("mkdirat", ::mkdirat)(folder, spelled(folder, name).c_str(), mode);
}

DATUM_INSTEAD int symlinkat(const char* target, int folder, const char* name) noexcept {
  return next("symlinkat", ::symlinkat)(target, folder, spelled(folder, name).c_str());
}

DATUM_INSTEAD ssize_t readlinkat(int folder, const char* name, char* target,
                                 std::size_t size) noexcept {
  return next("readlinkat", ::readlinkat)(folder, spelled(folder, name).c_str(), target, size);
}

DATUM_INSTEAD int unlinkat(int folder, const char* name, int flags) noexcept {
  return next("unlinkat", ::unlinkat)(folder, spelled(folder, name).c_str(), flags);
}

DATUM_INSTEAD int linkat(int from, const char* old_name, int to, const char* new_name,
                         int flags) noexcept {
  return next("linkat", ::linkat)(from, old_name, to, spelled(to, new_name).c_str(), flags);
}

DATUM_INSTEAD int renameat(int from, const char* old_name, int to, const char* new_name) noexcept {
  return next("renameat", ::renameat)(from, spelled(from, old_name).c_str(), to,
                                      spelled(to, new_name).c_str());
}

DATUM_INSTEAD int renameat2(int from, const char* old_name, int to, const char* new_name,
                            unsigned flags) noexcept {
  return next("renameat2", ::renameat2)(from, spelled(from, old_name).c_str(), to,
                                        spelled(to, new_name).c_str(), flags);
}

// The C library has no function for openat2. Without openat2, dat-cp opens folder by folder with
// openat.
DATUM_INSTEAD long syscall(long number, ...) noexcept {
  if (number == SYS_openat2) {
    errno = ENOSYS;
    return -1;
  }
  va_list rest;
  va_start(rest, number);
  long words[6];
  for (long& word : words) word = va_arg(rest, long);
  va_end(rest);
  return next("syscall", ::syscall)(number, words[0], words[1], words[2], words[3], words[4],
                                    words[5]);
}

} // extern "C"
