// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The timed promises of decision 312, seen by a consumer. One thread is the consumer of both sides.
// Everything that it does not do within a DAT call is left to threads of the provider.
//
// A bound holds only while the threads of the test have a processor. So each test repeats its try
// until enough tries have kept the bound, and fails if too few ever do. A mechanism that is broken,
// or slower than promised, keeps the bound in no try. Tests in virtual time show that every single
// try keeps it (unit/progress/schedule_test.cc, sim/promise_test.cc).
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <string>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

#include "fixture.h"

namespace datum::test {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;

class Promise {
 public:
  explicit Promise(microseconds bound) : bound_(bound + time_on_the_way()) {}
  bool goes_on() const { return kept_ < kEnough && Clock::now() < end_; }
  void tried(Clock::duration took) {
    ++tries_;
    if (took <= bound_) ++kept_;
  }
  void expect_kept() const {
    EXPECT_EQ(kept_, kEnough) << "within " << bound_.count() << " us, of " << tries_ << " tries";
  }

 private:
  static constexpr int kEnough = 10;
  microseconds bound_;
  Clock::time_point end_ = Clock::now() + std::chrono::seconds(20);
  int kept_ = 0;
  int tries_ = 0;
};

// Seconds of processor time that this machine has given to other processes, since an arbitrary
// moment.
double given_to_others() {
  std::ifstream stat("/proc/stat");
  std::string name;
  std::array<double, 7> ticks{}; // user, nice, system, idle, iowait, irq, softirq: proc(5)
  stat >> name;
  for (double& each : ticks) stat >> each;
  rusage own{};
  ::getrusage(RUSAGE_SELF, &own);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  const double busy = ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6];
  return busy / static_cast<double>(::sysconf(_SC_CLK_TCK)) - seconds(own.ru_utime) -
         seconds(own.ru_stime);
}

// A promise that even a broken mechanism may keep now and then, for example if a queue happens to
// be short. So kEnough of kInARow tries in a row have to keep it. The time of a try is the
// processor time that this thread used.
class Usually {
 public:
  explicit Usually(microseconds bound) : bound_(bound + time_on_the_way()) {}
  bool goes_on() const { return kept_ < kEnough && Clock::now() < end_; }
  void begins() { begun_ = time_run(); }
  void ends() {
    const bool kept = time_run() - begun_ <= bound_;
    kept_ += (kept ? 1U : 0U) - (last_[tries_ % kInARow] ? 1U : 0U);
    last_[tries_++ % kInARow] = kept;
  }
  void expect_kept() const {
    // Threads that wake each other up are no faster than the processors that they are given.
    constexpr double kBusy = 2; // seconds, of the twenty that the tries may take
    if (kept_ < kEnough && given_to_others() - others_ > kBusy) {
      std::printf("not decided: others kept the processors busy\n");
      return;
    }
    EXPECT_GE(kept_, kEnough) << "within " << bound_.count() << " ns, of the last " << kInARow
                              << " of " << tries_ << " tries";
  }

 private:
  static constexpr std::size_t kInARow = 30;
  static constexpr unsigned kEnough = 15;
  static std::chrono::nanoseconds time_run() {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  }
  std::chrono::nanoseconds bound_;
  std::chrono::nanoseconds begun_{0};
  const double others_ = given_to_others();
  Clock::time_point end_ = Clock::now() + std::chrono::seconds(20);
  std::array<bool, kInARow> last_{};
  unsigned kept_ = 0; // in the last kInARow tries
  std::size_t tries_ = 0;
};

// A word in the memory of `to`. Each post() writes the next number into it over the connection.
class Counter {
 public:
  Counter(Side& from, Side& to) : from_(from), source_(from.buffer(8)), target_(to.buffer(8)) {}

  // Writes the next number and remembers the time.
  void post() {
    ++number_;
    word(source_).store(number_, std::memory_order_relaxed);
    posted_at_ = Clock::now();
    EXPECT_DAT_OK(post_write(from_.ep(), {source_.segment()}, target_.remote(), number_));
  }
  // Calls `meanwhile` until the number has arrived. Returns the time since post(). The test fails
  // if that time is kPatience or more.
  template <class Meanwhile>
  Clock::duration until_seen(Meanwhile&& meanwhile) {
    const Clock::time_point end = posted_at_ + microseconds(kPatience);
    while (word(target_).load(std::memory_order_acquire) != number_ && Clock::now() < end)
      meanwhile();
    const Clock::duration took = Clock::now() - posted_at_;
    EXPECT_LT(took, microseconds(kPatience));
    expect_dto(from_.request_evd(), from_.ep(), number_);
    return took;
  }

