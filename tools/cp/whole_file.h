// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/whole_file.h: a file whose contents are all in memory, put in place at once.
// Lives here: files without a name (O_TMPFILE), and giving them a name. An interruption leaves
//             nothing of such a file, and no other process can open it.
// Not here:   files that arrive in pieces; file systems that do not support such files
//             (partial_file.h).
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/unique_fd.h"
#include "cp/file_io.h"
#include "cp/journal.h"

namespace datum::cp {

struct WholeFile {
  std::shared_ptr<const UniqueFd> folder;
  Identity identity;
  std::uint32_t mode = 0;
  Existing existing{};
  std::span<const std::byte> content; // identity.size octets, at most a block
  Digest digest{};                    // the digest that the source sent
};

// True: the digest agrees and the file is in place. False: the digest does not agree, and nothing
// was touched. Throws FileError. Any thread may call it.
bool put_in_place(const WholeFile& file);

} // namespace datum::cp
