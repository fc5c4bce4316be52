// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/shm/life_token.h: tells cheaply and exactly whether an address space still exists. A
// process maps one page of a memfd, writable and not inherited by children. While that mapping
// exists, the kernel refuses to seal the file against writing (EBUSY). Exit and exec end the
// mapping, even if children or passed descriptors live on. A peer that may open the file tries to
// seal it, which takes about 0.3 us. A poll of socket and pidfd takes longer. It also misses an
// exec() while a child holds the socket, and a process id that was reused.
#pragma once

#include "base/unique_fd.h"
#include "transport/shm/mapping.h"

namespace datum {

// The life token of this process.
class LifeToken {
 public:
  static LifeToken make();
  int file() const { return file_.get(); }
  explicit operator bool() const { return static_cast<bool>(page_); }

 private:
  UniqueFd file_;
  Mapping page_;
};

// A peer's life token. `file` must be open for reading and writing.
class PeerLife {
 public:
  PeerLife() = default;
  explicit PeerLife(UniqueFd file) : file_(std::move(file)) {}
  bool lives() const;

 private:
  UniqueFd file_;
};

} // namespace datum