 private:
  static std::atomic_ref<std::uint64_t> word(Buffer& buffer) {
    return std::atomic_ref<std::uint64_t>(*reinterpret_cast<std::uint64_t*>(buffer.bytes().data()));
  }
  Side& from_;
  Buffer source_;
  Buffer target_;
  std::uint64_t number_ = 0;
  Clock::time_point posted_at_;
};

void no_call() {}

void spin_for(microseconds time) {
  const Clock::time_point end = Clock::now() + time;
  while (Clock::now() < end) no_call();
}

class RuleProgress : public Connected {
 protected:
  static void dequeue_nothing(DAT_EVD_HANDLE evd) {
    DAT_EVENT event{};
    EXPECT_EQ(DAT_GET_TYPE(dat_evd_dequeue(evd, &event)), DAT_QUEUE_EMPTY);
  }
};

// Rules: PROGRESS.2
TEST_F(RuleProgress, AfterTheLastDequeueAWriteIsSeenWithin200us) {
  Counter counter(active(), passive());
  Promise promise(microseconds(200));
  for (int turn = 0; promise.goes_on() && !HasFailure(); ++turn) {
    // Polls once, or so long that peers stop ringing.
    const Clock::time_point last = Clock::now() + microseconds(turn % 2 * 150);
    do dequeue_nothing(passive().recv_evd());
    while (Clock::now() < last);
    spin_for(microseconds(turn * 7 % 100));
    counter.post();
    promise.tried(counter.until_seen(no_call));
  }
  promise.expect_kept();
}

// A connection beside that of the fixture, on the same IAs.
struct Beside {
  explicit Beside(ConnectedPair& pair) : active(pair.active_ia()), passive(pair.passive_ia()) {
    establish(active, passive);
  }
  Side active;
  Side passive;
};

// Rules: PROGRESS.3
TEST_F(RuleProgress, PollingAnEmptyEvdDelaysNoOtherEndpointByMoreThan1ms) {
  Beside other(pair);
  Counter counter(other.active, other.passive);
  Promise promise(microseconds(1000));
  const auto poll = [&] { dequeue_nothing(passive().recv_evd()); };
  while (promise.goes_on() && !HasFailure()) {
    for (int i = 0; i < 100; ++i) poll();
    counter.post();
    promise.tried(counter.until_seen(poll));
  }
  promise.expect_kept();
}

// Rules: PROGRESS.3
TEST_F(RuleProgress, PollingAnEvdThatIsNeverEmptyDelaysNoOtherEndpointByMoreThan1ms) {
  Beside other(pair);
  const Evd full = create_evd(passive().ia(), DAT_EVD_SOFTWARE_FLAG);
  ASSERT_DAT_OK(post_software_event(full, pointer_value(1)));
  Counter counter(other.active, other.passive);
  Promise promise(microseconds(1000));
  const auto poll = [&] {
    DAT_EVENT event{};
    EXPECT_DAT_OK(post_software_event(full, pointer_value(1)));
    EXPECT_DAT_OK(dat_evd_dequeue(full, &event));
  };
  while (promise.goes_on() && !HasFailure()) {
    for (int i = 0; i < 100; ++i) dequeue_nothing(passive().recv_evd());
    for (int i = 0; i < 100; ++i) poll();
    counter.post();
    promise.tried(counter.until_seen(poll));
  }
  EXPECT_EQ(drain(full), 1);
  promise.expect_kept();
}

// More endpoints on the IAs of the fixture. Each has a large Write under way all the time.
class Streams {
 public:
  Streams(ConnectedPair& pair, int count)
      : active_(pair.active_ia()), passive_(pair.passive_ia()), source_(active_.buffer(large())),
        target_(passive_.buffer(large())) {
    for (int i = 0; i < count; ++i) {
      senders_.push_back(active_.another_ep());
      receivers_.push_back(passive_.another_ep());
      establish(senders_.back(), active_.connect_evd(), receivers_.back(), passive_.connect_evd(),
                passive_.ia());
    }
    for (Ep& each : senders_) post(each);
  }
  // Polls each side once. If a Write has completed, its endpoint gets the next Write.
  void look() {
    DAT_EVENT event{};
    EXPECT_EQ(DAT_GET_TYPE(dat_evd_dequeue(passive_.recv_evd(), &event)), DAT_QUEUE_EMPTY);
    if (dat_evd_dequeue(active_.request_evd(), &event) != DAT_SUCCESS) return;
    const DAT_DTO_COMPLETION_EVENT_DATA& done = event.event_data.dto_completion_event_data;
    EXPECT_EQ(done.status, DAT_DTO_SUCCESS);
    post(done.ep_handle);
  }

