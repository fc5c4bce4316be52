// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/handshake.h: the steps from an established connection to a running copy, and the copy's
// orderly end.
// Lives here: which side registers slots with which rights, and telling the peer why this side
//             stops.
#pragma once

#include <functional>

#include "cp/channel.h"
#include "cp/session.h"

namespace datum::cp {

// Returns the next message if its type is M. Obeys an Abort. Any other message is a protocol error.
template <class M>
M expect(Channel& channel, std::string_view what) {
  for (;;) {
    LinkEvent event = channel.next();
    auto* message = std::get_if<Message>(&event);
    if (message == nullptr) protocol_error("data nobody asked for");
    if (auto* wanted = std::get_if<M>(message)) return std::move(*wanted);
    if (const auto* abort = std::get_if<Abort>(message)) obey(*abort);
    if (!std::holds_alternative<KeepAlive>(*message)) protocol_error(what);
  }
}

enum class Role { Source, Sink };

// Registers this side's slots and announces them to the peer, which does the same meanwhile. The
// peer's slots must have the size that both sides agreed on.
void exchange_slots(Channel& channel, const Terms& terms, Role role);

// Runs body. If body throws while the peer is still connected, the peer gets the reason. The
// exception passes on.
void with_abort(Channel& channel, const std::function<void()>& body);

} // namespace datum::cp
