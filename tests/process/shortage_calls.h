// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/process/shortage_calls.h: a table of every DAT call that may lack resources.
// Lives here: what has to exist before a call, the call, what it may answer, and what must follow
//             from its success.
// Not here:   the rows (shortage_calls_*.cc, shortage_tables.h), which need of the call is not met
//             (shortage.h), the checks (shortage_calls_test.cc).
#pragma once

#include <span>

#include "shortage_stage.h"

namespace datum::test {

enum class Answers {
  kSuccess,    // only success: the call cannot report a shortage, as frees and queries cannot
  kShortage,   // success or DAT_INSUFFICIENT_RESOURCES
  kNothingYet, // success, DAT_INSUFFICIENT_RESOURCES, or that there is no event
};

struct ShortCall {
  const char* name;
  Answers answers;
  bool (Stage::*before)(); // prepares the stage for the call; may be nullptr
  DAT_RETURN (*call)(Stage&);
  // Checks what must follow from a success of the call, during the shortage or after it. May be
  // nullptr.
  bool (Stage::*after)();
};

// The calls of both versions, and those that DAT 2.0 added.
std::span<const ShortCall> short_calls();
std::span<const ShortCall> short_calls_of_dat2();

} // namespace datum::test
