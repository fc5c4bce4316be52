// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/port/copy.h: bytes between local segments and contiguous memory.
// Lives here: gather, scatter, and the copy whose last bytes become visible last.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>
#include <span>

#include "base/aligned.h"
#include "base/assertion.h"
#include "base/copy_bytes.h"
#include "core/port/types.h"

namespace datum {

inline std::byte* pointer(std::uint64_t address) {
  return reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(address));
}

// Calls visit(address, length) for the pieces of [offset, offset + length) of the segments.
template <class F>
void for_each_piece(std::span<const LocalTriplet> segments, std::uint64_t offset,
                    std::uint64_t length, F&& visit) {
  for (const LocalTriplet& segment : segments) {
    if (length == 0) return;
    if (offset >= segment.length) {
      offset -= segment.length;
      continue;
    }
    const std::uint64_t piece = std::min(segment.length - offset, length);
    visit(pointer(segment.address + offset), piece);
    length -= piece;
    offset = 0;
  }
  DATUM_ASSERT(length == 0);
}

inline void gather(std::byte* to, std::span<const LocalTriplet> from, std::uint64_t offset,
                   std::uint64_t length) {
  for_each_piece(from, offset, length, [&](const std::byte* piece, std::uint64_t size) {
    copy_bytes(to, piece, size);
    to += size;
  });
}

inline void scatter(std::span<const LocalTriplet> to, std::uint64_t offset, const std::byte* from,
                    std::uint64_t length) {
  for_each_piece(to, offset, length, [&](std::byte* piece, std::uint64_t size) {
    copy_bytes(piece, from, size);
    from += size;
  });
}

// For consumers that spin on the end of a buffer: the last bytes, up to eight, appear after all
// others (decision 302). Eight aligned bytes are one store on every 64-bit machine. A copy of fewer
// than eight bytes stores them one by one, in order.
inline void copy_visible(std::byte* to, const std::byte* from, std::uint64_t length) {
  constexpr std::uint64_t kTail = sizeof(std::uint64_t);
  if (length < kTail) {
    for (std::uint64_t i = 0; i < length; ++i) {
      std::atomic_ref<std::byte>(to[i]).store(from[i], std::memory_order_release);
    }
    return;
  }
  if (length > kTail) std::memcpy(to, from, length - kTail);
  std::uint64_t tail = 0;
  std::memcpy(&tail, from + length - kTail, kTail);
  std::byte* last = to + length - kTail;
  std::atomic_thread_fence(std::memory_order_release);
  if (reinterpret_cast<std::uintptr_t>(last) % kTail == 0) {
    std::atomic_ref<std::uint64_t>(*aligned_as<std::uint64_t>(last))
        .store(tail, std::memory_order_relaxed);
  } else {
    std::memcpy(last, &tail, kTail);
  }
}

// copy_visible() from segments: everything but the last piece's tail is copied first, in order.
inline void gather_visible(std::byte* to, std::span<const LocalTriplet> from, std::uint64_t offset,
                           std::uint64_t length) {
  std::uint64_t left = length;
  for_each_piece(from, offset, length, [&](const std::byte* piece, std::uint64_t size) {
    left -= size;
    if (left == 0)
      copy_visible(to, piece, size);
    else
      std::memcpy(to, piece, size);
    to += size;
  });
}

} // namespace datum
