// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Which completions notify, that is, wake a waiter and trigger a CNO. Also the order of streams on
// one EVD.
#include <atomic>
#include <map>
#include <string>

#include "fixture.h"
#include "names.h"
#include "threads.h"

namespace datum::test {
namespace {

// A pair whose passive side receives with the given recv flags, and whose two sides have a CNO on
// their completion EVDs.
class NotifyingPair {
 public:
  NotifyingPair(DAT_IA_HANDLE active_ia, DAT_IA_HANDLE passive_ia,
                DAT_COMPLETION_FLAGS request_flags, DAT_COMPLETION_FLAGS recv_flags)
      : active_cno(create_cno(active_ia)), passive_cno(create_cno(passive_ia)) {
    DAT_EP_ATTR attributes = default_attributes(active_ia);
    attributes.request_completion_flags = request_flags;
    SideOptions options;
    options.attributes = &attributes;
    active = std::make_unique<Side>(active_ia, options);
    attributes = default_attributes(passive_ia);
    attributes.recv_completion_flags = recv_flags;
    passive = std::make_unique<Side>(passive_ia, options);
    source = std::make_unique<Buffer>(active->buffer(64));
    sink = std::make_unique<Buffer>(passive->buffer(64));
    establish(*active, *passive);
    // The CNOs come last: whether a connection event triggers a CNO depends on the threads that
    // wait when it comes.
    for (const DAT_EVD_HANDLE evd : {active->recv_evd(), active->request_evd()}) {
      EXPECT_DAT_OK(dat_evd_modify_cno(evd, active_cno));
    }
    for (const DAT_EVD_HANDLE evd : {passive->recv_evd(), passive->request_evd()}) {
      EXPECT_DAT_OK(dat_evd_modify_cno(evd, passive_cno));
    }
  }

  void recv(DAT_UINT64 number, DAT_COMPLETION_FLAGS flags = DAT_COMPLETION_DEFAULT_FLAG) const {
    EXPECT_DAT_OK(post_recv(passive->ep(), {sink->segment()}, number, flags));
  }
  // The message is at the peer when send() returns: completion means placed.
  void send(DAT_UINT64 number, DAT_COMPLETION_FLAGS flags = DAT_COMPLETION_DEFAULT_FLAG) const {
    EXPECT_DAT_OK(post_send(active->ep(), {source->segment(0, 8)}, number, flags));
    poll_dto(active->request_evd(), active->ep(), number);
  }
  // The next receive completion of the passive side, which need not notify.
  void expect_received(DAT_UINT64 number) const {
    poll_dto(passive->recv_evd(), passive->ep(), number);
  }

  Cno active_cno;
  Cno passive_cno;
  std::unique_ptr<Side> active;
  std::unique_ptr<Side> passive;
  std::unique_ptr<Buffer> source;
  std::unique_ptr<Buffer> sink;
};

class RuleNotification : public Conformance {
 protected:
  void SetUp() override {
    Conformance::SetUp();
    active_ia = open_ia();
  }

  std::unique_ptr<NotifyingPair> pair(DAT_COMPLETION_FLAGS request_flags,
                                      DAT_COMPLETION_FLAGS recv_flags) {
    return std::make_unique<NotifyingPair>(active_ia, ia, request_flags, recv_flags);
  }

