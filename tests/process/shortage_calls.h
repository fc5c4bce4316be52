// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/process/shortage_calls.h: every DAT call, each as something that may lack resources.
// Lives here: what has to be there before a call, the call, what it may answer, and what must
// follow
//             from its success.
// Not here:   which of its needs is not met (shortage.h), the judgement (shortage_calls_test.cc).
#pragma once

#include <span>

#include "shortage_stage.h"

namespace datum::test {

enum class Answers {
  kSuccess,  // it needs nothing that can run out, or its rules know no such answer: frees, queries
  kShortage, // or DAT_INSUFFICIENT_RESOURCES
  kNothingYet, // or DAT_INSUFFICIENT_RESOURCES, or that there is no event
};

struct ShortCall {
  const char* name;
  Answers answers;
  bool (Stage::*before)(); // may be nullptr
  DAT_RETURN (*call)(Stage&);
  // After a success, and after the shortage; may be nullptr.
  bool (Stage::*after)();
};

// Calls of both versions, and those that DAT 2.0 added.
std::span<const ShortCall> short_calls();
std::span<const ShortCall> short_calls_of_dat2();

} // namespace datum::test
