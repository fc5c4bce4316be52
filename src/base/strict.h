// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/strict.h: the two ways to read the manual.
// By default programs that ran over other providers run here. DATUM_STRICT=on is the letter of the
// manual, for those who develop programs.
#pragma once

namespace datum {

// DATUM_STRICT: on or off; off unless given. Any other value is ignored with one line, and all are
// in programs with more rights than their caller.
bool strict_mode();

} // namespace datum
