// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/shm/peer_file.h"
#include "base/text.h"

#include <algorithm>
#include <bit>
#include <fcntl.h>

namespace datum {

PeerFile::PeerFile(pid_t pid, int number) {
  const std::string name = text("/proc/{}/fd/{}", pid, number);
  UniqueFd path(::open(name.c_str(), O_PATH | O_CLOEXEC));
  if (path && ::fstat(path.get(), &status_) == 0 && S_ISREG(status_.st_mode))
    path_ = std::move(path);
}

std::uint64_t PeerFile::granule() const {
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const auto block = static_cast<std::uint64_t>(status_.st_blksize);
  return std::has_single_bit(block) ? std::max(block, page) : page;
}

UniqueFd PeerFile::open(bool writable) const {
  const std::string name = text("/proc/self/fd/{}", path_.get());
  const int flags = (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
  return UniqueFd(::open(name.c_str(), flags));
}

bool cannot_shrink(int file) {
  const int seals = ::fcntl(file, F_GET_SEALS);
  return seals >= 0 && (seals & F_SEAL_SHRINK) != 0;
}

} // namespace datum
