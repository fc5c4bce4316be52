// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/strict.h: the two ways to read the manual.
// By default, programs written for other providers run here. DATUM_STRICT=on applies the letter of
// the manual, for people who develop programs.
#pragma once

namespace datum {

// DATUM_STRICT: on or off; off by default. Any other value is ignored with one line. In programs
// with more rights than their caller every value is ignored.
bool strict_mode();

} // namespace datum
