// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// common/dat_error.h: DAT's return codes, statuses and event numbers as texts with advice.
// Lives here: the texts, and check(), which throws if a call failed.
// Not here:   exit codes (tool_error.h), waiting for events (dat_events.h).
#pragma once

#include <string>
#include <string_view>

#include "common/dat.h"
#include "common/tool_error.h"

namespace datum::tools {

// "DAT_INVALID_STATE: DAT_INVALID_STATE_EP_CONNECTED"; the number if it has no name.
std::string dat_text(DAT_RETURN ret);

// True: ret has this type, for example DAT_TIMEOUT_EXPIRED, with any subtype.
bool is_type(DAT_RETURN ret, DAT_RETURN type);

// Advice for this failure; empty: there is none.
std::string_view next_step(DAT_RETURN ret);

// "dat_ep_connect(192.0.2.1 port 7): DAT_...: DAT_... (next step)".
std::string describe(DAT_RETURN ret, std::string_view call, std::string_view object);

// Throws ToolError(code) unless ret is DAT_SUCCESS.
void check(DAT_RETURN ret, std::string_view call, std::string_view object = {},
           ExitCode code = ExitCode::Failed);

std::string_view dto_status_text(DAT_DTO_COMPLETION_STATUS status); // "DAT_DTO_ERR_FLUSHED"
std::string_view event_text(DAT_EVENT_NUMBER number);               // "DAT_CONNECTION_EVENT_BROKEN"

} // namespace datum::tools
