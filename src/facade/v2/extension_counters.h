// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/v2/extension_counters.h: the operations on counters, with what follows their number in
// dat_extension_op().
#pragma once

#include <cstdarg>

#include "facade/v2/traits.h"

namespace datum {

bool is_about_counters(DAT_EXTENDED_OP operation);
// `handle`: of an IA, an EP or an EVD.
DAT_RETURN count(DAT_HANDLE handle, DAT_EXTENDED_OP operation, va_list& arguments);

} // namespace datum
