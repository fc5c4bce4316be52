// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Every call of DAT, one at a time, while it lacks memory, a descriptor, or another resource that a
// system call can run out of. A call has several needs, for example each malloc() in it. The test
// makes the first need fail, then in another run the second need, and so on. Each need is tried
// twice: once it fails alone, and once it and all later needs fail until all objects are freed.
//
// With DATUM_TEST_LONG=1 the tests over TCP also try lasting shortages of everything but memory and
// descriptors. That takes minutes.
//
// These calls are not in the table:
// - The collectives. They answer DAT_NOT_IMPLEMENTED before they need anything.
// - dat_ib_print_counters. It queries the counters and prints a line.
// - The call that asks whether two IAs are paths of one adapter. No registry exports it.
//
// not-injected.txt names the system calls that never fail in these tests, with the reasons. Of the
// other system calls, these uses never fail: read and write on an eventfd, poll of one descriptor,
// EPOLL_CTL_MOD and EPOLL_CTL_DEL, and write to stderr, where a failure only costs a line of the
// log. tests/process/fork_test.cc tests fork.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "belongings.h"
#include "shortage.h"
#include "shortage_calls.h"
#include "status.h"
#include "transport.h"

namespace datum::test {

namespace {

constexpr std::int64_t kMostNeeds = 400;
constexpr std::int64_t kMostLooks = 6; // each failed look has the same effect

bool is_nothing_yet(DAT_RETURN answer) {
  return DAT_GET_TYPE(answer) == DAT_TIMEOUT_EXPIRED || DAT_GET_TYPE(answer) == DAT_QUEUE_EMPTY;
}

bool may_answer(Answers answers, DAT_RETURN answer) {
  if (answer == DAT_SUCCESS) return true;
  if (answers == Answers::kSuccess) return false;
  return is_shortage(answer) || (answers == Answers::kNothingYet && is_nothing_yet(answer));
}

struct Owned {
  std::ptrdiff_t descriptors = 0;
  std::ptrdiff_t threads = 0;
  std::int64_t mappings = 0;
  bool operator==(const Owned&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Owned& owned) {
  return out << owned.descriptors << " descriptors, " << owned.threads << " threads, "
             << owned.mappings << " mappings";
}

Owned owned_now() {
  return {descriptors_in_use(), threads_alive(), live_mappings()};
}

const char* name_of(Resource resource) {
  switch (resource) {
  case Resource::kNone: return "nothing";
  case Resource::kMemory: return "memory";
  case Resource::kDescriptors: return "descriptors";
  case Resource::kMappings: return "mappings";
  case Resource::kFileSpace: return "file space";
  case Resource::kWatches: return "watches";
  case Resource::kThreads: return "threads";
  case Resource::kSockets: return "sockets";
  case Resource::kFiles: return "files";
  case Resource::kTraffic: return "traffic";
  case Resource::kOptions: return "socket options";
  case Resource::kProc: return "kernel memory";
  case Resource::kWaits: return "waits";
  case Resource::kPeers: return "peers";
  case Resource::kLooks: return "looks";
  case Resource::kPermission: return "permission";
  }
  return "?";
}

// tell_place() prints this if an exception ends the program.
char place[160] = "";

void tell_place() {
  static_cast<void>(::write(STDERR_FILENO, place, std::char_traits<char>::length(place)));
  std::abort();
}

class ShortageAt : public testing::TestWithParam<ShortCall> {
 protected:
  void SetUp() override { before_ = std::set_terminate(&tell_place); }
  void TearDown() override { std::set_terminate(before_); }

  struct Life {
    bool failed = false;  // a call has failed
    bool refused = false; // the answer was a shortage
    std::int64_t needs = 0;
  };

