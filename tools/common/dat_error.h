// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// common/dat_error.h: DAT's return codes, statuses and event numbers as text a person can act on.
// Lives here: the translation, and check(), which throws when a call failed.
// Not here:   exit codes (tool_error.h), waiting for events (dat_events.h).
#pragma once

#include <string>
#include <string_view>

#include "common/dat.h"
#include "common/tool_error.h"

namespace datum::tools {

// "DAT_INVALID_STATE: DAT_INVALID_STATE_EP_CONNECTED"; the number too when it has no name.
std::string dat_text(DAT_RETURN ret);

// True if ret failed with this type (DAT_TIMEOUT_EXPIRED, ...), whatever the subtype.
bool is_type(DAT_RETURN ret, DAT_RETURN type);

// What a person can try after this failure; empty if nothing better than the text is known.
std::string_view next_step(DAT_RETURN ret);

// "dat_ep_connect(192.0.2.1 port 7): DAT_...: DAT_... (next step)".
std::string describe(DAT_RETURN ret, std::string_view call, std::string_view object);

// Throws ToolError(code) unless ret is DAT_SUCCESS.
void check(DAT_RETURN ret, std::string_view call, std::string_view object = {},
           ExitCode code = ExitCode::Failed);

std::string_view dto_status_text(DAT_DTO_COMPLETION_STATUS status); // "DAT_DTO_ERR_FLUSHED"
std::string_view event_text(DAT_EVENT_NUMBER number);               // "DAT_CONNECTION_EVENT_BROKEN"

} // namespace datum::tools
