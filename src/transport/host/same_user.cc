// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/host/same_user.h"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/shortage.h"
#include "transport/host/text_file.h"

namespace datum {
namespace {

// Empty: the file is missing or refused.
OrErrno<std::string> read(const char* path) {
  errno = 0;
  std::string content = read_text_file(path);
  if (content.empty() && shortage_of(errno).lack != Lack::Other) return tl::unexpected(errno);
  return content;
}

// The sysctl is set as the system starts, if at all, so it is read once. Relaxed: no other data
// depends on it.
constinit std::atomic<std::int64_t> known_overflow_uid{-1};

OrErrno<uid_t> overflow_uid() {
  constexpr uid_t kUsual = 65534;
  if (const std::int64_t known = known_overflow_uid.load(std::memory_order_relaxed); known >= 0)
    return static_cast<uid_t>(known);
  const auto content = read("/proc/sys/kernel/overflowuid");
  if (!content) return tl::unexpected(content.error());
  if (content->empty()) return kUsual;
  const auto uid = static_cast<uid_t>(std::strtoul(content->c_str(), nullptr, 10));
  known_overflow_uid.store(uid, std::memory_order_relaxed);
  return uid;
}

} // namespace

// Each line is "first here, first there, how many". The highest number names no user.
bool maps_every_user(std::string_view map) {
  constexpr std::uint64_t kAll = 0xffffffff;
  const std::string lines(map);
  std::uint64_t mapped = 0;
  const char* at = lines.c_str();
  for (;;) {
    std::uint64_t count = 0;
    for (int column = 0; column < 3; ++column) {
      char* end = nullptr;
      count = std::strtoull(at, &end, 10);
      if (end == at) return mapped >= kAll;
      at = end;
    }
    mapped += count;
  }
}

// The overflow uid may be a user of this namespace, too: rootless containers map 65536 numbers.
// Then the kernel gives a known and an unknown user the same number.
OrErrno<bool> is_same_user(uid_t one, uid_t other) {
  if (one != other) return false;
  const auto unknown = overflow_uid();
  if (!unknown) return tl::unexpected(unknown.error());
  if (one != *unknown) return true;
  const auto map = read("/proc/self/uid_map");
  if (!map) return tl::unexpected(map.error());
  return maps_every_user(*map);
}

} // namespace datum
