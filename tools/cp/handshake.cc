// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/handshake.h"

#include <exception>

#include "common/tool_error.h"

namespace datum::cp {

using namespace std::chrono_literals;

namespace {

// Only the side whose memory the peer writes or reads grants rights. It grants only the rights that
// the method needs.
int rights(const Terms& terms, Role role) {
  if (terms.method == Method::Write && role == Role::Sink) return DAT_MEM_PRIV_REMOTE_WRITE_FLAG;
  if (terms.method == Method::Read && role == Role::Source) return DAT_MEM_PRIV_REMOTE_READ_FLAG;
  return DAT_MEM_PRIV_NONE_FLAG;
}

// The text names the peer. The peer itself gets the text without that name. A peer that was silent
// for too long finds the Abort later, and this side does not wait for that.
void tell(Channel& channel, tools::ExitCode code, std::string_view text) {
  if (!channel.connected()) return;
  const std::string name = channel.peer() + ": ";
  if (text.starts_with(name)) text.remove_prefix(name.size());
  try {
    channel.send(Abort{static_cast<std::uint8_t>(code), std::string(text)});
    channel.finish(code == tools::ExitCode::PeerLost ? 0ms : Channel::kGoodbye);
  } catch (const std::exception&) {
    // The caller throws the reason for stopping. If the peer has gone as well, that is not reported
    // in addition.
  }
}

} // namespace

void exchange_slots(Channel& channel, const Terms& terms, Role role) {
  channel.send(channel.make_slots(terms.chunk_size, terms.depth, rights(terms, role)));
  const auto slots = expect<Slots>(channel, "something else than its slots");
  if (slots.chunk_size != terms.chunk_size || slots.depth != terms.depth)
    protocol_error("slots of another size than agreed");
  channel.set_peer_slots(slots);
}

void with_abort(Channel& channel, const std::function<void()>& body) {
  try {
    body();
  } catch (const tools::ToolError& error) {
    tell(channel, error.code(), error.what());
    throw;
  } catch (const std::exception& error) {
    tell(channel, tools::ExitCode::Failed, error.what());
    throw;
  }
}

} // namespace datum::cp
