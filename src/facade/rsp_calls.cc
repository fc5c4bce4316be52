// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "facade/version.h"

#include "facade/rsp_calls.h"

template void datum::enter_rsp_calls<datum::Version>(DAT_PROVIDER&);
