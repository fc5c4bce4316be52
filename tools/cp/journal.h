// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/journal.h: what is known about an unfinished file: whose bytes it holds, and a digest per
// block. Lives here: the format, read back with the suspicion any file deserves. Not here: checking
// the unfinished file against it (partial_file.cc).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "cp/digest.h"
#include "cp/protocol.h"

namespace datum::cp {

// The version of a file: if any of it changed, what was received before is worthless.
struct Identity {
  std::string path; // its last component names the files here, all of it goes into messages
  std::uint64_t size = 0;
  Time mtime;
};

class Journal {
 public:
  explicit Journal(UniqueFd file) : file_(std::move(file)) {}

  // Digests of the blocks received so far; none if the journal is of another version, or garbage.
  [[nodiscard]] std::vector<Digest> load(const Identity& identity) const;

  // Begins anew, knowing these blocks.
  void start(const Identity& identity, std::span<const Digest> blocks);
  void append(const Digest& block);

 private:
  void write(std::span<const std::byte> bytes);
  UniqueFd file_;
};

} // namespace datum::cp
