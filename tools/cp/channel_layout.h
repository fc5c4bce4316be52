// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/channel_layout.h: the constants that both halves of Channel use. No other file includes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <dat/udat.h>

#include "cp/protocol.h"

namespace datum::cp {

inline constexpr std::uint16_t kRecvs = 64;
inline constexpr std::uint32_t kSends = 32;
inline constexpr std::size_t kCredits = 2, kLength = 2;
// credits, then messages; each message follows its length
inline constexpr std::size_t kFrame = 16384;
static_assert(kFrame >= kCredits + kLength + kMaxMessage, "the longest message fits a frame");

// A cookie has the kind of work in its upper half, and the number of the buffer or slot in its
// lower half.
enum class Work : std::uint32_t { Recv = 1, Send, Write, Read };

inline DAT_DTO_COOKIE cookie(Work work, std::uint32_t index) {
  DAT_DTO_COOKIE c = {};
  c.as_64 = std::uint64_t{static_cast<std::uint32_t>(work)} << 32 | index;
  return c;
}

inline std::string_view name_of(Work work) {
  switch (work) {
  case Work::Recv: return "Recv";
  case Work::Send: return "Send";
  case Work::Write: return "RDMA Write";
  case Work::Read: return "RDMA Read";
  }
  return "request";
}

} // namespace datum::cp
