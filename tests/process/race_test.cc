// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Connects to a service point that comes and goes. Each connect must have exactly one outcome.
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <thread>
#include <vector>

#include "connection.h"

namespace datum::test {

namespace {

constexpr int kConnects = 10'000;
constexpr int kAtOnce = 40;

// Again and again creates a service point, answers up to six requests and frees the service point.
// It rejects the first and the fourth request and accepts the others. The end of the service point
// refuses the requests without an answer, or they are rejected at the end.
class ComingAndGoing {
 public:
  ComingAndGoing() : ia_(open_ia()), side_(ia_), evd_(create_evd(ia_, DAT_EVD_CR_FLAG, 1024)) {
    qualifier_ = Listener(ia_).qualifier();
    thread_ = std::thread([this] { run(); });
  }
  ~ComingAndGoing() {
    done_ = true;
    thread_.join();
    drain_connections();
  }
  DAT_CONN_QUAL qualifier() const { return qualifier_; }
  DAT_IA_ADDRESS_PTR address() const { return address_of(ia_); }

 private:
  void run() {
    for (int turn = 0; !done_; ++turn) {
      Psp psp;
      const DAT_RETURN status =
          dat_psp_create(ia_, qualifier_, evd_, DAT_PSP_CONSUMER_FLAG, psp.out());
      EXPECT_DAT_OK(status);
      for (int i = 0; i < turn % 7; ++i) answer(i);
      psp.free();
    }
    while (take_request() != DAT_HANDLE_NULL) {
    }
  }
  DAT_CR_HANDLE take_request() {
    DAT_EVENT event{};
    DAT_COUNT left = 0;
    if (dat_evd_wait(evd_, 1000, 1, &event, &left) != DAT_SUCCESS) return DAT_HANDLE_NULL;
    const DAT_CR_HANDLE cr = event.event_data.cr_arrival_event_data.cr_handle;
    EXPECT_DAT_OK(dat_cr_reject(cr));
    return cr;
  }
  void answer(int turn) {
    DAT_EVENT event{};
    DAT_COUNT left = 0;
    if (dat_evd_wait(evd_, 1000, 1, &event, &left) != DAT_SUCCESS) return;
    Cr cr(event.event_data.cr_arrival_event_data.cr_handle);
    if (turn % 3 == 0) return; // rejected
    Ep ep = side_.another_ep();
    EXPECT_DAT_OK(accept(cr, ep));
    endpoints_.push_back(std::move(ep));
    if (endpoints_.size() > 100) drain_connections();
  }
  // Frees the EPs, which ends their connections. Their earlier events are still on the EVD, so this
  // removes them.
  void drain_connections() {
    endpoints_.clear();
    drain(side_.connect_evd());
  }

  Ia ia_;
  Side side_;
  Evd evd_;
  DAT_CONN_QUAL qualifier_ = 0;
  std::vector<Ep> endpoints_;
  std::atomic<bool> done_ = false;
  std::thread thread_;
};

struct Outcomes {
  std::map<DAT_EVENT_NUMBER, int> events;
  int over = 0;
};

// The first event of an EP ends its connect. If that was ESTABLISHED, another event may follow.
TEST(Race, ConnectsAgainstAServicePointThatComesAndGoesLoseNothing) {
  const Ia ia = open_ia();
  SideOptions options;
  options.queue_length = 4 * kAtOnce;
  const Side side(ia, options);
  Outcomes seen;
  {
    const ComingAndGoing target;
    std::map<DAT_EP_HANDLE, Ep> under_way;
    int started = 0;
    while (seen.over < kConnects && !testing::Test::HasFailure()) {
      while (started < kConnects && under_way.size() < kAtOnce) {
        Ep ep = side.another_ep();
        ASSERT_DAT_OK(connect(ep, target.address(), target.qualifier()));
        under_way.emplace(ep.get(), std::move(ep));
        ++started;
      }
      const DAT_EVENT event = next_event(side.connect_evd());
      const auto at = under_way.find(event.event_data.connect_event_data.ep_handle);
      if (at == under_way.end()) continue; // a second event: an established connection has ended
      ++seen.events[event.event_number];
      ++seen.over;
      under_way.erase(at);
    }
    EXPECT_TRUE(under_way.empty());
  }
  const int established = seen.events[DAT_CONNECTION_EVENT_ESTABLISHED];
  const int rejected = seen.events[DAT_CONNECTION_EVENT_PEER_REJECTED];
  EXPECT_GT(established, 0);
  EXPECT_GT(rejected, 0);
  // `refused` is 0 if by chance no request met the end of a service point.
  const int refused = seen.events[DAT_CONNECTION_EVENT_NON_PEER_REJECTED];
  EXPECT_EQ(established + rejected + refused, kConnects) << "another outcome than these";
}

} // namespace

} // namespace datum::test
