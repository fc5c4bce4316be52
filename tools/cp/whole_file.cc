// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/whole_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cassert>
#include <cerrno>
#include <cstdio>
#include <string>

#include "cp/file_error.h"
#include "cp/file_io.h"
#include "cp/partial_file.h"
#include "cp/safe_path.h"

namespace datum::cp {
namespace {

// Returns 0, or an errno value.
int link_through_proc(int file, int folder, const char* name) {
  std::array<char, 32> path = {};
  std::snprintf(path.data(), path.size(), "/proc/self/fd/%d", file);
  return linkat(AT_FDCWD, path.data(), folder, name, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
}

// AT_EMPTY_PATH needs a capability (CAP_DAC_READ_SEARCH) or a new kernel. Without either, linkat()
// fails with ENOENT.
int give_name(int file, int folder, const char* name) {
  static std::atomic<bool> by_proc{false};
  if (!by_proc.load(std::memory_order_relaxed)) {
    if (linkat(file, "", folder, name, AT_EMPTY_PATH) == 0) return 0;
    if (errno != ENOENT) return errno;
  }
  const int error = link_through_proc(file, folder, name);
  if (error == 0) by_proc.store(true, std::memory_order_relaxed);
  return error;
}

// Without /proc, give_name() might fail.
bool has_proc() {
  static const bool there = access("/proc/self/fd", F_OK) == 0;
  return there;
}

// -1: the file system does not support files without a name.
UniqueFd make_nameless(int folder, std::uint32_t mode) {
  if (!has_proc()) return {};
  return UniqueFd(openat(folder, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, mode));
}

// The umask of the process or the folder's access control list may have changed the mode at open().
bool set_mode_and_time(int file, std::uint32_t mode, const Time& mtime) {
  struct stat st = {};
  const timespec time = {mtime.seconds, static_cast<long>(mtime.nanoseconds)};
  const timespec times[2] = {time, time};
  return fstat(file, &st) == 0 && ((st.st_mode & 07777) == mode || fchmod(file, mode) == 0) &&
         futimens(file, times) == 0;
}

bool put_by_rename(const WholeFile& file) {
  PartialFile partial(file.folder, file.identity, file.mode, [] {});
  partial.append(file.content);
  return partial.finish(file.digest, file.existing);
}

} // namespace

bool put_in_place(const WholeFile& file) {
  assert(file.content.size() == file.identity.size);
  if (digest_of_short_file(file.content) != file.digest) return false;
  // Only a rename replaces another file; linkat() does not.
  if (file.existing == Existing::Replace) return put_by_rename(file);
  const UniqueFd nameless = make_nameless(file.folder->get(), file.mode);
  // if the folder is at fault, put_by_rename() reports that
  if (!nameless) return put_by_rename(file);
  const std::string& path = file.identity.path;
  if (const int error = write_at(nameless.get(), file.content, 0); error != 0)
    throw FileError("write", path, error);
  if (!set_mode_and_time(nameless.get(), file.mode, file.identity.mtime))
    throw FileError("set mode and time of", path, errno);
  const std::string name(name_in(path));
  if (const int error = give_name(nameless.get(), file.folder->get(), name.c_str()); error != 0)
    throw FileError("put in place", path, error);
  return true;
}

} // namespace datum::cp
