// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// common/dat_events.h: waiting for DAT events the way a tool wants to.
// Lives here: waits that notice Ctrl-C, and connecting with an honest error.
// Not here:   polling loops that are being measured; those call dat_evd_dequeue themselves.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "common/address.h"
#include "common/dat_objects.h"

namespace datum::tools {

using Deadline = std::chrono::steady_clock::time_point;
inline constexpr Deadline kNever = Deadline::max();

inline Deadline after(std::chrono::milliseconds time) {
  return std::chrono::steady_clock::now() + time;
}

// The next event; nothing once the deadline passed. Throws ToolError(Interrupted) on Ctrl-C.
std::optional<DAT_EVENT> wait_event(const Evd& evd, Deadline deadline);

// The next event if one is queued.
std::optional<DAT_EVENT> poll_event(const Evd& evd);

// Why this connection event means failure, with the next step: for messages.
std::string connection_failure(DAT_EVENT_NUMBER number, const std::string& peer);

// Connects ep (its connect EVD is connect_evd) and waits for ESTABLISHED; anything else throws:
// Refused if the peer said no, PeerLost if no answer came. Returns the accepter's private data.
std::string connect(const Ep& ep, const Evd& connect_evd, Address address, DAT_CONN_QUAL port,
                    const std::string& private_data, std::chrono::milliseconds timeout,
                    const std::string& peer);

} // namespace datum::tools