  Ia active_ia;
};

// Rules: NOTIFY.2 FLAGS.11 FLAGS.16 dat_evd_dequeue.R11
TEST_F(RuleNotification, AnUnsignalledRecvDoesNotTrigger) {
  const auto p = pair(kThreshold, kUnsignalled);
  p->recv(1, kUnsignalled);
  p->recv(2);
  p->send(10);
  p->expect_received(1);
  EXPECT_UNTRIGGERED(p->passive_cno);
  p->send(11);
  EXPECT_TRIGGERED(p->passive_cno, p->passive->recv_evd());
  p->expect_received(2);
}

// Rules: NOTIFY.2
TEST_F(RuleNotification, AnUnsignalledSendDoesNotTrigger) {
  const auto p = pair(kUnsignalled, kThreshold);
  p->recv(1);
  p->recv(2);
  p->send(10, kUnsignalled);
  EXPECT_UNTRIGGERED(p->active_cno);
  EXPECT_DAT_OK(post_send(p->active->ep(), {p->source->segment()}, 11));
  EXPECT_TRIGGERED(p->active_cno, p->active->request_evd());
  expect_dto(p->active->request_evd(), p->active->ep(), 11);
}

// Rules: NOTIFY.3 dat_evd_wait.R28
TEST_F(RuleNotification, AnUnsignalledRecvDoesNotWake) {
  const auto p = pair(kThreshold, kUnsignalled);
  p->recv(1, kUnsignalled);
  p->recv(2);
  DAT_EVENT event{};
  DAT_COUNT left = -1;
  BlockedCall waiter(
      [&] { return dat_evd_wait(p->passive->recv_evd(), kPatience, 1, &event, &left); });
  p->send(10);
  EXPECT_FALSE(waiter.is_over());
  p->send(11);
  EXPECT_DAT_OK(waiter.join());
  EXPECT_EQ(event.event_data.dto_completion_event_data.user_cookie.as_64, 1U);
  EXPECT_EQ(left, 1) << "it woke with the second";
  EXPECT_DAT_OK(dat_evd_wait(p->passive->recv_evd(), 0, 1, &event, &left));
}

// Rules: dat_evd_wait.R28
TEST_F(RuleNotification, AQueuedUnsignalledEventSatisfiesAWait) {
  const auto p = pair(kThreshold, kUnsignalled);
  p->recv(1, kUnsignalled);
  p->send(10);
  DAT_BOOLEAN queued = DAT_FALSE;
  while (queued == DAT_FALSE) {
    ASSERT_DAT_OK(dat_ep_get_status(p->passive->ep(), nullptr, &queued, nullptr));
  }
  DAT_EVENT event{};
  DAT_COUNT left = -1;
  EXPECT_DAT_OK(dat_evd_wait(p->passive->recv_evd(), kPatience, 1, &event, &left));
  EXPECT_EQ(event.event_data.dto_completion_event_data.user_cookie.as_64, 1U);
}

// Rules: NOTIFY.4
TEST_F(RuleNotification, OnlyASolicitedSendTriggers) {
  const auto p = pair(kThreshold, kSolicited);
  p->recv(1);
  p->recv(2);
  p->send(10);
  p->expect_received(1);
  EXPECT_UNTRIGGERED(p->passive_cno);
  p->send(11, kSolicited);
  EXPECT_TRIGGERED(p->passive_cno, p->passive->recv_evd());
  p->expect_received(2);
}

// Rules: NOTIFY.5
TEST_F(RuleNotification, OnlyASolicitedSendWakes) {
  const auto p = pair(kThreshold, kSolicited);
  p->recv(1);
  p->recv(2);
  DAT_EVENT event{};
  DAT_COUNT left = -1;
  BlockedCall waiter(
      [&] { return dat_evd_wait(p->passive->recv_evd(), kPatience, 1, &event, &left); });
  p->send(10);
  EXPECT_FALSE(waiter.is_over());
  p->send(11, kSolicited);
  EXPECT_DAT_OK(waiter.join());
  EXPECT_EQ(left, 1) << "it woke with the second";
}

// Rules: FLAGS.9 FLAGS.1
TEST_F(RuleNotification, SolicitedHasNoEffectOnDefaultReceives) {
  const auto p = pair(kThreshold, DAT_COMPLETION_DEFAULT_FLAG);
  p->recv(1);
  p->send(10);
  EXPECT_TRIGGERED(p->passive_cno, p->passive->recv_evd());
  p->recv(2);
  p->send(11, kSolicited);
  EXPECT_TRIGGERED(p->passive_cno, p->passive->recv_evd());
}

// Rules: NOTIFY.7
TEST_F(RuleNotification, AnErrorNotifiesThoughUnsignalled) {
  const auto p = pair(kUnsignalled, kThreshold);
  DAT_RMR_TRIPLET nowhere = p->sink->remote();
  nowhere.rmr_context = ~nowhere.rmr_context;
  EXPECT_DAT_OK(post_write(p->active->ep(), {p->source->segment()}, nowhere, 10, kUnsignalled));
  DAT_EVD_HANDLE fired = DAT_HANDLE_NULL;
  ASSERT_DAT_OK(dat_cno_wait(p->active_cno, kPatience, &fired));
  EXPECT_EQ(fired, p->active->request_evd()) << "the completion comes before BROKEN";
  expect_dto(p->active->request_evd(), p->active->ep(), 10, DAT_DTO_ERR_REMOTE_ACCESS);
}

// Rules: NOTIFY.8
TEST_F(RuleNotification, AFlushedRecvNotifiesThoughUnsolicited) {
  const auto p = pair(kThreshold, kSolicited);
  const Cno recv_cno = create_cno(ia);
  EXPECT_DAT_OK(dat_evd_modify_cno(p->passive->recv_evd(), recv_cno));
  p->recv(1);
  EXPECT_DAT_OK(dat_ep_disconnect(p->passive->ep(), DAT_CLOSE_ABRUPT_FLAG));
  EXPECT_TRIGGERED(recv_cno, p->passive->recv_evd());
  expect_dto(p->passive->recv_evd(), p->passive->ep(), 1, DAT_DTO_ERR_FLUSHED);
  EXPECT_DAT_OK(dat_evd_modify_cno(p->passive->recv_evd(), DAT_HANDLE_NULL));
}

// Rules: NOTIFY.14 THREAD.7
TEST_F(RuleNotification, AnAgentMayDequeueAndPost) {
  struct Echo {
    DAT_EVD_HANDLE evd = DAT_HANDLE_NULL;
    DAT_EP_HANDLE ep = DAT_HANDLE_NULL;
    DAT_LMR_TRIPLET segment{};
    DAT_RETURN taken = ~0U;
    DAT_RETURN posted = ~0U;
    std::atomic<bool> done{false}; // the message may arrive before the call that sends it returns
    static void run(DAT_PVOID data, DAT_EVD_HANDLE) {
      auto* echo = static_cast<Echo*>(data);
      DAT_EVENT event{};
      echo->taken = dat_evd_dequeue(echo->evd, &event);
      echo->posted = post_send(echo->ep, {echo->segment}, 77);
      echo->done = true;
      echo->done.notify_all();
    }
  } echo;
  const auto p = pair(kThreshold, kThreshold);
  Buffer reply = p->active->buffer(64);
  EXPECT_DAT_OK(post_recv(p->active->ep(), {reply.segment()}, 5));
  p->recv(1);
  echo.evd = p->passive->recv_evd();
  echo.ep = p->passive->ep();
  echo.segment = p->sink->segment(0, 8);
  EXPECT_DAT_OK(dat_cno_modify_agent(p->passive_cno, {&echo, &Echo::run}));
  p->source->write(0, "question");
  p->send(10);
  EXPECT_EQ(expect_dto(p->active->recv_evd(), p->active->ep(), 5), 8U);
  EXPECT_EQ(reply.text(0, 8), "question");
  expect_dto(p->passive->request_evd(), p->passive->ep(), 77);
  echo.done.wait(false);
  EXPECT_DAT_OK(echo.taken);
  EXPECT_DAT_OK(echo.posted);
}

// Rules: NOTIFY.15
TEST_F(RuleNotification, StreamsOnOneEvdKeepTheirOrder) {
  SideOptions all;
  all.evds = Evds::kOne;
  Side active(active_ia, all);
  Side passive(ia, all);
  establish(active, passive);
  const DAT_EVD_HANDLE evd = passive.recv_evd();
  Buffer source = active.buffer(64);
  Buffer sink = passive.buffer(64);
  for (DAT_UINT64 i = 0; i < 8; ++i) {
    EXPECT_DAT_OK(post_recv(passive.ep(), {sink.segment()}, i));
  }
  for (DAT_UINT64 i = 0; i < 8; ++i) {
    EXPECT_DAT_OK(post_software_event(evd, pointer_value(i)));
    EXPECT_DAT_OK(post_send(active.ep(), {source.segment(0, 8)}, i));
    EXPECT_DAT_OK(post_write(passive.ep(), {sink.segment(0, 8)}, source.remote(), 100 + i));
  }
  DAT_UINT64 next_software = 0;
  DAT_UINT64 next_recv = 0;
  DAT_UINT64 next_write = 100;
  for (int i = 0; i < 24; ++i) {
    const DAT_EVENT event = next_event(evd);
    if (event.event_number == DAT_SOFTWARE_EVENT) {
      EXPECT_EQ(event.event_data.software_event_data.pointer, pointer_value(next_software++));
      continue;
    }
    ASSERT_EQ(event.event_number, DAT_DTO_COMPLETION_EVENT);
    const DAT_UINT64 number = event.event_data.dto_completion_event_data.user_cookie.as_64;
    EXPECT_EQ(number, number < 100 ? next_recv++ : next_write++);
  }
}

// Two events of each of the six streams: the key of an event is its number within its stream.
class SixStreams {
 public:
  void expect_next(const char* stream, DAT_UINT64 key) {
    EXPECT_EQ(key, next_[stream]) << stream;
    ++next_[stream];
  }
  void take(const DAT_EVENT& event, const std::vector<DAT_HANDLE>& srqs) {
    const DAT_EVENT_DATA& data = event.event_data;
    switch (event.event_number) {
    case DAT_SOFTWARE_EVENT:
      EXPECT_EQ(data.software_event_data.pointer, pointer_value(next_["software"]++));
      return;
    case DAT_CONNECTION_REQUEST_EVENT: {
      const Cr cr(data.cr_arrival_event_data.cr_handle);
      return expect_next("requests", static_cast<DAT_UINT64>(request_data(cr)[0] - '0'));
    }
    case DAT_RMR_BIND_COMPLETION_EVENT:
      return expect_next("posted", data.rmr_completion_event_data.user_cookie.as_64 - 100);
    case DAT_DTO_COMPLETION_EVENT: {
      const DAT_UINT64 cookie = data.dto_completion_event_data.user_cookie.as_64;
      return cookie < 100 ? expect_next("received", cookie) : expect_next("posted", cookie - 100);
    }
    case DAT_ASYNC_ERROR_PROVIDER_INTERNAL_ERROR:
      EXPECT_EQ(data.asynch_error_event_data.dat_handle, srqs.at(next_["errors"]++));
      return;
    default: ADD_FAILURE() << "event " << std::hex << event.event_number;
    }
  }
  DAT_UINT64 count(const char* stream) { return next_[stream]; }

