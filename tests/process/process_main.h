// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/process/process_main.h: functions that the tests of this program share.
#pragma once

#include "executioner.h"

namespace datum::test {

const Executioner& executioner();
// True: the kernel lets this process follow its children.
bool may_trace();
// True: --long was given, so the tests take all steps rather than some.
bool run_long();

} // namespace datum::test