 private:
  // The simulator moves a message in one piece, so a long one would delay all the others.
  static std::size_t large() { return transport() == "sim" ? 16 * 1024 : 4 * 1024 * 1024; }
  void post(DAT_EP_HANDLE ep) {
    EXPECT_DAT_OK(post_write(ep, {source_.segment()}, target_.remote(), 0));
  }
  Side active_;
  Side passive_;
  Buffer source_;
  Buffer target_;
  std::vector<Ep> senders_;
  std::vector<Ep> receivers_;
};

// Rules: PROGRESS.3
TEST_F(RuleProgress, EndpointsThatWriteMuchDelayNoOtherByMoreThan1ms) {
  Counter counter(active(), passive());
  Streams streams(pair, 24);
  Usually promise(microseconds(1000));
  const auto look = [&] { streams.look(); };
  while (promise.goes_on() && !HasFailure()) {
    for (int i = 0; i < 100; ++i) look();
    promise.begins();
    counter.post();
    counter.until_seen(look);
    promise.ends();
  }
  promise.expect_kept();
}

// Rules: PROGRESS.5
TEST_F(RuleProgress, TheLastPostedOperationLeavesWithin100usThoughItsPosterCallsNothing) {
  constexpr std::size_t kLarge = 300'000; // more than one turn of a copy, and than the ring holds
  Buffer source = active().buffer(kLarge);
  Buffer target = passive().buffer(kLarge);
  Counter counter(active(), passive());
  Promise promise(microseconds(100 + 200 + 700)); // to leave, to be seen, to copy the large one
  DAT_UINT64 cookie = 1'000'000;
  while (promise.goes_on() && !HasFailure()) {
    ASSERT_DAT_OK(post_write(active().ep(), {source.segment()}, target.remote(), ++cookie,
                             DAT_COMPLETION_SUPPRESS_FLAG));
    counter.post();
    promise.tried(counter.until_seen(no_call));
  }
  promise.expect_kept();
}

// Before the counter's Write, the poster writes twice or writes something long.
// Rules: PROGRESS.5
TEST_F(RuleProgress, ItDoesSoAfterLongPollingToo) {
  constexpr std::size_t kLong = 20'000;
  Buffer source = active().buffer(kLong);
  Buffer target = passive().buffer(kLong);
  Counter counter(active(), passive());
  Usually promise(microseconds(100 + 200)); // to leave, to be seen; a backoff may end just then
  DAT_UINT64 cookie = 1'000'000;
  const auto write = [&](std::size_t size) {
    ASSERT_DAT_OK(post_write(active().ep(), {source.segment(0, size)}, target.remote(0, size),
                             ++cookie, DAT_COMPLETION_SUPPRESS_FLAG));
  };
  for (int turn = 0; promise.goes_on() && !HasFailure(); ++turn) {
    const Clock::time_point last = Clock::now() + microseconds(20'000);
    do dequeue_nothing(active().request_evd());
    while (Clock::now() < last);
    if (turn % 2 == 0)
      for (int i = 0; i < 2; ++i) write(8);
    else
      write(kLong);
    counter.post();
    promise.begins();
    counter.until_seen(no_call);
    promise.ends();
  }
  promise.expect_kept();
}

// What the whole process has used so far.
struct Used {
  Used() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const auto of = [](const timeval& time) {
      return std::chrono::seconds(time.tv_sec) + microseconds(time.tv_usec);
    };
    processor = of(used.ru_utime) + of(used.ru_stime);
    sleeps = used.ru_nvcsw;
  }
  microseconds processor; // user and kernel time
  long sleeps;            // of all threads
};

// A waiter, the two ends of a connection, and a background thread for each end, after they have had
// something to do. A thread that polls now and then, instead of being woken, sleeps more often. One
// that polls all the time uses a processor. The time alone does not tell the first: the end of the
// wait takes 10 us on one machine, and 5 ms in a virtual machine whose host has taken away memory
// that was idle for two seconds.
// Rules: PROGRESS.6
TEST_F(RuleProgress, AnIdleProcessUsesNoProcessor) {
  Counter counter(active(), passive());
  for (int i = 0; i < 100; ++i) {
    counter.post();
    counter.until_seen(no_call);
  }
  constexpr DAT_TIMEOUT kIdle = 2'000'000;
  const auto wait = [&](DAT_TIMEOUT time) {
    DAT_EVENT event;
    DAT_COUNT more = 0;
    EXPECT_DAT_TYPE(dat_evd_wait(passive().recv_evd(), time, 1, &event, &more),
                    DAT_TIMEOUT_EXPIRED);
  };
  wait(50'000); // until the provider has noticed that no thread polls
  const Used before;
  wait(kIdle);
  const Used after;
  EXPECT_LE(after.sleeps - before.sleeps, 20);
  EXPECT_LE(after.processor - before.processor, microseconds(20'000) * times_as_patient());
}

} // namespace
} // namespace datum::test
