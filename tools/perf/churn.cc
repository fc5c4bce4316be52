// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "perf/churn.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/dat_error.h"
#include "common/failed_connect.h"
#include "perf/stopwatch.h"

namespace datum::perf {

using tools::check;
using tools::ExitCode;
using tools::ToolError;

namespace {

constexpr DAT_COUNT kEvents = 4096;
constexpr auto kConnectPatience = std::chrono::seconds(10);
constexpr DAT_TIMEOUT kConnectTimeout = 10'000'000; // us

class Pool {
 public:
  explicit Pool(const tools::Interface& ia)
      : ia_(ia), pz_(make_pz(ia)),
        evd_(make_evd(ia, kEvents, DAT_EVD_DTO_FLAG | DAT_EVD_CONNECTION_FLAG)) {}

  DAT_EP_HANDLE take() {
    if (free_.empty()) return all_.emplace_back(make_ep(ia_, pz_, evd_)).get();
    DAT_EP_HANDLE ep = free_.back();
    free_.pop_back();
    return ep;
  }
  void give_back(DAT_EP_HANDLE ep) {
    check(dat_ep_reset(ep), "dat_ep_reset", ia_.name());
    free_.push_back(ep);
  }
  [[nodiscard]] const tools::Evd& evd() const { return evd_; }

 private:
  const tools::Interface& ia_;
  tools::Pz pz_;
  tools::Evd evd_;
  std::vector<tools::Ep> all_;
  std::vector<DAT_EP_HANDLE> free_;
};

bool is_end(DAT_EVENT_NUMBER number) {
  return number == DAT_CONNECTION_EVENT_DISCONNECTED || number == DAT_CONNECTION_EVENT_BROKEN;
}

void start(Pool& pool, const ChurnTarget& target) {
  tools::Address address = target.address;
  std::string hello(kChurnHello);
  check(dat_ep_connect(pool.take(), address.dat(), target.port, kConnectTimeout,
                       static_cast<DAT_COUNT>(hello.size()), hello.data(), DAT_QOS_BEST_EFFORT,
                       DAT_CONNECT_DEFAULT_FLAG),
        "dat_ep_connect");
}

std::string why_failed(const tools::Interface& ia, const ChurnTarget& target,
                       DAT_EVENT_NUMBER number) {
  const auto* const address = reinterpret_cast<const sockaddr*>(&target.address.storage);
  return tools::failed_connect(number,
                               fmt::format("{} port {}", tools::address_text(address), target.port),
                               target.address, tools::ways_to(ia.get(), target.address));
}

} // namespace

double connect_churn(const tools::Interface& ia, const ChurnTarget& target, std::uint64_t count) {
  Pool pool(ia);
  const double begin = now_ns();
  std::uint64_t started = 0;
  for (; started < std::min<std::uint64_t>(count, target.at_once); ++started) start(pool, target);
  for (std::uint64_t ended = 0; ended < count;) {
    const auto event = tools::wait_event(pool.evd(), tools::after(kConnectPatience));
    if (!event)
      throw ToolError(ExitCode::PeerLost,
                      fmt::format("no connection event for 10 s, after {} connections", ended));
    const DAT_EP_HANDLE ep = event->event_data.connect_event_data.ep_handle;
    if (event->event_number == DAT_CONNECTION_EVENT_ESTABLISHED) {
      check(dat_ep_disconnect(ep, DAT_CLOSE_GRACEFUL_FLAG), "dat_ep_disconnect");
    } else if (is_end(event->event_number)) {
      pool.give_back(ep);
      if (++ended; started < count) {
        start(pool, target);
        ++started;
      }
    } else {
      throw ToolError(ExitCode::PeerLost, why_failed(ia, target, event->event_number));
    }
  }
  return now_ns() - begin;
}

void accept_churn(const tools::Interface& ia, Requests& requests, Control& control) {
  Pool pool(ia);
  while (!control.waiting()) {
    for (int i = 0; i < 1000; ++i) {
      if (tools::Cr request = requests.poll_data(kChurnHello))
        tools::accept(std::move(request), pool.take(), "client");
      if (const auto event = tools::poll_event(pool.evd()); event && is_end(event->event_number))
        pool.give_back(event->event_data.connect_event_data.ep_handle);
    }
  }
  control.receive();
}

} // namespace datum::perf
