// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Threads that pthread_cancel() ends within a call, and calls in which it must not end them
// (docs/habits.md).
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>

#include "fixture.h"
#include "registration.h"
#include "threads.h"

namespace datum::test {
namespace {

// A thread of a given cancellation type that does some work.
class Cancelled {
 public:
  Cancelled(int type, std::function<void()> work) : type_(type), work_(std::move(work)) {
    EXPECT_EQ(pthread_create(&thread_, nullptr, run, this), 0);
  }
  ~Cancelled() { join(); }
  Cancelled(const Cancelled&) = delete;
  Cancelled& operator=(const Cancelled&) = delete;

  void until_it_waits() const { wait_until_asleep(thread_id_, over_); }
  void cancel() { pthread_cancel(thread_); }
  // True: the thread was ended before its work was done.
  bool join() {
    if (!joined_) pthread_join(thread_, nullptr);
    joined_ = true;
    return !over_;
  }

 private:
  static void* run(void* self) {
    Cancelled& me = *static_cast<Cancelled*>(self);
    pthread_setcanceltype(me.type_, nullptr);
    me.thread_id_ = gettid();
    me.work_();
    me.over_ = true;
    return nullptr;
  }

  int type_;
  std::function<void()> work_;
  pthread_t thread_{};
  std::atomic<int> thread_id_ = 0;
  std::atomic<bool> over_ = false;
  bool joined_ = false;
};

constexpr int kCancelTypes[] = {PTHREAD_CANCEL_DEFERRED, PTHREAD_CANCEL_ASYNCHRONOUS};

using RuleCancelledThreads = Conformance;

void wait_for_good(DAT_EVD_HANDLE evd) {
  DAT_EVENT event{};
  DAT_COUNT left = 0;
  dat_evd_wait(evd, DAT_TIMEOUT_INFINITE, 1, &event, &left);
}

// Rules: HABIT.1
TEST_F(RuleCancelledThreads, AWaiterOfAnEvdEnds) {
  const Evd evd = create_evd(ia, kEveryStream);
  const Evd other = create_evd(ia, kEveryStream);
  for (const int type : kCancelTypes) {
    // One of the two threads owns the doorbell, the other sleeps beside it. The loop cancels each
    // of them once.
    for (const bool first : {true, false}) {
      Cancelled at_evd(type, [&] { wait_for_good(evd); });
      at_evd.until_it_waits();
      Cancelled at_other(type, [&] { wait_for_good(other); });
      at_other.until_it_waits();
      Cancelled& ended = first ? at_evd : at_other;
      ended.cancel();
      EXPECT_TRUE(ended.join());
      ASSERT_DAT_OK(post_software_event(first ? other : evd, nullptr));
      EXPECT_FALSE((first ? at_other : at_evd).join());
      // The EVD of the ended thread has no waiter any more.
      ASSERT_DAT_OK(post_software_event(first ? evd : other, pointer_value(7)));
      EXPECT_EQ(expect_software_event(first ? evd : other), pointer_value(7));
    }
  }
}

// Rules: HABIT.1
TEST_F(RuleCancelledThreads, AWaiterOfACnoEnds) {
  const Cno cno = create_cno(ia);
  const Evd evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG, 4, cno);
  for (const int type : kCancelTypes) {
    DAT_EVD_HANDLE found = DAT_HANDLE_NULL;
    Cancelled waiter(type, [&] { dat_cno_wait(cno, DAT_TIMEOUT_INFINITE, &found); });
    waiter.until_it_waits();
    waiter.cancel();
    EXPECT_TRUE(waiter.join());
    ASSERT_DAT_OK(post_software_event(evd, nullptr));
    EXPECT_TRIGGERED(cno, evd);
    EXPECT_EQ(expect_software_event(evd), nullptr);
  }
}

// The server accepts a connection. Then the test cancels it, and the connection must go on working.
// Rules: HABIT.1
TEST_F(RuleCancelledThreads, WhatItServedWorksOn) {
  const Ia other = open_ia();
  for (const int type : kCancelTypes) {
    Side caller(ia);
    Side callee(other);
    Listener listener(other);
    Cancelled server(type, [&] {
      DAT_EVENT event{};
      DAT_COUNT left = 0;
      while (dat_evd_wait(listener.evd(), DAT_TIMEOUT_INFINITE, 1, &event, &left) == DAT_SUCCESS)
        dat_cr_accept(event.event_data.cr_arrival_event_data.cr_handle, callee.ep(), 0, nullptr);
    });
    ASSERT_DAT_OK(connect(caller.ep(), listener));
    expect_connection_event(caller.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, caller.ep());
    expect_connection_event(callee.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, callee.ep());
    server.until_it_waits();
    server.cancel();
    EXPECT_TRUE(server.join());
    Buffer from = caller.buffer(16);
    Buffer to = callee.buffer(16);
    ASSERT_DAT_OK(post_recv(callee.ep(), {to.segment()}, 1));
    ASSERT_DAT_OK(post_send(caller.ep(), {from.segment()}, 2));
    expect_dto(caller.request_evd(), caller.ep(), 2);
    expect_dto(callee.recv_evd(), callee.ep(), 1);
  }
}

// Rules: HABIT.5
TEST_F(RuleCancelledThreads, OneThatForbidsItWaitsOn) {
  const Evd evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG);
  for (const int type : kCancelTypes) {
    DAT_RETURN status = DAT_ABORT;
    Cancelled waiter(type, [&] {
      pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr);
      DAT_EVENT event{};
      DAT_COUNT left = 0;
      do status = dat_evd_wait(evd, DAT_TIMEOUT_INFINITE, 1, &event, &left);
      while (DAT_GET_TYPE(status) == DAT_INTERRUPTED_CALL); // the C library may use a signal
    });
    waiter.until_it_waits();
    waiter.cancel();
    ASSERT_DAT_OK(post_software_event(evd, nullptr));
    EXPECT_FALSE(waiter.join());
    EXPECT_DAT_OK(status);
  }
}

