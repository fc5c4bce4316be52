// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/journal.h: the journal of an unfinished file. It says which file the received bytes belong to,
// and has a digest for each block.
// Lives here: the format. A journal that is read back may contain anything.
// Not here:   checking the unfinished file against it (partial_file.cc).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "cp/digest.h"
#include "cp/file_error.h"
#include "cp/protocol.h"

namespace datum::cp {

// The version of a file. If any field has changed, the octets that were received before are
// worthless.
struct Identity {
  std::string path; // its last component names the temporary files; messages show all of it
  std::uint64_t size = 0;
  Time mtime;
};

class Journal {
 public:
  explicit Journal(UniqueFd file) : file_(std::move(file)) {}

  // Digests of the blocks received so far. None if the journal belongs to another version or is
  // garbage.
  [[nodiscard]] std::vector<Digest> load(const Identity& identity) const;

  // Starts a new journal with these blocks.
  void start(const Identity& identity, std::span<const Digest> blocks);
  // Appends the digest of the next block. start() comes first. `next_run`: for the FileError.
  void append(std::span<const std::byte> bytes, NextRun next_run = NextRun::Begins);

 private:
  UniqueFd file_;
  std::string path_; // of the file whose journal this is
};

} // namespace datum::cp
