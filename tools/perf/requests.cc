// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "perf/requests.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "common/greeting.h"
#include "common/std_streams.h"
#include "common/tool_error.h"

namespace datum::perf {

using tools::ExitCode;
using tools::ToolError;

namespace {

constexpr DAT_COUNT kBacklog = 256;
// While next_data() waits on the EVD for requests, it checks at this interval whether the client's
// control connection has ended.
constexpr auto kGlance = std::chrono::milliseconds(50);

std::string reason_against(std::string_view greeting) {
  const std::string why = tools::objection_to(greeting, "dat-perf", kProtocolVersion);
  return why.empty() ? "it is not the dat-perf served" : why;
}

} // namespace

Requests::Requests(const tools::Interface& ia, bool quiet)
    : evd_(make_evd(ia, kBacklog, DAT_EVD_CR_FLAG)), quiet_(quiet) {}

// Returns the request if its greeting is the wanted one. A further client's request is kept for
// next_client(). Any other request is refused.
tools::Cr Requests::sort(const DAT_EVENT& event, std::string_view wanted) {
  tools::Cr request(event.event_data.cr_arrival_event_data.cr_handle);
  const auto [address, data] = tools::caller_of(request);
  const std::string greeting = data.substr(0, data.find('\0')); // providers may pad with zeros
  if (greeting == wanted) return request;
  if (greeting == kControlHello && clients_.size() < kBacklog)
    clients_.push_back(std::move(request));
  else if (!quiet_)
    tools::log_line(fmt::format("dat-perf: refused {}: {}", address, reason_against(greeting)));
  return {};
}

tools::Cr Requests::next_client() {
  while (clients_.empty()) {
    const auto event = tools::wait_event(evd_, tools::kNever);
    if (tools::Cr request = sort(*event, kControlHello)) return request;
  }
  tools::Cr first = std::move(clients_.front());
  clients_.pop_front();
  return first;
}

tools::Cr Requests::next_data(std::string_view greeting, Control& control,
                              tools::Deadline deadline) {
  while (tools::Deadline::clock::now() < deadline) {
    const auto event = tools::wait_event(evd_, std::min(deadline, tools::after(kGlance)));
    if (event)
      if (tools::Cr request = sort(*event, greeting)) return request;
    control.waiting(); // throws if the client is gone
  }
  throw ToolError(ExitCode::PeerLost, "the client never connected its endpoints");
}

tools::Cr Requests::poll_data(std::string_view greeting) {
  const auto event = tools::poll_event(evd_);
  return event ? sort(*event, greeting) : tools::Cr();
}

} // namespace datum::perf
