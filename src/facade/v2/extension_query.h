// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/v2/extension_query.h: dat_ib_open_query and dat_ib_close_query, for a registry that hands
// them to the provider. Ours answers them itself (registry/v2/query.h); that of the distributions
// says the name of the IA where other operations have a handle.
#pragma once

#include <cstdarg>

#include "facade/v2/traits.h"

namespace datum {

DAT_RETURN open_query(const char* ia_name, va_list& arguments);
DAT_RETURN close_query(DAT_HANDLE ia);

} // namespace datum
