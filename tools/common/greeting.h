// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// common/greeting.h: the words with which a tool calls its other half: "dat-ping 1".
#pragma once

#include <string>
#include <string_view>

namespace datum::tools {

// What speaks against a caller that said `greeting`; empty: it speaks `version` of `program`'s
// protocol, too. The caller is not trusted.
std::string objection_to(std::string_view greeting, std::string_view program, unsigned version);

} // namespace datum::tools
