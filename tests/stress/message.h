// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/stress/message.h: the messages between the two ends of a connection.
#pragma once

#include <cstdint>

#include "dat.h"

namespace datum::stress {

enum class Ask : std::uint32_t {
  Hello,  // responder, once: the address of its memory
  Data,   // a payload follows in the same message
  Verify, // this range of your memory has been written
  Fill,   // fill this range, for me to read
  Bind,   // bind a window to this range
  Unbind, // this range has been written through the window: unbind it
  Done,   // responder: the request has been carried out
};

struct Message {
  Ask ask = Ask::Done;
  std::uint32_t context = 0; // Hello, Done after Bind: rmr_context
  std::uint64_t number = 0;  // counts the asker's messages from 1; Done repeats it
  std::uint64_t seed = 0;    // of the bytes
  std::uint64_t offset = 0;  // of the range; Hello: the address of the memory
  std::uint64_t length = 0;
};

inline constexpr std::uint64_t kMaxPayload = 17'000; // of Data: more than one record, and a fetch
inline constexpr int kWindow = 4;                    // unanswered messages of an asker
inline constexpr DAT_COUNT kEvdLength = 4096;

// The size of the memory at the ends of a lane. Some lanes have enough for long copies.
constexpr std::uint64_t memory_of_lane(std::uint32_t lane) {
  return lane % 16 == 0 ? 1'000'000 : 32'768;
}

} // namespace datum::stress
