// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/payload_cut.h: how a message is cut into FPDUs.
// Lives here: how much of it the next one carries, and whether that is copied.
// Not here:   how much fits (output_queue.h).
// Threads:    the adapter's lock.
#pragma once

#include <optional>

#include "transport/iwarp/output_queue.h"
#include "transport/iwarp/stream.h"

namespace datum::iwarp {

// Up to here a copy costs less than two more pieces to gather (decision 418).
inline constexpr std::size_t kAlwaysCopied = 1024;

// Of so much payload.
bool is_copied(const Stream& stream, std::uint64_t left);

// What is left of a message.
struct PayloadLeft {
  std::size_t header = 0;   // of each FPDU
  std::size_t segments = 0; // of memory
  std::uint64_t octets = 0;
  bool copied = false;
  bool in_full = false; // no less than the FPDU would carry if there were room
};

// How much of it the next FPDU carries; nullopt: none for now.
std::optional<std::size_t> next_payload(const Stream& stream, const OutputQueue& queue,
                                        const PayloadLeft& left);

} // namespace datum::iwarp
