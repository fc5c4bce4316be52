// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/serving.h: the server's side of a copy for one admitted client.
#pragma once

#include <string>

#include "cp/channel.h"
#include "cp/roots.h"
#include "cp/session.h"

namespace datum::cp {

// Reads the job, carries it out, and waits until the client has left. If it throws ToolError, the
// client has got the text or is gone.
void serve_job(Channel& channel, const Served& served, Reporter& reporter);

} // namespace datum::cp
