// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// bench/waiting/two_words.h: a change of habit within each round, on both sides, as in a library
// for messages. Each side spins on memory until its second word has the peer's last value. It
// writes the peer's first and second word. It polls until both Writes have ended, and then polls
// until its own first word has come. The measured time goes from the first post to the end of the
// second Write.
#pragma once

#include <cstdint>

#include "waiting/pair.h"

namespace waiting {

class TwoWordsEnd {
 public:
  virtual ~TwoWordsEnd() = default;
  virtual void write_first(std::uint64_t round) = 0;  // 8 octets
  virtual void write_second(std::uint32_t round) = 0; // 4 octets
  // Polls once. Returns how many more Writes have ended.
  virtual unsigned poll() = 0;
  // The words that the peer has written, read without a call.
  virtual std::uint64_t first() = 0;
  virtual std::uint32_t second() = 0;
};

// The initiator measures, and stops both sides when `bounds` are reached.
Figures measure_two_words(TwoWordsEnd& end, Place& place, const Bounds& bounds);
void answer_two_words(TwoWordsEnd& end, Place& place);

} // namespace waiting
