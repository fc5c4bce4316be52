// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Several threads at once, and signals.
#include <signal.h>

#include <atomic>
#include <set>
#include <thread>

#include "each_kind.h"
#include "fixture.h"
#include "threads.h"

namespace datum::test {
namespace {

using RuleThreading = Conformance;

constexpr int kThreads = 4;

void in_threads(const std::function<void(int)>& work) {
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
}

// Rules: THREAD.1
TEST_F(RuleThreading, ConcurrentCreates) {
  in_threads([&](int) {
    for (int i = 0; i < 10; ++i) const EachKind objects(ia);
  });
}

// Rules: THREAD.3
TEST_F(RuleThreading, PostsToDifferentEndpoints) {
  const Ia other_ia = open_ia();
  std::vector<std::unique_ptr<Side>> active;
  std::vector<std::unique_ptr<Side>> passive;
  for (int i = 0; i < kThreads; ++i) {
    active.push_back(std::make_unique<Side>(other_ia));
    passive.push_back(std::make_unique<Side>(ia));
    establish(*active.back(), *passive.back());
  }
  in_threads([&](int i) {
    Side& side = *active[static_cast<std::size_t>(i)];
    Buffer source = side.buffer(256);
    Buffer target = passive[static_cast<std::size_t>(i)]->buffer(256);
    for (DAT_UINT64 n = 0; n < 200; ++n) {
      source.fill(static_cast<std::uint8_t>(n));
      ASSERT_DAT_OK(post_write(side.ep(), {source.segment()}, target.remote(), n));
      expect_dto(side.request_evd(), side.ep(), n);
      ASSERT_TRUE(target.holds(static_cast<std::uint8_t>(n), 0, 256)) << "thread " << i;
    }
  });
}

// Rules: THREAD.4
TEST_F(RuleThreading, PostsToOneEndpoint) {
  constexpr DAT_UINT64 kPosts = 50;
  const Ia other_ia = open_ia();
  DAT_EP_ATTR attributes = default_attributes(other_ia);
  attributes.max_request_dtos = static_cast<DAT_COUNT>(kThreads * kPosts);
  SideOptions options;
  options.attributes = &attributes;
  options.queue_length = static_cast<DAT_COUNT>(kThreads * kPosts);
  Side active(other_ia, options);
  Side passive(ia);
  establish(active, passive);
  Buffer source = active.buffer(64);
  Buffer target = passive.buffer(64);
  in_threads([&](int i) {
    for (DAT_UINT64 n = 0; n < kPosts; ++n) {
      EXPECT_DAT_OK(post_write(active.ep(), {source.segment()}, target.remote(),
                               static_cast<DAT_UINT64>(i) * kPosts + n));
    }
  });
  std::set<DAT_UINT64> completed;
  for (DAT_UINT64 n = 0; n < kThreads * kPosts; ++n) {
    const DAT_EVENT event = expect_event(active.request_evd(), DAT_DTO_COMPLETION_EVENT);
    EXPECT_EQ(event.event_data.dto_completion_event_data.status, DAT_DTO_SUCCESS);
    completed.insert(event.event_data.dto_completion_event_data.user_cookie.as_64);
  }
  EXPECT_EQ(completed.size(), kThreads * kPosts) << "each once";
}

// Rules: THREAD.5
TEST_F(RuleThreading, UnwaitableAgainstWaits) {
  const Evd evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG, 4096);
  constexpr int kEvents = 2000;
  std::atomic<bool> done = false;
  std::thread toggler([&] {
    while (!done) {
      EXPECT_DAT_OK(dat_evd_set_unwaitable(evd));
      EXPECT_DAT_OK(dat_evd_clear_unwaitable(evd));
    }
  });
  std::thread poster([&] {
    for (std::uintptr_t i = 0; i < kEvents; ++i) {
      EXPECT_DAT_OK(post_software_event(evd, pointer_value(i)));
    }
  });
  for (std::uintptr_t i = 0; i < kEvents;) {
    DAT_EVENT event{};
    DAT_COUNT left = 0;
    const DAT_RETURN status = dat_evd_wait(evd, kPatience, 1, &event, &left);
    if (DAT_GET_TYPE(status) == DAT_INVALID_STATE) continue; // the EVD is unwaitable at that moment
    ASSERT_DAT_OK(status);
    ASSERT_EQ(event.event_data.software_event_data.pointer, pointer_value(i++));
  }
  poster.join();
  done = true;
  toggler.join();
}

// Rules: THREAD.6
TEST_F(RuleThreading, SignalsDisturbNoOtherCall) {
  struct sigaction action {};
  action.sa_handler = [](int) {}; // no SA_RESTART
  sigaction(SIGUSR1, &action, nullptr);
  const Ia other_ia = open_ia();
  std::atomic<bool> done = false;
  const pthread_t worker = pthread_self();
  std::thread shooter([&] {
    while (!done) {
      pthread_kill(worker, SIGUSR1);
      std::this_thread::yield();
    }
  });
  for (int i = 0; i < 20; ++i) {
    const EachKind objects(ia);
    const Ia opened = open_ia();
    const Listener listener(opened);
  }
  done = true;
  shooter.join();
}

} // namespace
} // namespace datum::test
