// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/v2/extension_datagrams.h: the operations of endpoints of datagrams (UD), each with what
// follows its number in dat_extension_op().
#pragma once

#include <cstdarg>

#include "facade/locked.h"
#include "facade/v2/traits.h"

namespace datum {

using LockedEp = Locked<ObjectKind::Endpoint>;

DAT_RETURN post_send_ud(const LockedEp& ep, va_list& arguments);
DAT_RETURN free_address(const LockedEp& ep, va_list& arguments);
DAT_RETURN free_connection(const LockedEp& ep, va_list& arguments);

} // namespace datum
