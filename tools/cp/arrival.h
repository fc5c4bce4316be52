// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/arrival.h: a file that arrives in pieces, and files that arrive whole: what a worker does.
// Lives here: the calls of the file system, and what came of them, for the owner to read
// afterwards. Not here:   messages, slots and the order of things (sink.cc). Threads: one task at a
// time works on one of these.
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
  bool agrees = false; // the checksum, and the file is in place
  std::optional<FileError> error;
};

// Never throws a FileError: an error belongs to one file, and is in its result.
Landed land(const WholeFile& file);

// The checksum of what is there; zeros, which no checksum is, if it has another size or is no file.
struct Hashed {
  Digest digest{};
  std::optional<FileError> error;
};
Hashed hash(const WholeFile& file, const std::function<void()>& tick);

class Arrival {
 public:
  explicit Arrival(WholeFile file) : file_(std::move(file)) {} // without content and digest

  // Finds what an earlier run left: how many octets need not come. Throws FileError.
  std::uint64_t resume(const std::function<void()>& tick);

  // Each returns how the file is now. None throws FileError: after the first that fails the others
  // do nothing.
  Landed append(std::span<const std::byte> bytes);
  Landed append_zeros(std::uint64_t length, const std::function<void()>& tick);
  Landed finish(const Digest& digest);
  Landed give_up(); // keeps what a later run can continue from

 private:
  template <class F>
  Landed attempt(F step);

  WholeFile file_;
  std::unique_ptr<PartialFile> partial_;
  Landed landed_;
};

} // namespace datum::cp
