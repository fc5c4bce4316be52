// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/shm/life_token.h"

#include <cerrno>
#include <fcntl.h>

#include "transport/shm/sealed_memory.h"

namespace datum {

LifeToken LifeToken::make() {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  LifeToken token;
  SealedMemory memory = make_sealable_memory("datum-life", page);
  token.file_ = std::move(memory.file);
  // If a child inherited the page, peers would not notice the end of this process.
  if (memory.mapping && ::madvise(memory.mapping.data(), page, MADV_DONTFORK) == 0)
    token.page_ = std::move(memory.mapping);
  return token;
}

bool PeerLife::lives() const {
  return ::fcntl(file_.get(), F_ADD_SEALS, F_SEAL_WRITE) != 0 && errno == EBUSY;
}

} // namespace datum
