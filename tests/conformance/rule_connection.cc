// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The events of both sides of a connection attempt, for each way in which it ends.
#include <chrono>

#include "fixture.h"
#include "names.h"
#include "states.h"

namespace datum::test {
namespace {

using Clock = std::chrono::steady_clock;

class RuleConnection : public Conformance {
 protected:
  void SetUp() override {
    Conformance::SetUp();
    active_ia = open_ia();
    active = std::make_unique<Side>(active_ia);
    passive = std::make_unique<Side>(ia);
    evd = create_evd(ia, DAT_EVD_CR_FLAG);
    EXPECT_DAT_OK(dat_psp_create_any(ia, &qualifier, evd, DAT_PSP_CONSUMER_FLAG, psp.out()));
  }
  void TearDown() override {
    active.reset();
    passive.reset();
  }

  void ask(DAT_TIMEOUT timeout = DAT_TIMEOUT_INFINITE) {
    ASSERT_DAT_OK(connect(active->ep(), address_of(ia), qualifier, "question", timeout));
  }
  DAT_CONNECTION_EVENT_DATA expect_active(DAT_EVENT_NUMBER number) {
    return expect_connection_event(active->connect_evd(), number, active->ep());
  }
  DAT_CONNECTION_EVENT_DATA expect_passive(DAT_EVENT_NUMBER number) {
    return expect_connection_event(passive->connect_evd(), number, passive->ep());
  }
  void expect_both(DAT_EP_STATE state) {
    EXPECT_EQ(ep_state(active->ep()), state);
    EXPECT_EQ(ep_state(passive->ep()), state);
  }
  // The requests that were sent so far. A later request shows that they have arrived. Over a wire
  // that reorders, they may arrive a while after the later request.
  std::vector<Cr> requests_so_far() {
    const Ep last = active->another_ep();
    EXPECT_DAT_OK(connect(last, address_of(ia), qualifier, "last"));
    std::vector<Cr> found;
    Cr cr = expect_request(evd);
    for (; request_data(cr) == "question"; cr = expect_request(evd)) found.push_back(std::move(cr));
    cr.free();
    expect_connection_event(active->connect_evd(), DAT_CONNECTION_EVENT_PEER_REJECTED, last);
    DAT_EVENT event{};
    for (const auto all_there = Clock::now() + time_on_the_way(); Clock::now() < all_there;)
      if (dat_evd_dequeue(evd, &event) == DAT_SUCCESS)
        found.emplace_back(event.event_data.cr_arrival_event_data.cr_handle);
    return found;
  }
  // A request that was not dequeued before its time limit was over.
  Cr expired_request() {
    for (DAT_TIMEOUT limit = 20'000; !HasFailure(); limit *= 2) {
      EXPECT_DAT_OK(connect(active->ep(), address_of(ia), qualifier, "question", limit));
      EXPECT_EQ(expect_active(kTimedOut).private_data_size, 0);
      EXPECT_EQ(ep_state(active->ep()), DAT_EP_STATE_DISCONNECTED);
      std::vector<Cr> found = requests_so_far();
      if (!found.empty()) return std::move(found.front());
      EXPECT_DAT_OK(dat_ep_reset(active->ep())); // the time was over before the request was sent
    }
    return {};
  }
  // Accepts a request whose requester does not wait any more.
  void expect_accept_error(Cr& cr) {
    ASSERT_DAT_OK(accept(cr, passive->ep(), "too late"));
    EXPECT_EQ(expect_passive(kAcceptError).private_data_size, 0);
    EXPECT_EQ(ep_state(passive->ep()), DAT_EP_STATE_DISCONNECTED);
    EXPECT_NO_EVENT(active->connect_evd());
    EXPECT_NO_EVENT(passive->connect_evd());
  }

  // Accepts the request at the given time. Returns false if the attempt ended before its request
  // came; `end` is the event of that end then.
  bool accept_at(Clock::time_point time, DAT_EVENT& end) {
    DAT_EVENT event{};
    while (dat_evd_dequeue(evd, &event) != DAT_SUCCESS)
      if (dat_evd_dequeue(active->connect_evd(), &end) == DAT_SUCCESS) return false;
    while (Clock::now() < time) {
    }
    Cr cr(event.event_data.cr_arrival_event_data.cr_handle);
    EXPECT_DAT_OK(accept(cr, passive->ep()));
    return true;
  }
  void disconnect() {
    ASSERT_DAT_OK(dat_ep_disconnect(active->ep(), DAT_CLOSE_ABRUPT_FLAG));
    expect_active(kDisconnected);
    expect_passive(kDisconnected);
  }