  // Builds a stage, makes the call of the row while need `number` fails, and ends the stage. With 0
  // no need fails.
  Life live(Resource resource, std::uint32_t number, Lasting lasting) {
    const ShortCall& row = GetParam();
    std::snprintf(place, sizeof place, "ended in %s, short of %s at %u %s\n", row.name,
                  name_of(resource), number, lasting == Lasting::kOnce ? "once" : "from then on");
    Stage stage;
    const bool ready =
        stage.build(ia_name().c_str()) && (row.before == nullptr || (stage.*row.before)());
    EXPECT_TRUE(ready) << "not ready";
    Life life;
    fail_call(number == 0 ? Resource::kNone : resource, number, lasting);
    const DAT_RETURN answer = row.call(stage);
    life.needs = calls_for(resource);
    DAT_RETURN again = DAT_SUCCESS;
    if (lasting == Lasting::kFromThenOn) {
      stage.end();
      life.failed = end_shortage();
    } else {
      life.failed = end_shortage();
      if (answer != DAT_SUCCESS) again = repeat(stage, answer);
      if (again == DAT_SUCCESS && row.after != nullptr) (stage.*row.after)();
      stage.end();
    }
    life.refused = is_shortage(answer);
    EXPECT_TRUE(may_answer(row.answers, answer)) << status_name(answer);
    EXPECT_EQ(again, DAT_SUCCESS) << "when there is enough again: " << status_name(again);
    EXPECT_EQ(stage.wrong_call(), nullptr)
        << stage.wrong_call() << ": " << status_name(stage.wrong_answer());
    return life;
  }

  // Over TCP a shortage that prevents sending makes a close wait for a second.
  static bool is_quick(Resource resource) {
    return transport() != "tcp" || resource == Resource::kMemory ||
           resource == Resource::kDescriptors;
  }
  static bool is_long() { return std::getenv("DATUM_TEST_LONG") != nullptr; }

  // The failed call has changed nothing, so it can be made again.
  static DAT_RETURN repeat(Stage& stage, DAT_RETURN answer) {
    constexpr int kTries = 3000;
    answer = GetParam().call(stage);
    for (int i = 0; i < kTries && is_nothing_yet(answer); ++i) {
      ::usleep(1000);
      answer = GetParam().call(stage);
    }
    return answer;
  }

  void expect_nothing_lost(Resource resource, std::uint32_t number, Lasting lasting,
                           const Owned& before, std::int64_t blocks_before) {
    EXPECT_EQ(owned_now(), before);
    // Datum keeps some memory for later use. But lost memory would be lost again in each run.
    constexpr int kTimes = 3;
    std::int64_t had = blocks_before;
    for (int i = 0; i < kTimes; ++i) {
      if (live_blocks() <= had) return;
      had = live_blocks();
      live(resource, number, lasting);
    }
    EXPECT_LE(live_blocks(), had) << "blocks of memory are lost each time";
  }

  void lack(Resource resource, Lasting lasting) {
    const std::int64_t most = resource == Resource::kLooks ? kMostLooks : kMostNeeds;
    const std::int64_t needs = std::min(live(resource, 0, lasting).needs, most);
    // With one more number, the call succeeds, and the objects are freed while every need fails.
    const std::int64_t last = needs + (lasting == Lasting::kFromThenOn ? 1 : 0);
    for (std::uint32_t number = 1; number <= last && !HasFailure(); ++number) {
      SCOPED_TRACE(testing::Message() << "short of " << name_of(resource) << " at " << number
                                      << (lasting == Lasting::kOnce ? " once" : " from then on"));
      const Owned owned = owned_now();
      const std::int64_t blocks_before = live_blocks();
      live(resource, number, lasting);
      expect_nothing_lost(resource, number, lasting, owned, blocks_before);
    }
  }

