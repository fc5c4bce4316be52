// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/serving.h: the server's side of one admitted client's copy.
#pragma once

#include <string>

#include "cp/channel.h"
#include "cp/roots.h"
#include "cp/session.h"

namespace datum::cp {

// Reads the job, carries it out, waits until the client has left. Throws ToolError, after the
// client has got the text or because the client is gone.
void serve_job(Channel& channel, const Served& served, Reporter& reporter);

} // namespace datum::cp
