// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/process/process_main.h: what the tests of this program share.
#pragma once

#include "executioner.h"

namespace datum::test {

const Executioner& executioner();
// Whether processes may be followed here.
bool may_trace();
// --long: all steps rather than some.
bool run_long();

} // namespace datum::test
