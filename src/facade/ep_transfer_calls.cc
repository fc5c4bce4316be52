// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "facade/version.h"

#include "facade/ep_transfer_calls.h"

template void datum::enter_ep_transfer_calls<datum::Version>(DAT_PROVIDER&);
