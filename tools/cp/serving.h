// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/serving.h: one admitted client's copy, seen from the server.
#pragma once

#include <string>

#include "cp/channel.h"
#include "cp/roots.h"
#include "cp/session.h"

namespace datum::cp {

// Reads the job, carries it out, waits until the client has left. Throws ToolError after having
// told the client why, or because it is gone.
void serve_job(Channel& channel, const Served& served, Reporter& reporter);

} // namespace datum::cp
