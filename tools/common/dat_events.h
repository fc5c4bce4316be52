// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// common/dat_events.h: waiting for DAT events in a tool.
// Lives here: waits that notice Ctrl-C, and connecting with a text for each failure.
// Not here:   polling loops that are measured. They call dat_evd_dequeue() themselves.
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

// The next event; empty: the deadline has passed. Throws ToolError(Interrupted) on Ctrl-C.
std::optional<DAT_EVENT> wait_event(const Evd& evd, Deadline deadline);

// The next event; empty: none is queued.
std::optional<DAT_EVENT> poll_event(const Evd& evd);

// A text for a connection event that means failure, with advice.
std::string connection_failure(DAT_EVENT_NUMBER number, const std::string& peer);

// Connects ep (its connect EVD is connect_evd) and waits for ESTABLISHED; any other event throws
// ToolError: Refused if the request was rejected, otherwise PeerLost. If dat_ep_connect() itself
// reports a shortage on this host, the code is Usage. Returns the private data of the accept.
std::string connect(const Ep& ep, const Evd& connect_evd, Address address, DAT_CONN_QUAL port,
                    const std::string& private_data, std::chrono::milliseconds timeout,
                    const std::string& peer);

} // namespace datum::tools
