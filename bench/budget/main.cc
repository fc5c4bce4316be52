// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// datum-budget: the fixed program whose calls scripts/budget.py counts under callgrind.
// It makes rounds of calls of DAT 1.2, one thread for both ends. For each piece, that is one call
// of a round, it makes all rounds again, and callgrind collects during that call alone: it is told
// to toggle at budget_counted and to dump after budget_counted_enough. One line of output for each
// dump: the piece and the number of rounds. Without callgrind it counts nothing, and only says
// whether every call found what it should.
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <span>
#include <thread>

#include "budget/settled_sockets.h"
#include "budget/still_clock.h"
#include "budget/two_ends.h"

namespace {

using budget::TwoEnds;
using Call = bool (*)(TwoEnds&);

struct Step {
  const char* piece; // nullptr: not counted
  Call call;
};

// Of 64, so that each call of a round has its share of what only each 64th poll does.
constexpr int kRounds = 1024;
// The clock moves so little between two calls, and the processor is fast: what depends on how often
// something is called is counted as it is, and what depends on time alone hardly comes.
constexpr long kPace = 10;

constexpr Call kInitiatorLooks = [](TwoEnds& ends) { return ends.initiator.find_nothing(); };
constexpr Call kTargetLooks = [](TwoEnds& ends) { return ends.target.find_nothing(); };
constexpr Call kInitiatorReaps = [](TwoEnds& ends) { return ends.initiator.take_request(); };

// Each adapter polls an odd number of times in a round, so that what only each 64th or each eighth
// poll does comes to each of the calls as often.

// The receiver says nothing itself, so the acknowledgement goes alone.
constexpr Step kSend[] = {
    {"send/target/post_recv", [](TwoEnds& ends) { return ends.target.post_recv(); }},
    {"send/initiator/post_send", [](TwoEnds& ends) { return ends.initiator.post_send(); }},
    {"send/target/dequeue-message", [](TwoEnds& ends) { return ends.target.take_receive(); }},
    {"send/target/dequeue-empty-after", kTargetLooks},
    {"send/initiator/dequeue-completion", kInitiatorReaps},
    {"send/initiator/dequeue-empty-after", kInitiatorLooks},
    {nullptr, kTargetLooks},
    {nullptr, kInitiatorLooks},
};

constexpr Step kWrite[] = {
    {"write/initiator/post_rdma_write",
     [](TwoEnds& ends) { return ends.initiator.post_rdma_write(ends.target); }},
    {"write/target/dequeue-places", kTargetLooks},
    {"write/target/dequeue-empty-after", kTargetLooks},
    {"write/initiator/dequeue-completion", kInitiatorReaps},
    {"write/initiator/dequeue-empty-after", kInitiatorLooks},
    {nullptr, kTargetLooks},
    {nullptr, kInitiatorLooks},
};

constexpr Step kRead[] = {
    {"read/initiator/post_rdma_read",
     [](TwoEnds& ends) { return ends.initiator.post_rdma_read(ends.target); }},
    {"read/target/dequeue-serves", kTargetLooks},
    {"read/target/dequeue-empty-after", kTargetLooks},
    {"read/initiator/dequeue-completion", kInitiatorReaps},
    {"read/initiator/dequeue-empty-after", kInitiatorLooks},
    {nullptr, kTargetLooks},
    {nullptr, kInitiatorLooks},
};

constexpr Step kIdle[] = {
    {"idle/initiator/dequeue-empty", kInitiatorLooks},
    {"idle/target/dequeue-empty", kTargetLooks},
};

// Answers carry the acknowledgements. Both sides make the same calls; those of one are counted.
constexpr Step kPingPong[] = {
    {"ping-pong/post_send", [](TwoEnds& ends) { return ends.initiator.post_send(); }},
    {nullptr, [](TwoEnds& ends) { return ends.target.take_receive(); }},
    {nullptr, [](TwoEnds& ends) { return ends.target.take_request(); }},
    {nullptr, [](TwoEnds& ends) { return ends.target.post_recv(); }},
    {nullptr, [](TwoEnds& ends) { return ends.target.post_send(); }},
    {"ping-pong/dequeue-message", [](TwoEnds& ends) { return ends.initiator.take_receive(); }},
    {"ping-pong/dequeue-completion", kInitiatorReaps},
    {"ping-pong/post_recv", [](TwoEnds& ends) { return ends.initiator.post_recv(); }},
};

// What a round of kPingPong finds there: a Recv at each end, and a Send of the target's under way.
constexpr Step kServe[] = {
    {nullptr, [](TwoEnds& ends) { return ends.initiator.post_recv(); }},
    {nullptr, [](TwoEnds& ends) { return ends.target.post_recv(); }},
    {nullptr, [](TwoEnds& ends) { return ends.target.post_send(); }},
    {nullptr, [](TwoEnds& ends) { return ends.initiator.take_receive(); }},
    {nullptr, [](TwoEnds& ends) { return ends.initiator.post_recv(); }},
};

} // namespace

