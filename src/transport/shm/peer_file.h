// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/shm/peer_file.h: opening a file through a descriptor of another process. The peer
// chooses the descriptor. The file is opened only if it is an ordinary one, because opening a
// device or a pipe may have effects.
#pragma once

#include <cstdint>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/unique_fd.h"

namespace datum {

class PeerFile {
 public:
  // Follows /proc/<pid>/fd/<number>. The object is false if that path leads to no file or not to an
  // ordinary one.
  PeerFile(pid_t pid, int number);

  explicit operator bool() const { return static_cast<bool>(path_); }
  std::uint64_t device() const { return status_.st_dev; }
  std::uint64_t inode() const { return status_.st_ino; }
  std::uint64_t size() const { return static_cast<std::uint64_t>(status_.st_size); }
  // The file's st_blksize if that is a power of two, but at least a page. For a file of huge pages
  // that is the size of a huge page.
  std::uint64_t granule() const;
  UniqueFd open(bool writable) const;

 private:
  UniqueFd path_;
  struct stat status_ {};
};

// True: the file can never become shorter, so access to a mapping of it cannot fail for that
// reason.
bool cannot_shrink(int file);

} // namespace datum
