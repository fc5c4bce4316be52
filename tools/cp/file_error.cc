// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/file_error.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "common/file_limit.h"
#include "common/human.h"

namespace datum::cp {
namespace {

// The other side may show the line, so the line names the process whose limit it is.
std::string limit_of_this_process() {
  const std::uint64_t limit = tools::file_limit();
  const std::string most =
      limit == tools::kNoFileLimit ? "a number that it could not ask for" : std::to_string(limit);
  return fmt::format(" (process {} may have {}: raise 'ulimit -n' where it is started)", getpid(),
                     most);
}

std::string next_step(std::string_view action, int error, NextRun next_run) {
  if (action.starts_with("lock"))
    return " (flock(2) keeps two dat-cp from writing one file; that file system, or a filter of "
           "system calls, refuses it: copy to another folder, or without the filter)";
  switch (error) {
  case ENOENT:
    if (action == "open the folder of") return " (a folder on the way is not there: make it first)";
    return action.starts_with("create") // in a folder that was opened
               ? " (its folder was removed since, or its file system makes no files, as /proc)"
               : "";
  case ENOSPC:
  case EDQUOT:
    return fmt::format(" (make room there, then run the same command again{})",
                       next_run == NextRun::Continues ? ": it continues" : "");
  case EFBIG: return " (see 'ulimit -f' and the limits of that file system)";
  case EMFILE: return limit_of_this_process();
  case ENFILE: return " (see /proc/sys/fs/file-max there)";
  case ENOTDIR: return " (what has that name is not a folder: choose another name, or remove it)";
  case EEXIST:
    return " (something else made it, or that file system takes two names of this copy for one)";
  case ELOOP:
  case EXDEV: return " (a symbolic link on the way; dat-cp follows none)";
  case EPERM:
    if (action == "read folder") // rights would be EACCES
      return " (a filter of system calls refuses openat or getdents64)";
    if (action == "empty" || action == "extend" || action == "shorten") // the file is open
      return " (a filter of system calls refuses ftruncate, or the file may only be appended to)";
    return " (it or its folder is another user's, or may not be changed, see lsattr(1), or a "
           "filter "
           "of system calls refuses the call)";
  case ENOSYS: return " (that file system, or a filter of system calls, refuses the call)";
  default: return "";
  }
}

} // namespace

FileError::FileError(std::string_view action, std::string_view path, int error, NextRun next_run)
    : std::runtime_error(fmt::format("cannot {} {}: {}{}", action, shown(path),
                                     std::strerror(error), next_step(action, error, next_run))),
      error_(error) {}

bool FileError::disk_full() const {
  return error_ == ENOSPC || error_ == EDQUOT;
}

bool is_shortage_of_descriptors(int error) {
  return error == EMFILE || error == ENFILE;
}

std::string shown(std::string_view path) {
  return '"' + tools::printable(path) + '"';
}

} // namespace datum::cp