 private:
  std::terminate_handler before_ = nullptr;
};

// Rules: CONV.21
TEST_P(ShortageAt, EachNeedIsAnsweredClearlyAndNothingIsLost) {
  static int warm_ups = 40; // some memory is allocated once, or is reused late
  for (int i = 0; i < warm_ups; ++i) live(Resource::kNone, 0, Lasting::kOnce);
  warm_ups = 3;
  for (int each = 1; each < kResources && !HasFailure(); ++each) {
    const auto resource = static_cast<Resource>(each);
    lack(resource, Lasting::kOnce);
    if (is_quick(resource) || is_long()) lack(resource, Lasting::kFromThenOn);
  }
}

// A system call that can be made to fail. If no row of the table makes the call over every
// transport, `elsewhere` names the transport or the test in which it is made to fail.
struct InFront {
  const char* name;
  const char* elsewhere = nullptr;
};

constexpr const char* kOnlyOverShm = "shm"; // the call is made only over this transport
constexpr const char* kOnlyOverTcp = "tcp";
constexpr const char* kAtTheFirstOpen = "FirstOpen";

// tests/process/injected-calls.sh compares this list with the calls of the libraries.
constexpr InFront kInFront[] = {
    {"accept4"},
    {"access", kAtTheFirstOpen},
    {"bind"},
    {"connect"},
    {"dup3", "ForkGuard.ALoweredLimitLeavesTheChildNoCopy, .ARefusedCallLeavesTheChildNoCopy"},
    {"epoll_create1"},
    {"epoll_ctl"},
    {"epoll_pwait2"},
    {"epoll_wait"},
    {"eventfd"},
    {"fcntl", kOnlyOverShm},
    {"fopen"},
    {"fstat"},
    {"fstatfs", kOnlyOverShm},
    {"ftruncate", kOnlyOverShm},
    {"getifaddrs"},
    {"getpeername", kOnlyOverTcp},
    {"getrandom"},
    {"getrlimit", kAtTheFirstOpen},
    {"getsockname"},
    {"getsockopt"},
    {"ioctl"},
    {"listen"},
    {"madvise", kOnlyOverShm},
    {"membarrier", kOnlyOverShm},
    {"memfd_create", kOnlyOverShm},
    {"mmap"},
    {"mprotect", kAtTheFirstOpen},
    {"mremap", "Quiesce.*: for a peer that is stopped; where it fails a line says so"},
    {"msync", "ShortageAtRegistration.AHoleIsStillNoShortage"},
    {"nanosleep", "whenever a peer, or a fork, is slow; then it is waited for without a rest"},
    {"open"},
    {"opendir"},
    {"pidfd_open", kOnlyOverShm},
    {"poll",
     "TcpTransport: two connections that close with octets unsent; then they are not waited "
     "for"},
    {"ppoll"},
    {"prctl"},
    {"pread", kOnlyOverShm},
    {"process_vm_readv"},
    {"process_vm_writev", kOnlyOverShm},
    {"pthread_create"},
    {"pthread_setname_np"},
    {"pwrite", kOnlyOverShm},
    {"read"},
    {"readv", kOnlyOverTcp},
    {"recv"},
    {"recvmsg", kOnlyOverShm},
    {"send", kOnlyOverShm},
    {"sendmsg"},
    {"setsockopt"},
    {"sched_getaffinity"},
    {"socket"},
    {"stat", kAtTheFirstOpen},
    {"timerfd_create"},
    {"timerfd_settime", "KernelPlaces.ARefusedPromptWakeLetsASleepEndByItself"},
    {"write", "MemoryFile.ALimitOnFilesIsAnError"},
};

// If no row of the table made a system call, the tests could never make that call fail. The rows of
// DAT 2.0 make no further system calls.
// Rules: CONV.21
TEST(ShortageCalls, EachCallThatCanBeMadeToFailComes) {
  for (const ShortCall& row : short_calls()) {
    Stage stage;
    const bool ready =
        stage.build(ia_name().c_str()) && (row.before == nullptr || (stage.*row.before)());
    EXPECT_TRUE(ready) << row.name;
    fail_call(Resource::kNone, 0, Lasting::kOnce);
    const DAT_RETURN answer = row.call(stage);
    if (answer == DAT_SUCCESS && row.after != nullptr) (stage.*row.after)();
    stage.end();
    end_shortage();
  }
  for (const InFront& call : kInFront) {
    const bool here = call.elsewhere == nullptr || call.elsewhere == transport();
    if (here) {
      EXPECT_TRUE(was_called(call.name)) << call.name << " is made to fail, but never called";
    }
  }
}

using ShortageOfMemory = ShortageAt;

// Rules: dat_psp_create_any.R13 dat_ep_dup_connect.R17
TEST_P(ShortageOfMemory, IsTheAnswer) {
  const std::int64_t needs = live(Resource::kMemory, 0, Lasting::kOnce).needs;
  int refused = 0;
  for (std::uint32_t number = 1; number <= needs && !HasFailure(); ++number)
    refused += live(Resource::kMemory, number, Lasting::kOnce).refused ? 1 : 0;
  EXPECT_GT(refused, 0) << needs << " needs";
}

// The calls for which no other test expects DAT_INSUFFICIENT_RESOURCES.
std::vector<ShortCall> calls_that_need_memory() {
  std::vector<ShortCall> found;
  for (const ShortCall& call : short_calls()) {
    const std::string_view name = call.name;
    if (name == "psp_create_any" || name == "ep_dup_connect") found.push_back(call);
  }
  return found;
}

DAT_PROVIDER_INFO numbered(int number) {
  DAT_PROVIDER_INFO info{};
  std::snprintf(info.ia_name, sizeof info.ia_name, "a-provider-that-is-number-%d", number);
  info.dapl_version_major = kApiMajor;
  info.dapl_version_minor = kApiMinor;
  return info;
}

// Adding one provider may need no memory, so the test adds several.
// Rules: dat_registry_add_provider.R5
TEST(ShortageAtAProvider, IsTheAnswerAndAddsNothing) {
  constexpr int kMost = 100;
  static DAT_PROVIDER table{};
  table.ia_open_func = [](const DAT_NAME_PTR, DAT_COUNT, DAT_EVD_HANDLE*, DAT_IA_HANDLE*) {
    return DAT_RETURN{DAT_CLASS_ERROR | DAT_INTERNAL_ERROR};
  };
  DAT_RETURN answer = DAT_SUCCESS;
  int added = 0;
  for (; answer == DAT_SUCCESS && added != kMost; added += answer == DAT_SUCCESS ? 1 : 0) {
    const DAT_PROVIDER_INFO info = numbered(added);
    fail_call(Resource::kMemory, 1, Lasting::kOnce);
    answer = dat_registry_add_provider(&table, &info);
    end_shortage();
  }
  EXPECT_DAT_ERROR(answer, DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_MEMORY);
  const DAT_PROVIDER_INFO refused = numbered(added);
  EXPECT_DAT_TYPE(dat_registry_remove_provider(&table, &refused), DAT_INVALID_PARAMETER);
  EXPECT_DAT_OK(dat_registry_add_provider(&table, &refused));
  for (int number = 0; number <= added; ++number) {
    const DAT_PROVIDER_INFO info = numbered(number);
    EXPECT_DAT_OK(dat_registry_remove_provider(&table, &info));
  }
}

std::string name_of_call(const testing::TestParamInfo<ShortCall>& one) {
  return one.param.name;
}

#if DATUM_DAT_MAJOR == 2
INSTANTIATE_TEST_SUITE_P(OfDat2, ShortageAt,
                         testing::ValuesIn(short_calls_of_dat2().begin(),
                                           short_calls_of_dat2().end()),
                         name_of_call);
#endif

INSTANTIATE_TEST_SUITE_P(Call, ShortageOfMemory, testing::ValuesIn(calls_that_need_memory()),
                         name_of_call);
INSTANTIATE_TEST_SUITE_P(Call, ShortageAt,
                         testing::ValuesIn(short_calls().begin(), short_calls().end()),
                         name_of_call);

} // namespace

} // namespace datum::test
