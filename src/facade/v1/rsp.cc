// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "facade/v1/traits.h"

#include "facade/rsp_calls.h"

template void datum::enter_rsp_calls<datum::V1>(DAT_PROVIDER&);
