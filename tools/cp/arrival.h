// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/arrival.h: the work of a worker: files that arrive in pieces, and files that arrive whole.
// Lives here: the calls of the file system, and their results, which the owner reads afterwards.
// Not here:   messages, slots and the order of steps (sink.cc).
// Threads:    one task at a time works on one Arrival.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cp/file_error.h"
#include "cp/partial_file.h"
#include "cp/whole_file.h"

namespace datum::cp {

struct Landed {
  bool agrees = false; // True: the checksum agrees, and the file is in place
  std::optional<FileError> error;
  std::string left_behind = {}; // as PartialFile::left_behind()
};

// Puts a whole file in place. Never throws a FileError: such an error belongs to one file, and is a
// part of the result.
Landed land(const WholeFile& file);

// The checksum of the file that exists there. It is all zeros, which is no checksum, if the entry
// there has another size or is no file.
struct Hashed {
  Digest digest{};
  std::optional<FileError> error;
};
Hashed hash(const WholeFile& file, const std::function<void()>& tick);

class Arrival {
 public:
  // `file` has no content and no digest
  explicit Arrival(WholeFile file) : file_(std::move(file)) {}

  // Finds what an earlier run has left. Returns how many octets the source need not send. Throws
  // FileError.
  std::uint64_t resume(const std::function<void()>& tick);

  // Each of these returns the state of the file. None throws a FileError. Once one of them has
  // failed, the others do nothing.
  Landed append(std::span<const std::byte> bytes);
  Landed append_zeros(std::uint64_t length, const std::function<void()>& tick);
  Landed finish(const Digest& digest);
  Landed give_up(); // keeps the octets from which a later run can continue

 private:
  template <class F>
  Landed attempt(F step);

  WholeFile file_;
  std::unique_ptr<PartialFile> partial_;
  Landed landed_;
};

} // namespace datum::cp