// Rules: HABIT.5
TEST_F(RuleCancelledThreads, OneThatTransfersDoesItToTheEnd) {
  ConnectedPair pair;
  Side& active = pair.active();
  Side& passive = pair.passive();
  Buffer from = active.buffer(1 << 16);
  Buffer to = passive.buffer(1 << 16);
  int done = 0;
  Cancelled worker(PTHREAD_CANCEL_DEFERRED, [&] {
    pthread_cancel(pthread_self()); // pending from here on, but no transfer is a cancellation point
    for (int i = 0; i < 100; ++i) {
      post_recv(passive.ep(), {to.segment()}, 1);
      post_send(active.ep(), {from.segment()}, 2);
      post_write(active.ep(), {from.segment(0, 4)}, to.remote(0, 4), 3);
      post_read(active.ep(), {from.segment(0, 4)}, to.remote(0, 4), 4);
      poll_dto(passive.recv_evd(), passive.ep(), 1);
      poll_dto(active.request_evd(), active.ep(), 2);
      poll_dto(active.request_evd(), active.ep(), 3);
      poll_dto(active.request_evd(), active.ep(), 4);
      ++done;
    }
  });
  EXPECT_FALSE(worker.join());
  EXPECT_EQ(done, 100);
}

// A post that finds the queue full takes completions first, perhaps from a socket.
// Rules: HABIT.5
TEST_F(RuleCancelledThreads, OneThatFindsItsQueueFullPostsToTheEnd) {
  constexpr int kPosts = 500;
  const auto few = [](DAT_EP_ATTR& attributes) { attributes.max_request_dtos = 8; };
  ConnectedPair pair(with_attributes(few));
  Side& active = pair.active();
  Buffer from = active.buffer(8);
  Buffer to = pair.passive().buffer(8);
  int done = 0;
  Cancelled worker(PTHREAD_CANCEL_DEFERRED, [&] {
    pthread_cancel(pthread_self());
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(kPatience);
    while (done < kPosts && std::chrono::steady_clock::now() < end)
      if (post_write(active.ep(), {from.segment()}, to.remote(), 1, DAT_COMPLETION_SUPPRESS_FLAG) ==
          DAT_SUCCESS)
        ++done;
  });
  EXPECT_FALSE(worker.join());
  EXPECT_EQ(done, kPosts);
}

// The calls that poll also dial, answer dials and close links.
// Rules: HABIT.5
TEST_F(RuleCancelledThreads, OneThatLooksWhileConnectionsComeAndGoLooksOn) {
  const Ia other = open_ia();
  Listener listener(other);
  Side caller(ia);
  Side callee(other);
  std::atomic<int> seen = 0;
  std::atomic<bool> enough = false;
  Cancelled worker(PTHREAD_CANCEL_DEFERRED, [&] {
    pthread_cancel(pthread_self());
    DAT_EVENT event{};
    while (!enough)
      for (const DAT_EVD_HANDLE evd : {caller.connect_evd(), callee.connect_evd()})
        if (dat_evd_dequeue(evd, &event) == DAT_SUCCESS) ++seen;
  });
  const auto sees = [&](int events) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(kPatience);
    while (seen < events && std::chrono::steady_clock::now() < end) sched_yield();
    EXPECT_EQ(seen, events);
  };
  for (int i = 0; i < 20; ++i) {
    ASSERT_DAT_OK(connect(caller.ep(), listener));
    Cr request = listener.expect_request();
    ASSERT_DAT_OK(accept(request, callee.ep()));
    sees(4 * i + 2);
    ASSERT_DAT_OK(dat_ep_disconnect(caller.ep(), DAT_CLOSE_ABRUPT_FLAG));
    sees(4 * i + 4);
    ASSERT_DAT_OK(dat_ep_reset(caller.ep()));
    ASSERT_DAT_OK(dat_ep_reset(callee.ep()));
  }
  enough = true;
  EXPECT_FALSE(worker.join());
}

// The first Write maps the peer's memory if the kernel allows it.
// Rules: HABIT.5
TEST_F(RuleCancelledThreads, OneThatWritesToMemoryThatCanBeMappedDoesItToTheEnd) {
  ConnectedPair pair;
  Side& active = pair.active();
  Buffer from = active.buffer(1 << 16);
  constexpr std::size_t kBytes = 1 << 16;
  const int file = memfd_create("conformance", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  ASSERT_EQ(ftruncate(file, kBytes), 0);
  // without this seal peers do not map the file
  ASSERT_EQ(fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK), 0);
  void* const place = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ASSERT_NE(place, MAP_FAILED);
  Registration to(pair.passive().ia(), pair.passive().pz(), place, kBytes);
  ASSERT_DAT_OK(to.create());
  const DAT_RMR_TRIPLET there =
      remote_part(to.rmr_context, reinterpret_cast<DAT_VADDR>(place), kBytes);
  DAT_RETURN status = DAT_ABORT;
  Cancelled worker(PTHREAD_CANCEL_DEFERRED, [&] {
    pthread_cancel(pthread_self());
    status = post_write(active.ep(), {from.segment()}, there, 1);
  });
  EXPECT_FALSE(worker.join());
  EXPECT_DAT_OK(status);
  expect_dto(active.request_evd(), active.ep(), 1);
  to.lmr = Lmr();
  munmap(place, kBytes);
  close(file);
}

} // namespace
} // namespace datum::test
