// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/stress/must.h: checks that end the whole run at once. A run that goes on after a broken
// promise would only hide where the failure began.
#pragma once

#include "dat.h"

namespace datum::stress {

// The command line that runs the same test again. It is printed with the first failure.
void set_rerun(const char* command_line);

[[noreturn]] void fail(const char* what, const char* file, int line, unsigned long long value);
// The failure shows the "TYPE/SUBTYPE" of a call that had to succeed.
void check_dat(DAT_RETURN status, const char* call, const char* file, int line);

} // namespace datum::stress

#define MUST(condition)                                                                            \
  do {                                                                                             \
    if (!(condition)) ::datum::stress::fail(#condition, __FILE__, __LINE__, 0);                    \
  } while (false)
// The failure shows a number that helps to understand it.
#define MUST_SEE(condition, value)                                                                 \
  do {                                                                                             \
    if (!(condition)) ::datum::stress::fail(#condition, __FILE__, __LINE__, (value));              \
  } while (false)
#define MUST_DAT(call) ::datum::stress::check_dat((call), #call, __FILE__, __LINE__)
