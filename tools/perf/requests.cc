// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "perf/requests.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "common/dat_error.h"

namespace datum::perf {

using tools::check;
using tools::ExitCode;
using tools::ToolError;

namespace {

constexpr DAT_COUNT kBacklog = 256;
// How soon the end of a client is noticed while its connections are awaited on another EVD.
constexpr auto kGlance = std::chrono::milliseconds(50);

std::string greeting_of(DAT_CR_HANDLE request) {
  DAT_CR_PARAM param = {};
  check(dat_cr_query(request, DAT_CR_FIELD_ALL, &param), "dat_cr_query");
  return {static_cast<const char*>(param.private_data),
          static_cast<std::size_t>(param.private_data_size)};
}

} // namespace

Requests::Requests(const tools::Interface& ia, bool quiet)
    : evd_(make_evd(ia, kBacklog, DAT_EVD_CR_FLAG)), quiet_(quiet) {}

// The request, if it greets as wanted. Of the others clients are kept, strangers refused.
std::optional<DAT_CR_HANDLE> Requests::sort(const DAT_EVENT& event, std::string_view wanted) {
  const DAT_CR_HANDLE request = event.event_data.cr_arrival_event_data.cr_handle;
  const std::string greeting = greeting_of(request);
  if (greeting.starts_with(wanted)) return request;
  if (greeting.starts_with(kControlHello) && clients_.size() < kBacklog) {
    clients_.push_back(request);
    return std::nullopt;
  }
  if (!quiet_)
    fmt::print(stderr, "dat-perf: refused a connection: it is not the dat-perf served\n");
  check(dat_cr_reject(request), "dat_cr_reject");
  return std::nullopt;
}

DAT_CR_HANDLE Requests::next_client() {
  while (clients_.empty()) {
    const auto event = tools::wait_event(evd_, tools::kNever);
    if (const auto request = sort(*event, kControlHello)) return *request;
  }
  const DAT_CR_HANDLE first = clients_.front();
  clients_.pop_front();
  return first;
}

DAT_CR_HANDLE Requests::next_data(std::string_view greeting, Control& control,
                                  tools::Deadline deadline) {
  for (;;) {
    const auto event = tools::wait_event(evd_, std::min(deadline, tools::after(kGlance)));
    if (event) {
      if (const auto request = sort(*event, greeting)) return *request;
    } else if (tools::Deadline::clock::now() >= deadline) {
      throw ToolError(ExitCode::PeerLost, "the client never connected its endpoints");
    }
    control.waiting(); // throws when the client is gone
  }
}

std::optional<DAT_CR_HANDLE> Requests::poll_data(std::string_view greeting) {
  const auto event = tools::poll_event(evd_);
  return event ? sort(*event, greeting) : std::nullopt;
}

} // namespace datum::perf