  Ia active_ia;
  std::unique_ptr<Side> active;
  std::unique_ptr<Side> passive;
  Evd evd;
  Psp psp;
  DAT_CONN_QUAL qualifier = 0;
};

// Rules: CONN.8 CONN.17 EPEVENT.8 EPEVENT.9
TEST_F(RuleConnection, AcceptAfterTheTimeLimit) {
  Cr cr = expired_request();
  EXPECT_EQ(request_data(cr), "question");
  expect_accept_error(cr);
}

// Rules: CONN.8
TEST_F(RuleConnection, RejectAfterTheTimeLimit) {
  Cr cr = expired_request();
  EXPECT_DAT_OK(dat_cr_reject(cr.release()));
  EXPECT_NO_EVENT(active->connect_evd());
}

// Rules: CONN.9 EPEVENT.13
TEST_F(RuleConnection, TheTimeLimitRacesTheAccept) {
  constexpr auto kLimit = std::chrono::microseconds(4000);
  // The outcome of each round moves the time of the accept, which keeps it near the end of the time
  // limit.
  auto accept_after = kLimit;
  for (int round = 0; round < 100 && !HasFailure(); ++round) {
    const auto answer_at = Clock::now() + accept_after;
    ask(static_cast<DAT_TIMEOUT>(kLimit.count()));
    DAT_EVENT end{};
    const bool answered = accept_at(answer_at, end);
    if (answered) end = next_event(active->connect_evd());
    if (end.event_number == kEstablished) {
      expect_passive(kEstablished);
      expect_both(DAT_EP_STATE_CONNECTED);
      disconnect();
      accept_after += std::chrono::microseconds(16);
    } else {
      EXPECT_EQ(end.event_number, kTimedOut) << "round " << round;
      EXPECT_EQ(ep_state(active->ep()), DAT_EP_STATE_DISCONNECTED);
      if (answered)
        expect_passive(kAcceptError);
      else
        requests_so_far(); // rejects them
      accept_after -= std::chrono::microseconds(16);
    }
    ASSERT_DAT_OK(dat_ep_reset(active->ep()));
    ASSERT_DAT_OK(dat_ep_reset(passive->ep()));
  }
  EXPECT_NO_EVENT(active->connect_evd());
  EXPECT_NO_EVENT(passive->connect_evd());
}

// Rules: CONN.10
TEST_F(RuleConnection, TheRequesterDisconnectsBeforeTheAnswer) {
  ask();
  Cr cr = expect_request(evd);
  ASSERT_DAT_OK(dat_ep_disconnect(active->ep(), DAT_CLOSE_ABRUPT_FLAG));
  EXPECT_EQ(expect_active(kDisconnected).private_data_size, 0);
  EXPECT_EQ(ep_state(active->ep()), DAT_EP_STATE_DISCONNECTED);
  expect_accept_error(cr);
}

// Rules: CONN.11
TEST_F(RuleConnection, TheRequesterFreesItsEpBeforeTheAnswer) {
  ask();
  Cr cr = expect_request(evd);
  active->ep().free();
  EXPECT_NO_EVENT(active->connect_evd());
  expect_accept_error(cr);
}

// Rules: CONN.12 D-22
TEST_F(RuleConnection, TheAccepterDisconnectsAtOnce) {
  for (int round = 0; round < 20; ++round) {
    ask();
    Cr cr = expect_request(evd);
    ASSERT_DAT_OK(accept(cr, passive->ep()));
    ASSERT_DAT_OK(dat_ep_disconnect(passive->ep(), DAT_CLOSE_ABRUPT_FLAG));
    DAT_EVENT event = next_event(passive->connect_evd());
    const bool was_connected = event.event_number == kEstablished;
    if (was_connected) event = next_event(passive->connect_evd());
    EXPECT_EQ(event.event_number, kDisconnected);
    DAT_EVENT other = next_event(active->connect_evd());
    if (other.event_number == kEstablished) {
      other = next_event(active->connect_evd());
      EXPECT_EQ(other.event_number, kDisconnected);
    } else {
      EXPECT_FALSE(was_connected);
      EXPECT_EQ(other.event_number, kRefused);
    }
    expect_both(DAT_EP_STATE_DISCONNECTED);
    ASSERT_DAT_OK(dat_ep_reset(active->ep()));
    ASSERT_DAT_OK(dat_ep_reset(passive->ep()));
  }
  EXPECT_NO_EVENT(active->connect_evd());
  EXPECT_NO_EVENT(passive->connect_evd());
}

// Rules: CONN.12
TEST_F(RuleConnection, TheAccepterDisconnectsInCompletionPending) {
  const auto staged = put_ep_in_state(DAT_EP_STATE_COMPLETION_PENDING);
  if (staged == nullptr) GTEST_SKIP() << "no way into this state on " << transport();
  ASSERT_DAT_OK(dat_ep_disconnect(staged->ep(), DAT_CLOSE_ABRUPT_FLAG));
  expect_connection_event(staged->side().connect_evd(), kDisconnected, staged->ep());
  EXPECT_EQ(ep_state(staged->ep()), DAT_EP_STATE_DISCONNECTED);
  staged->process().go_on();
  std::string event = staged->process().ask("wait");
  if (event == "0x04001") event = staged->process().ask("wait");
  EXPECT_TRUE(event == "0x04003" || event == "0x04005") << event;
}

// Rules: CONN.18 CONN.20
TEST_F(RuleConnection, TheReplyStaysReadable) {
  ask();
  Cr cr = expect_request(evd);
  ASSERT_DAT_OK(accept(cr, passive->ep(), "the answer"));
  const DAT_CONNECTION_EVENT_DATA reply = expect_active(kEstablished);
  EXPECT_EQ(reply_data(reply), "the answer");
  EXPECT_EQ(expect_passive(kEstablished).private_data_size, 0);
  ASSERT_DAT_OK(dat_ep_disconnect(passive->ep(), DAT_CLOSE_ABRUPT_FLAG));
  EXPECT_EQ(expect_active(kDisconnected).private_data_size, 0);
  EXPECT_EQ(expect_passive(kDisconnected).private_data_size, 0);
  EXPECT_EQ(reply_data(reply), "the answer") << "in DISCONNECTED";
}

// Rules: CONN.20 EPEVENT.6 EPEVENT.16
TEST_F(RuleConnection, ARefusalBringsNoData) {
  psp.free();
  ask();
  EXPECT_EQ(expect_active(kRefused).private_data_size, 0);
  EXPECT_EQ(ep_state(active->ep()), DAT_EP_STATE_DISCONNECTED);
  EXPECT_DAT_ERROR(connect(active->ep(), address_of(ia), qualifier), DAT_INVALID_STATE,
                   DAT_INVALID_STATE_EP_DISCONNECTED);
  ASSERT_DAT_OK(dat_ep_reset(active->ep()));
  EXPECT_DAT_OK(connect(active->ep(), address_of(ia), qualifier));
  expect_active(kRefused);
}

// Rules: EPEVENT.16
TEST_F(RuleConnection, AnAccepterThatFailedNeedsAReset) {
  ask();
  Cr cr = expect_request(evd);
  active->ep().free();
  expect_accept_error(cr);
  EXPECT_DAT_ERROR(connect(passive->ep(), address_of(ia), qualifier), DAT_INVALID_STATE,
                   DAT_INVALID_STATE_EP_DISCONNECTED);
  ASSERT_DAT_OK(dat_ep_reset(passive->ep()));
  EXPECT_DAT_OK(connect(passive->ep(), address_of(ia), qualifier));
  expect_request(evd);
}

// Rules: CONN.22
TEST_F(RuleConnection, AnUnansweredRequestLivesAsLongAsItsIa) {
  Ia own_ia = open_ia();
  Evd own_evd = create_evd(own_ia, DAT_EVD_CR_FLAG);
  const DAT_CONN_QUAL own_qualifier = free_qualifier();
  create_psp(own_ia, own_qualifier, own_evd).release();
  ASSERT_DAT_OK(connect(active->ep(), address_of(own_ia), own_qualifier, "anybody"));
  const DAT_CR_HANDLE cr = expect_request(own_evd).release();
  EXPECT_EQ(request_data(cr), "anybody");
  EXPECT_DAT_ERROR(dat_ia_close(own_ia, DAT_CLOSE_GRACEFUL_FLAG), DAT_INVALID_STATE,
                   DAT_INVALID_STATE_IA_IN_USE);
  EXPECT_EQ(request_data(cr), "anybody");
  own_evd.release();
  EXPECT_DAT_OK(dat_ia_close(own_ia.release(), DAT_CLOSE_ABRUPT_FLAG));
  DAT_CR_PARAM param{};
  EXPECT_DAT_ERROR(dat_cr_query(cr, DAT_CR_FIELD_ALL, &param), DAT_INVALID_HANDLE,
                   DAT_INVALID_HANDLE_CR);
  expect_active(kRefused);
}

// Rules: CONN.24
TEST_F(RuleConnection, OnePspServesManyConnections) {
  constexpr std::size_t kCount = 12;
  Buffer source = active->buffer(kCount);
  Buffer sink = passive->buffer(kCount);
  std::vector<Ep> callers;
  std::vector<Ep> callees;
  for (std::size_t i = 0; i < kCount; ++i) {
    const std::string name(1, static_cast<char>('a' + i));
    source.write(i, name);
    callers.push_back(active->another_ep());
    callees.push_back(passive->another_ep());
    ASSERT_DAT_OK(post_recv(callees[i], {sink.segment(i, 1)}, i));
    ASSERT_DAT_OK(connect(callers[i], address_of(ia), qualifier, name));
    Cr cr = expect_request(evd);
    EXPECT_EQ(request_data(cr), name);
    ASSERT_DAT_OK(accept(cr, callees[i]));
    expect_connection_event(active->connect_evd(), kEstablished, callers[i]);
    expect_connection_event(passive->connect_evd(), kEstablished, callees[i]);
  }
  for (std::size_t i = 0; i < kCount; ++i) {
    EXPECT_EQ(ep_state(callers[i]), DAT_EP_STATE_CONNECTED);
    ASSERT_DAT_OK(post_send(callers[i], {source.segment(i, 1)}, i));
    expect_dto(passive->recv_evd(), callees[i], i);
    expect_dto(active->request_evd(), callers[i], i);
  }
  EXPECT_EQ(sink.text(0, kCount), "abcdefghijkl");
}

} // namespace
} // namespace datum::test
