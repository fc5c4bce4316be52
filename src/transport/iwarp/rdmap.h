// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/rdmap.h: the headers of Read and Atomic messages, behind that of DDP.
// Not here: Terminate (terminate.h).
#pragma once

#include "transport/iwarp/ddp.h"

namespace datum::iwarp {

// RFC 5040 section 4.4.
struct ReadRequest {
  static constexpr std::size_t kWireSize = 28;
  Stag sink_stag = 0; // for the requester alone: copied into the response, and not checked
  std::uint64_t sink_offset = 0;
  std::uint32_t size = 0;
  Stag source_stag = 0;
  std::uint64_t source_offset = 0;
  bool operator==(const ReadRequest&) const = default;
};

constexpr void encode(const ReadRequest& request, WireWriter& out) {
  out.u32(request.sink_stag).u64(request.sink_offset).u32(request.size);
  out.u32(request.source_stag).u64(request.source_offset);
}
constexpr bool decode(WireReader& in, ReadRequest& request) {
  return in.u32(request.sink_stag) && in.u64(request.sink_offset) && in.u32(request.size) &&
         in.u32(request.source_stag) && in.u64(request.source_offset);
}
static_assert(round_trips(ReadRequest{.sink_stag = 1, .size = 100, .source_offset = 2}));

// RFC 7306 section 5.2.1, figure 5.
enum class AtomicOperation : std::uint8_t { FetchAdd = 0, CompareSwap = 2 };

// RFC 7306 section 5.2.1. FetchAdd: `data` is added, `mask` marks where carries stop (RFC 7306
// section 5.1.1).
struct AtomicRequest {
  static constexpr std::size_t kWireSize = 52;
  AtomicOperation operation = AtomicOperation::FetchAdd; // as received: it may have no name
  std::uint32_t identifier = 0;
  Stag stag = 0;
  std::uint64_t offset = 0;
  std::uint64_t data = 0; // to add, or to swap in
  std::uint64_t mask = 0;
  std::uint64_t compare = 0;
  std::uint64_t compare_mask = ~std::uint64_t{0};
  bool operator==(const AtomicRequest&) const = default;
};

constexpr void encode(const AtomicRequest& request, WireWriter& out) {
  out.u32(static_cast<std::uint32_t>(request.operation)).u32(request.identifier);
  out.u32(request.stag).u64(request.offset).u64(request.data).u64(request.mask);
  out.u64(request.compare).u64(request.compare_mask);
}
constexpr bool decode(WireReader& in, AtomicRequest& request) {
  std::uint32_t operation = 0;
  if (!in.u32(operation)) return false;
  request.operation = static_cast<AtomicOperation>(operation & 0x0fU);
  return in.u32(request.identifier) && in.u32(request.stag) && in.u64(request.offset) &&
         in.u64(request.data) && in.u64(request.mask) && in.u64(request.compare) &&
         in.u64(request.compare_mask);
}
static_assert(round_trips(AtomicRequest{.operation = AtomicOperation::CompareSwap, .data = 9}));

// RFC 7306 section 5.2.2.
struct AtomicResponse {
  static constexpr std::size_t kWireSize = 12;
  std::uint32_t identifier = 0;
  std::uint64_t original = 0;
  bool operator==(const AtomicResponse&) const = default;
};

constexpr void encode(const AtomicResponse& response, WireWriter& out) {
  out.u32(response.identifier).u64(response.original);
}
constexpr bool decode(WireReader& in, AtomicResponse& response) {
  return in.u32(response.identifier) && in.u64(response.original);
}
static_assert(round_trips(AtomicResponse{.identifier = 17, .original = 5}));

// RFC 7306 section 6.2: how many octets Immediate Data has. Their meaning is left to the consumers.
inline constexpr std::size_t kImmediateSize = 8;

// The location's value after the operation (RFC 7306 section 5.1.1, RFC 7306 section 5.1.2).
constexpr std::uint64_t applied(const AtomicRequest& request, std::uint64_t original) {
  if (request.operation == AtomicOperation::CompareSwap) {
    if (((request.compare ^ original) & request.compare_mask) != 0) return original;
    return (original & ~request.mask) | (request.data & request.mask);
  }
  // Each field is added by itself. Without the top bits no carry leaves a field, and the top bits
  // are then added without carry.
  const std::uint64_t sum = (original & ~request.mask) + (request.data & ~request.mask);
  return sum ^ ((original ^ request.data) & request.mask);
}

} // namespace datum::iwarp