 private:
  std::map<std::string, DAT_UINT64> next_;
};

// Rules: NOTIFY.15
TEST_F(RuleNotification, AllSixStreamsOnOneEvd) {
  const Evd evd = create_evd(ia, kEveryStream);
  Ia watched; // the EVD gets its asynchronous errors, too
  DAT_EVD_HANDLE for_errors = evd;
  ASSERT_DAT_OK(dat_ia_open(const_cast<char*>(ia_name().c_str()), 8, &for_errors, watched.out()));
  const Pz watched_pz = create_pz(watched);
  const Srq srqs[] = {create_srq(watched, watched_pz), create_srq(watched, watched_pz)};
  const Pz pz = create_pz(ia);
  const Ep ep = create_ep(ia, pz, evd, evd, evd);
  Side active(active_ia);
  establish(active.ep(), active.connect_evd(), ep, evd, ia);
  const Psp psp = create_psp(ia, free_qualifier(), evd);
  DAT_PSP_PARAM listening{};
  ASSERT_DAT_OK(dat_psp_query(psp, DAT_PSP_FIELD_ALL, &listening));
  Buffer source = active.buffer(16);
  Buffer sink(ia, pz, 16);
  const Rmr rmr = create_rmr(pz);
  const Ep callers[] = {active.another_ep(), active.another_ep()};

  SixStreams streams;
  for (DAT_UINT64 i = 0; i < 2; ++i) {
    EXPECT_DAT_OK(post_software_event(evd, pointer_value(i)));
    EXPECT_DAT_OK(post_recv(ep, {sink.segment()}, i));
    EXPECT_DAT_OK(post_send(active.ep(), {source.segment()}, i));
    EXPECT_DAT_OK(post_bind(ep, rmr, sink.segment(), DAT_MEM_PRIV_ALL_FLAG, 100 + 2 * i, nullptr));
    EXPECT_DAT_OK(post_write(ep, {sink.segment()}, source.remote(), 101 + 2 * i));
    EXPECT_DAT_OK(dat_srq_set_lw(srqs[i], 1)); // no Recv is there, so the event comes at once
    EXPECT_DAT_OK(connect(callers[i], address_of(ia), listening.conn_qual, std::to_string(i)));
    // Requests of two callers have no order among each other. So the test takes each request before
    // it makes the next one.
    for (int events = 0; events < 6 && !HasFailure(); ++events)
      streams.take(next_event(evd), {srqs[0].get(), srqs[1].get()});
  }
  for (const char* stream : {"software", "received", "requests", "errors"})
    EXPECT_EQ(streams.count(stream), 2U) << stream;
  EXPECT_EQ(streams.count("posted"), 4U);
  EXPECT_NO_EVENT(evd);
  EXPECT_DAT_OK(dat_ep_disconnect(ep, DAT_CLOSE_ABRUPT_FLAG));
  expect_connection_event(evd, DAT_CONNECTION_EVENT_DISCONNECTED, ep);
}

// Rules: NOTIFY.16 DISC.5
TEST_F(RuleNotification, SuccessfulCompletionsBeforeDisconnected) {
  SideOptions all;
  all.evds = Evds::kOne;
  Side active(active_ia);
  Side passive(ia, all);
  establish(active, passive);
  Buffer source = active.buffer(64);
  Buffer sink = passive.buffer(64);
  for (DAT_UINT64 i = 0; i < 4; ++i) {
    EXPECT_DAT_OK(post_recv(passive.ep(), {sink.segment()}, i));
  }
  for (DAT_UINT64 i = 0; i < 3; ++i) {
    EXPECT_DAT_OK(post_send(active.ep(), {source.segment()}, i));
  }
  EXPECT_DAT_OK(dat_ep_disconnect(active.ep(), DAT_CLOSE_GRACEFUL_FLAG));
  for (DAT_UINT64 i = 0; i < 3; ++i) expect_dto(passive.recv_evd(), passive.ep(), i);
  int disconnected = 0;
  int flushed = 0;
  for (int i = 0; i < 2; ++i) {
    const DAT_EVENT event = next_event(passive.recv_evd());
    disconnected += event.event_number == DAT_CONNECTION_EVENT_DISCONNECTED ? 1 : 0;
    flushed += event.event_number == DAT_DTO_COMPLETION_EVENT ? 1 : 0;
  }
  EXPECT_EQ(disconnected, 1);
  EXPECT_EQ(flushed, 1);
}

// Rules: NOTIFY.17 DTO.1
TEST_F(RuleNotification, RequestsOfEveryTypeCompleteInOneStream) {
  const auto p = pair(kThreshold, kThreshold);
  Buffer landing = p->active->buffer(64);
  const Rmr rmr = create_rmr(p->active->pz());
  DAT_RMR_CONTEXT context = 0;
  p->recv(1);
  const DAT_EP_HANDLE ep = p->active->ep();
  EXPECT_DAT_OK(post_write(ep, {p->source->segment()}, p->sink->remote(), 10));
  EXPECT_DAT_OK(post_read(ep, {landing.segment()}, p->sink->remote(), 11));
  EXPECT_DAT_OK(post_bind(ep, rmr, landing.segment(), DAT_MEM_PRIV_ALL_FLAG, 12, &context));
  EXPECT_DAT_OK(post_send(ep, {p->source->segment(0, 8)}, 13));
  EXPECT_DAT_OK(post_write(ep, {p->source->segment()}, p->sink->remote(), 14));
  const DAT_EVD_HANDLE evd = p->active->request_evd();
  expect_dto(evd, ep, 10);
  expect_dto(evd, ep, 11);
  expect_bind(evd, rmr, 12);
  expect_dto(evd, ep, 13);
  expect_dto(evd, ep, 14);
}

} // namespace
} // namespace datum::test
