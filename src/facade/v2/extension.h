// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/v2/extension.h: dat_extension_op() and the families of its operations. Each function takes
// the arguments that follow the operation's number.
#pragma once

#include <cstdarg>
#include <span>
#include <string_view>

#include "facade/locked.h"
#include "facade/v2/traits.h"

namespace datum {

DAT_RETURN extended_operation(DAT_HANDLE handle, DAT_EXTENDED_OP operation, va_list arguments);

// --- endpoints of datagrams (UD): extension_datagrams.cc -------------------------------------------
using LockedEp = Locked<ObjectKind::Endpoint>;
DAT_RETURN post_send_ud(const LockedEp& ep, va_list& arguments);
DAT_RETURN free_address(const LockedEp& ep, va_list& arguments);
DAT_RETURN free_connection(const LockedEp& ep, va_list& arguments);

// --- counters: extension_counters.cc ---------------------------------------------------------------
bool is_about_counters(DAT_EXTENDED_OP operation);
// `handle`: an IA, an EP or an EVD.
DAT_RETURN count(DAT_HANDLE handle, DAT_EXTENDED_OP operation, va_list& arguments);
// The names of counters in dat_ib_print_counters, each at its counter's number. Empty for objects
// without counters (counter_names.cc).
std::span<const std::string_view> counter_names(ObjectKind kind);

// --- dat_ib_open_query, dat_ib_close_query: extension_query.cc ----------------------------------
// For a registry that passes these calls to the provider. Datum's registry answers them itself
// (registry/v2/query.h). The registry of the distributions passes the name of the IA in place of
// the handle that other operations have.
DAT_RETURN open_query(const char* ia_name, va_list& arguments);
DAT_RETURN close_query(DAT_HANDLE ia);

} // namespace datum
