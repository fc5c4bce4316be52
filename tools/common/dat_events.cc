// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "common/dat_events.h"

#include <algorithm>

#include <fmt/format.h>

#include "common/dat_error.h"
#include "common/failed_connect.h"
#include "common/interrupt.h"

namespace datum::tools {
namespace {

using std::chrono::microseconds;

// A signal that comes between the check of the flag and the wait is noticed after at most this
// time.
constexpr auto kSlice = microseconds(2'000'000);

microseconds next_slice(Deadline deadline) {
  if (deadline == kNever) return kSlice;
  const auto left = std::chrono::ceil<microseconds>(deadline - std::chrono::steady_clock::now());
  return std::clamp(left, microseconds(0), kSlice);
}

Ways ways_of(const Ep& ep, const Address& address) {
  DAT_EP_PARAM param = {};
  if (dat_ep_query(ep.get(), DAT_EP_FIELD_IA_HANDLE, &param) != DAT_SUCCESS) return {};
  return ways_to(param.ia_handle, address);
}

// A shortage on this host, and an address to which nothing can be sent, say nothing about the peer.
bool is_fault_of_this_side(DAT_RETURN ret) {
  return is_type(ret, DAT_INSUFFICIENT_RESOURCES) || is_type(ret, DAT_INVALID_ADDRESS);
}

} // namespace

std::optional<DAT_EVENT> wait_event(const Evd& evd, Deadline deadline) {
  for (;;) {
    throw_if_interrupted();
    DAT_EVENT event = {};
    DAT_COUNT more = 0;
    const microseconds slice = next_slice(deadline);
    const DAT_RETURN ret =
        dat_evd_wait(evd.get(), static_cast<DAT_TIMEOUT>(slice.count()), 1, &event, &more);
    if (ret == DAT_SUCCESS) return event;
    if (is_type(ret, DAT_TIMEOUT_EXPIRED)) {
      if (std::chrono::steady_clock::now() >= deadline) return std::nullopt;
    } else if (!is_type(ret, DAT_INTERRUPTED_CALL)) {
      check(ret, "dat_evd_wait");
    }
  }
}

std::optional<DAT_EVENT> poll_event(const Evd& evd) {
  DAT_EVENT event = {};
  const DAT_RETURN ret = dat_evd_dequeue(evd.get(), &event);
  if (ret == DAT_SUCCESS) return event;
  if (!is_type(ret, DAT_QUEUE_EMPTY)) check(ret, "dat_evd_dequeue");
  return std::nullopt;
}

std::string connection_failure(DAT_EVENT_NUMBER number, const std::string& peer) {
  const auto line = [&](const char* why) {
    return fmt::format("{}: {} ({})", peer, why, event_text(number));
  };
  switch (static_cast<unsigned>(number)) {
  case 0x04002: return line("the program there refused the connection; ask it why");
  case 0x04003:
    return line("no DAT service point answered there: nobody listens on that port, or what listens "
                "dropped the connection; is the server running, and is the port right? its log may "
                "say more");
  case 0x04004:
    return line("the connection failed while it was being accepted; the log above may say why; "
                "else try again");
  case 0x04005: return line("the other side closed the connection");
  case 0x04006: return line("the connection broke; did the other process die?");
  case 0x04007:
    return line("no answer in time; is the server busy or stopped, or does something else than "
                "DAT listen there?");
  case 0x04008:
    return line("host unreachable; if no line of the log above tells why, is the "
                "address right?");
  default: return line("unexpected event on the connection");
  }
}

std::string connect(const Ep& ep, const Evd& connect_evd, Address address, DAT_CONN_QUAL port,
                    const std::string& private_data, std::chrono::milliseconds timeout,
                    const std::string& peer) {
  std::string data = private_data; // DAT_PVOID is not const
  const auto limit = static_cast<DAT_TIMEOUT>(microseconds(timeout).count());
  const DAT_RETURN asked =
      dat_ep_connect(ep.get(), address.dat(), port, limit, static_cast<DAT_COUNT>(data.size()),
                     data.data(), DAT_QOS_BEST_EFFORT, DAT_CONNECT_DEFAULT_FLAG);
  if (asked != DAT_SUCCESS)
    throw ToolError(is_fault_of_this_side(asked) ? ExitCode::Usage : ExitCode::PeerLost,
                    refused_connect(asked, peer, address));
  // The provider's own timer decides. This deadline is for a provider that never posts an event.
  const Deadline deadline = after(timeout + std::chrono::seconds(5));
  auto event = wait_event(connect_evd, deadline);
  // If connect_evd also takes completions, those of the flushed Recvs come before the event of the
  // failed attempt.
  while (event && event->event_number == DAT_DTO_COMPLETION_EVENT &&
         event->event_data.dto_completion_event_data.status != DAT_DTO_SUCCESS)
    event = wait_event(connect_evd, deadline);
  if (!event)
    throw ToolError(ExitCode::PeerLost, fmt::format("{}: no connection event at all", peer));
  const DAT_EVENT_NUMBER number = event->event_number;
  if (number != DAT_CONNECTION_EVENT_ESTABLISHED) {
    const bool refused = number == DAT_CONNECTION_EVENT_PEER_REJECTED ||
                         number == DAT_CONNECTION_EVENT_NON_PEER_REJECTED;
    throw ToolError(refused ? ExitCode::Refused : ExitCode::PeerLost,
                    failed_connect(number, peer, address, ways_of(ep, address)));
  }
  const auto& answer = event->event_data.connect_event_data;
  if (answer.private_data_size <= 0) return {};
  return {static_cast<const char*>(answer.private_data),
          static_cast<std::size_t>(answer.private_data_size)};
}

} // namespace datum::tools
