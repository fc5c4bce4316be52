// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/v2/extension.h: dat_extension_op().
#pragma once

#include <cstdarg>

#include "facade/v2/traits.h"

namespace datum {

DAT_RETURN extended_operation(DAT_HANDLE handle, DAT_EXTENDED_OP operation, va_list arguments);

} // namespace datum
