// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// common/greeting.h: the private data of a tool's connection request: "dat-ping 1".
#pragma once

#include <string>
#include <string_view>

namespace datum::tools {

// Why a requester with this greeting has to be refused; empty: it uses `version` of `program`'s
// protocol, too. The requester is not trusted.
std::string objection_to(std::string_view greeting, std::string_view program, unsigned version);

} // namespace datum::tools
