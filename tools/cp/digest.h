// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/digest.h: the checksum over a file, computed at both ends.
// XXH3-128 has 16 bytes and runs at memory speed. It finds accidental damage by hardware or
// software. It is no defence against forgery by the peer, or by a host on the way.
// There are two levels: a digest of each block of kBlock bytes, and the digest of the file, which
// is computed over the block digests. The journal keeps the block digests. A resumed copy checks
// the blocks that it has against them, and receives only the blocks after the last good one.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "cp/protocol.h"

struct XXH3_state_s;

namespace datum::cp {

inline constexpr std::uint64_t kBlock = 4U << 20;

class FileDigest {
 public:
  using OnBlock = std::function<void(const Digest&)>;

  explicit FileDigest(OnBlock on_block = {});

  void update(std::span<const std::byte> bytes);
  void update_zeros(std::uint64_t length);
  Digest finish(); // includes a last short block; called once

 private:
  void end_block();
  void add_block(const Digest& digest);

  struct Free {
    void operator()(XXH3_state_s* state) const;
  };
  std::unique_ptr<XXH3_state_s, Free> block_, file_;
  std::uint64_t in_block_ = 0;
  OnBlock on_block_; // gets the digest of each full block
};

Digest digest_of(std::span<const std::byte> bytes);

// For a file of at most one block: the same digest as that of a FileDigest, computed without a
// state.
Digest digest_of_short_file(std::span<const std::byte> content);

} // namespace datum::cp
