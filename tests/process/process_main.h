// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/process/process_main.h: functions that the tests of this program share.
#pragma once

#include "executioner.h"

namespace datum::test {

const Executioner& executioner();
// Whether the kernel lets this process trace its children.
bool may_trace();
// Whether --long was given. Then the tests take all steps rather than some.
bool run_long();

} // namespace datum::test
