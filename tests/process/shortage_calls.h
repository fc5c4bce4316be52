// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/process/shortage_calls.h: a table of every DAT call that may lack resources.
// Lives here: what has to be there before a call, the call, what it may answer, and what must
//             follow from its success.
// Not here:   which of its needs is not met (shortage.h), the judgement (shortage_calls_test.cc).
#pragma once

#include <span>

#include "shortage_stage.h"

namespace datum::test {

enum class Answers {
  kSuccess,    // needs nothing that can run out, or has no such answer: frees, queries
  kShortage,   // or DAT_INSUFFICIENT_RESOURCES
  kNothingYet, // or DAT_INSUFFICIENT_RESOURCES, or that there is no event
};

struct ShortCall {
  const char* name;
  Answers answers;
  bool (Stage::*before)(); // brings the stage where the call needs it; may be nullptr
  DAT_RETURN (*call)(Stage&);
  // Checks what must follow from a success, also from a success after the shortage. May be nullptr.
  bool (Stage::*after)();
};

// The calls of both versions, and those that DAT 2.0 added.
std::span<const ShortCall> short_calls();
std::span<const ShortCall> short_calls_of_dat2();

} // namespace datum::test
