// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/payload_cut.h: how a message is cut into FPDUs.
// Lives here: how much of a message the next FPDU carries, and whether this payload is copied.
// Not here:   the room in the queue (output_queue.h).
// Threads:    the adapter's lock.
#pragma once

#include <optional>

#include "transport/iwarp/output_queue.h"
#include "transport/iwarp/stream.h"

namespace datum::iwarp {

// Up to this size a copy costs less than two more pieces to gather (decision 418).
inline constexpr std::size_t kAlwaysCopied = 1024;

// True: `left` octets of payload are to be copied.
bool is_copied(const Stream& stream, std::uint64_t left);

// The rest of a message.
struct PayloadLeft {
  std::size_t header = 0;   // octets of header in each FPDU
  std::size_t segments = 0; // segments of memory
  std::uint64_t octets = 0;
  bool copied = false;
  bool in_full = false; // the next FPDU must not be shorter for lack of room
};

// How much of the rest the next FPDU carries; nullopt: there is no room for one now.
std::optional<std::size_t> next_payload(const Stream& stream, const OutputQueue& queue,
                                        const PayloadLeft& left);

} // namespace datum::iwarp
