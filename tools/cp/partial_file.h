// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/partial_file.h: a file that is being received.
// Lives here: the temporary name beside the final name; which octets are kept after an
// interruption,
//             and how far they can be trusted; the check at the end; and the rename by which the
//             file appears whole or not at all.
// Not here:   where the bytes come from (sink.cc).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "cp/digest.h"
#include "cp/file_error.h"
#include "cp/file_io.h"
#include "cp/journal.h"
#include "cp/room_ahead.h"

namespace datum::cp {

class PartialFile {
 public:
  // Opens or creates the temporary file in the folder, and checks what an earlier run has left in
  // it. tick is called between blocks, because the check may take a while. Throws FileError.
  PartialFile(std::shared_ptr<const UniqueFd> folder, Identity identity, std::uint32_t mode,
              const std::function<void()>& tick);
  // Keeps the octets from which a later run can continue. Removes less than that.
  ~PartialFile();
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  [[nodiscard]] std::uint64_t offset() const { return offset_; } // bytes held and hashed

  void append(std::span<const std::byte> bytes);
  // Leaves a hole. tick is called now and then, because a hole may be very long.
  void append_zeros(std::uint64_t length, const std::function<void()>& tick);

  // Called when the file has all its octets. True: the digest agrees and the file is in place.
  // False: the digest does not agree, and the received octets are gone. Throws FileError.
  bool finish(const Digest& expected, Existing existing = Existing::Replace);
  // A temporary file that finish() could not remove, and why; "" if there is none.
  [[nodiscard]] const std::string& left_behind() const { return left_behind_; }

 private:
  std::uint64_t open_locked(); // returns how long the file is
  // Takes the lock of file_. Throws FileError if another process has the lock or if no lock can be
  // had. Then a file that was made here is removed.
  void lock(bool made);
  void remove(const std::string& temporary);
  void empty();                   // Throws FileError.
  bool extend(std::uint64_t end); // False: with errno
  void resume(const std::function<void()>& tick);
  void discard();
  // True: the next run of the same version of the file may continue behind a whole block.
  [[nodiscard]] bool is_worth_keeping() const { return offset_ >= kBlock; }
  [[nodiscard]] NextRun next_run() const;

  std::shared_ptr<const UniqueFd> folder_;
  Identity identity_;
  std::uint32_t mode_;
  std::string name_, part_name_, journal_name_;
  UniqueFd file_;
  std::optional<RoomAhead> room_;
  std::optional<Journal> journal_; // only files longer than a block have a journal
  FileDigest digest_;
  std::uint64_t offset_ = 0;
  bool gone_ = false; // renamed or removed
  std::string left_behind_;
};

// Called for a complete file. Removes a journal that an earlier run was not allowed to remove. The
// journal of a run that is still writing the file stays. Returns what left_behind() returns.
std::string remove_old_journal(int folder, const std::string& path);

} // namespace datum::cp
