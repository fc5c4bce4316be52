// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "facade/version.h"

#include "facade/cno_calls.h"

template void datum::enter_cno_calls<datum::Version>(DAT_PROVIDER&);
