// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/v2/common_points.h: common service points.
#pragma once

#include "facade/v2/traits.h"

namespace datum {

DAT_RETURN csp_create(DAT_IA_HANDLE ia, DAT_COMM* comm, DAT_IA_ADDRESS_PTR address,
                      DAT_EVD_HANDLE evd, DAT_CSP_HANDLE* csp);
DAT_RETURN csp_query(DAT_CSP_HANDLE csp, DAT_CSP_PARAM_MASK mask, DAT_CSP_PARAM* param);
DAT_RETURN csp_free(DAT_CSP_HANDLE csp);
DAT_RETURN ep_common_connect(DAT_EP_HANDLE ep, DAT_IA_ADDRESS_PTR remote_address,
                             DAT_TIMEOUT timeout, DAT_COUNT data_size, const DAT_PVOID data);

} // namespace datum