// Callgrind knows these two by their names.
extern "C" {
bool budget_counted(Call call, TwoEnds& ends);
void budget_counted_enough();

bool budget_counted(Call call, TwoEnds& ends) {
  return call(ends);
}
void budget_counted_enough() {}
}

namespace {

// Nothing that is known when the program is compiled is called through them, so neither is inlined
// nor gets another name.
bool (*volatile counted)(Call, TwoEnds&) = &budget_counted;
void (*volatile counted_enough)() = &budget_counted_enough;

class Program {
 public:
  bool run() {
    if (!ends_.open())
      return failed("two adapters could not be connected; DATUM_LOG=info says why");
    sockets_ = budget::SettledSockets::of_this_process();
    budget::hold_clock();
    const bool done = let_others_sleep() && count(kSend) && count(kWrite) && count(kRead) &&
                      count(kIdle) && rounds(kServe, nullptr, 1) && count(kPingPong);
    const bool alone = budget::wakes() == wakes_;
    budget::release_clock();
    return done && (alone || failed("a background thread was woken while calls were counted"));
  }

 private:
  static bool failed(const char* why) {
    std::fprintf(stderr, "datum-budget: %s\n", why);
    return false;
  }

  // Backoffs that began on the machine's clock end, and find a thread that polls; a poll may wake a
  // thread that slept before there was one. All is still when a thousand polls have woken none.
  bool let_others_sleep() {
    constexpr int kTries = 100;
    for (int i = 0; i < kTries; ++i) {
      wakes_ = budget::wakes();
      if (!rounds(kIdle, nullptr, kRounds)) return false;
      if (!all_asleep()) return failed("a background thread did not go to sleep");
      if (budget::wakes() == wakes_) return true;
    }
    return failed("polling woke a background thread again and again");
  }

  static bool all_asleep() {
    constexpr int kPatience = 10'000; // milliseconds
    for (int i = 0; i < kPatience; ++i) {
      if (budget::threads_asleep() == other_threads()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
  }
  static int other_threads() {
    const std::filesystem::directory_iterator tasks("/proc/self/task");
    return static_cast<int>(std::distance(begin(tasks), end(tasks))) - 1;
  }

  bool count(std::span<const Step> steps) {
    if (!rounds(steps, nullptr, kRounds)) return false;
    for (const Step& step : steps) {
      if (step.piece == nullptr) continue;
      if (!rounds(steps, &step, kRounds)) return false;
      counted_enough();
      std::printf("%s %d\n", step.piece, kRounds);
    }
    return true;
  }

  bool rounds(std::span<const Step> steps, const Step* wanted, int times) {
    for (int round = 0; round < times; ++round)
      for (const Step& step : steps)
        if (!make(step, &step == wanted)) return false;
    return true;
  }

  bool make(const Step& step, bool counts) {
    budget::advance_clock(kPace);
    if (!sockets_.settle()) return failed("what was sent over TCP did not arrive");
    if (counts ? counted(step.call, ends_) : step.call(ends_)) return true;
    return failed(step.piece != nullptr ? step.piece : "a call that is not counted");
  }

  TwoEnds ends_;
  budget::SettledSockets sockets_; // none where the adapters share memory
  unsigned wakes_ = 0;
};

} // namespace

int main() {
  return Program().run() ? 0 : 1;
}
