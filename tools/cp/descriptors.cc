// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/descriptors.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "common/file_limit.h"

namespace datum::cp {
namespace {

constexpr std::size_t kForTheConnection = 10; // an adapter, a service point and a peer over TCP
constexpr std::size_t kForFiles = 8;
constexpr std::size_t kBesides = 4; // opened and closed again while names are being copied
constexpr std::size_t kForAName = 3;
constexpr std::uint64_t kCounted = 512; // above this number the exact number does not matter

// Opens one more descriptor. It may be of any file, because nothing is read or written through it.
// It is no copy of an open descriptor, because a filter of system calls may refuse fcntl(2).
UniqueFd another() {
  return UniqueFd(open("/", O_PATH | O_CLOEXEC));
}

} // namespace

std::size_t descriptors_left() {
  const UniqueFd lowest = another();
  if (!lowest) return 0;
  const auto used = static_cast<std::uint64_t>(lowest.get());
  const std::uint64_t above = tools::file_limit() - used;
  if (above > kCounted) return static_cast<std::size_t>(above);
  // Descriptors above the lowest free one may be in use. So this counts the free ones by opening
  // them.
  std::vector<UniqueFd> had;
  for (UniqueFd fd = another(); fd; fd = another()) had.push_back(std::move(fd));
  return had.size() + 1;
}

Allowance allowance(std::size_t left, std::size_t most_folders, std::size_t most_names) {
  const std::size_t shared = left > kBesides ? left - kBesides : 0;
  const std::size_t folders = std::clamp<std::size_t>(shared / 4, 1, most_folders);
  const std::size_t rest = shared > folders ? shared - folders : 0;
  return {folders, std::clamp<std::size_t>(rest / kForAName, 1, most_names)};
}

void SpareDescriptors::take() {
  const std::size_t left = descriptors_left();
  const std::size_t wanted =
      std::min(kForFiles, left > kForTheConnection ? left - kForTheConnection : 0);
  while (held_.size() < wanted) {
    held_.push_back(another());
    if (held_.back()) continue;
    held_.pop_back(); // fewer were left than descriptors_left() found
    return;
  }
}

} // namespace datum::cp
