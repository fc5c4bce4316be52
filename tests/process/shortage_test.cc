// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Memory, descriptors, mappings, file space, watches, threads, or the buffers of sockets and files
// run out. The tests let this happen at each single call that needs the resource.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <string>

#include "belongings.h"
#include "connection.h"
#include "registration.h"
#include "shortage.h"
#include "shortage_life.h"

namespace datum::test {

namespace {

constexpr std::uint32_t kMostCalls = 20'000;

struct Belongings {
  std::ptrdiff_t descriptors = 0;
  int shared_mappings = 0;
  std::ptrdiff_t threads = 0;
  bool operator==(const Belongings&) const = default;
};

Belongings belongings() {
  Belongings now;
  now.descriptors = descriptors_in_use();
  now.threads = threads_alive();
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    now.shared_mappings += line.find("/memfd:") != std::string::npos ? 1 : 0;
  return now;
}

std::ostream& operator<<(std::ostream& out, const Belongings& b) {
  return out << b.descriptors << " descriptors, " << b.shared_mappings << " shared mappings, "
             << b.threads << " threads";
}

// Another connection of the process, which a shortage must not harm.
class Bystander {
 public:
  Bystander() : source_(pair_.active().buffer(kBytes)), target_(pair_.passive().buffer(kBytes)) {}
  void expect_unharmed() {
    source_.fill(++seed_);
    EXPECT_DAT_OK(post_recv(pair_.passive().ep(), {target_.segment()}, 1));
    EXPECT_DAT_OK(post_send(pair_.active().ep(), {source_.segment()}, 2));
    expect_dto(pair_.passive().recv_evd(), pair_.passive().ep(), 1);
    expect_dto(pair_.active().request_evd(), pair_.active().ep(), 2);
    EXPECT_TRUE(target_.holds(seed_, 0, kBytes));
  }

 private:
  static constexpr std::size_t kBytes = 3000;
  ConnectedPair pair_;
  Buffer source_;
  Buffer target_;
  std::uint8_t seed_ = 0;
};

struct Case {
  Resource resource;
  Lasting lasting;
  const char* name;
};

// Returns 0 if the IA was opened and closed although a call failed, 1 if the open reported a
// shortage, 2 for any other answer, and 3 if no call failed.
int open_for_the_first_time(Resource resource, std::uint32_t number) {
  DAT_IA_HANDLE opened = DAT_HANDLE_NULL;
  DAT_EVD_HANDLE async = DAT_HANDLE_NULL;
  fail_call(resource, number, Lasting::kOnce);
  const DAT_RETURN answer = dat_ia_open(const_cast<char*>(ia_name().c_str()), 8, &async, &opened);
  const bool failed = end_shortage();
  if (answer == DAT_SUCCESS)
    return dat_ia_close(opened, DAT_CLOSE_ABRUPT_FLAG) != DAT_SUCCESS ? 2 : failed ? 0 : 3;
  // To an open, a library or a dat.conf that cannot be read is the same as one that does not exist.
  const DAT_RETURN type = DAT_GET_TYPE(answer);
  return type == DAT_INSUFFICIENT_RESOURCES || type == DAT_PROVIDER_NOT_FOUND ? 1 : 2;
}

// TCP alone makes no shared files. It reads files only at the first open of a process.
bool is_needed(Resource resource) {
  return transport() != "tcp" || (resource != Resource::kFileSpace &&
                                  resource != Resource::kFiles && resource != Resource::kProc);
}

class FirstOpen : public testing::TestWithParam<Resource> {};

// Each open happens in a new process that has loaded no library of Datum yet.
// Rules: dat_ia_open.R21
TEST_P(FirstOpen, WorksOrFailsClearly) {
  int status = 0;
  std::uint32_t number = 1;
  for (; WEXITSTATUS(status) != 3 && number < kMostCalls && !HasFailure(); ++number) {
    const pid_t child = fork();
    if (child == 0) _exit(open_for_the_first_time(GetParam(), number));
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status)) << "call " << number << ": ended by " << WTERMSIG(status);
    EXPECT_NE(WEXITSTATUS(status), 2) << "call " << number;
  }
  EXPECT_TRUE(number > 2U || !is_needed(GetParam())) << "no call failed";
}

std::string name_of_resource(const testing::TestParamInfo<Resource>& info) {
  switch (info.param) {
  case Resource::kMemory: return "Memory";
  case Resource::kDescriptors: return "Descriptors";
  case Resource::kFiles: return "Files";
  case Resource::kProc: return "KernelMemory";
  case Resource::kPermission: return "Permission";
  default: return "Mappings";
  }
}

INSTANTIATE_TEST_SUITE_P(Of, FirstOpen,
                         testing::Values(Resource::kMemory, Resource::kDescriptors,
                                         Resource::kMappings, Resource::kFiles, Resource::kProc,
                                         Resource::kPermission),
                         name_of_resource);

class Shortage : public testing::TestWithParam<Case> {
 protected:
  // Returns whether a call failed.
  bool live_once(Resource resource, std::uint32_t number) {
    const bool once = GetParam().lasting == Lasting::kOnce;
    // If the shortage lasts, no event may come, so the life waits only for a short time.
    const bool patient = once || resource == Resource::kNone;
    ShortLife life(ia_name().c_str(), patient ? 1'000'000 : 30'000);
    fail_call(resource, number, GetParam().lasting);
    life.live();
    const bool failed = end_shortage();
    life.end();
    completed_ = life.completed();
    EXPECT_EQ(life.wrong_call(), nullptr)
        << life.wrong_call() << ": " << status_name(life.wrong_answer());
    // A dial over shared memory that once lacked a descriptor is tried again, so the connection is
    // not refused. Over TCP the peer gets a refusal.
    EXPECT_FALSE(life.refused() && once && resource != Resource::kMemory && transport() == "shm");
    return failed;
  }
  bool completed_ = false;
};

// Rules: CONV.21 dat_cno_create.R8 dat_ep_connect.R26 dat_ia_open.R21 dat_psp_create.R18
// Rules: dat_rsp_create.R17
TEST_P(Shortage, IsAnsweredClearlyAndHarmsNothing) {
  Bystander bystander;
  for (int i = 0; i < 40; ++i) { // some memory is allocated once, or is reused late
    live_once(Resource::kNone, 0);
    ASSERT_TRUE(completed_);
  }
  bystander.expect_unharmed();
  const Belongings owned = belongings();
  const std::int64_t before = live_blocks();
  std::uint32_t number = 1;
  const std::uint32_t stride = GetParam().lasting == Lasting::kOnce ? 1 : 3;
  for (bool failed = true; failed && number < kMostCalls && !HasFailure(); number += stride) {
    SCOPED_TRACE(testing::Message() << "call number " << number);
    failed = live_once(GetParam().resource, number);
    bystander.expect_unharmed();
    EXPECT_EQ(belongings(), owned);
    EXPECT_LT(live_blocks() - before, 32) << "memory was lost";
  }
  EXPECT_TRUE(number > 2U || !is_needed(GetParam().resource)) << "no call failed";
  RecordProperty("calls", static_cast<int>(number));
}

INSTANTIATE_TEST_SUITE_P(
    Of, Shortage,
    testing::Values(Case{Resource::kMemory, Lasting::kOnce, "Memory"},
                    Case{Resource::kMemory, Lasting::kFromThenOn, "AllMemory"},
                    Case{Resource::kDescriptors, Lasting::kOnce, "Descriptors"},
                    Case{Resource::kDescriptors, Lasting::kFromThenOn, "AllDescriptors"},
                    Case{Resource::kMappings, Lasting::kOnce, "Mappings"},
                    Case{Resource::kMappings, Lasting::kFromThenOn, "AllMappings"},
                    Case{Resource::kFileSpace, Lasting::kOnce, "FileSpace"},
                    Case{Resource::kFileSpace, Lasting::kFromThenOn, "AllFileSpace"},
                    Case{Resource::kWatches, Lasting::kOnce, "Watches"},
                    Case{Resource::kWatches, Lasting::kFromThenOn, "AllWatches"},
                    Case{Resource::kThreads, Lasting::kOnce, "Threads"},
                    Case{Resource::kSockets, Lasting::kOnce, "Sockets"},
                    Case{Resource::kSockets, Lasting::kFromThenOn, "AllSockets"},
                    Case{Resource::kFiles, Lasting::kOnce, "Files"},
                    Case{Resource::kFiles, Lasting::kFromThenOn, "AllFiles"},
                    Case{Resource::kPermission, Lasting::kOnce, "Permission"},
                    Case{Resource::kPermission, Lasting::kFromThenOn, "AllPermission"}),
    [](const testing::TestParamInfo<Case>& one) { return std::string(one.param.name); });

// Rules: dat_ia_open.R21
TEST(ShortageAtOpen, LeavesTheEvdThatWasPassedInToItsOwner) {
  const Ia owner = open_ia();
  std::uint32_t number = 1;
  for (bool failed = true; failed && number < kMostCalls && !HasFailure(); ++number) {
    DAT_EVD_HANDLE evd = DAT_HANDLE_NULL;
    ASSERT_DAT_OK(dat_evd_create(owner, 8, DAT_HANDLE_NULL, DAT_EVD_ASYNC_FLAG, &evd));
    DAT_IA_HANDLE opened = DAT_HANDLE_NULL;
    fail_call(Resource::kMemory, number, Lasting::kOnce);
    const DAT_RETURN answer = dat_ia_open(const_cast<char*>(ia_name().c_str()), 8, &evd, &opened);
    failed = end_shortage();
    if (answer == DAT_SUCCESS) {
      EXPECT_DAT_OK(dat_ia_close(opened, DAT_CLOSE_ABRUPT_FLAG));
    }
    EXPECT_DAT_OK(dat_evd_free(evd)) << "call " << number;
  }
  EXPECT_GT(number, 2U) << "no call failed";
}

// Rules: dat_ia_open.R21 MESSAGE.2
TEST(ShortageAtOpen, OfThreadsIsExplainedWithTheLimitToRaise) {
  DAT_EVD_HANDLE async = DAT_HANDLE_NULL;
  DAT_IA_HANDLE opened = DAT_HANDLE_NULL;
  testing::internal::CaptureStderr();
  fail_call(Resource::kThreads, 1, Lasting::kOnce);
  const DAT_RETURN answer = dat_ia_open(const_cast<char*>(ia_name().c_str()), 8, &async, &opened);
  end_shortage();
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_DAT_ERROR(answer, DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_DEVICE);
  EXPECT_NE(said.find("its thread cannot be created: Resource temporarily unavailable"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("`ulimit -u`"), std::string::npos) << said;
}

// Tries to make a service point while the next call for that resource fails. Returns the log lines.
std::string said_without(DAT_IA_HANDLE ia, Resource resource) {
  const Evd evd = create_evd(ia, DAT_EVD_CR_FLAG);
  const DAT_CONN_QUAL qualifier = free_qualifier();
  Psp psp;
  testing::internal::CaptureStderr();
  fail_call(resource, 1, Lasting::kOnce);
  const DAT_RETURN answer = dat_psp_create(ia, qualifier, evd, DAT_PSP_CONSUMER_FLAG, psp.out());
  end_shortage();
  EXPECT_DAT_ERROR(answer, DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_DEVICE);
  return testing::internal::GetCapturedStderr();
}

// Rules: dat_psp_create.R18 tcp.R10 tcp.R11
TEST(ShortageAtAServicePoint, IsNamedAsWhatItIs) {
  const Ia ia = open_ia();
  Bystander bystander;
  // The log has a line about each resource, even if it has just had a line about another.
  std::string said = said_without(ia, Resource::kDescriptors);
  EXPECT_NE(said.find("no socket for it: Too many open files;"), std::string::npos) << said;
  EXPECT_NE(said.find("`ulimit -n`"), std::string::npos) << said;
  said = said_without(ia, Resource::kSockets);
  EXPECT_NE(said.find("no socket for it: No buffer space available; the kernel has no memory"),
            std::string::npos)
      << said;
  EXPECT_EQ(said.find("`ulimit -n`"), std::string::npos) << said;
  said = said_without(ia, Resource::kWatches);
  EXPECT_NE(said.find("cannot be watched: No space left on device;"), std::string::npos) << said;
  EXPECT_NE(said.find("fs.epoll.max_user_watches"), std::string::npos) << said;
  // The log does not repeat a shortage that lasts.
  EXPECT_EQ(said_without(ia, Resource::kDescriptors), "");
  bystander.expect_unharmed();
}

// Rejects each request until the requester gets an event. A request without an answer would keep
// its adapter in use.
void refuse(const Side& asking, const Listener& listener) {
  DAT_EVENT event;
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(kPatience);
  while (std::chrono::steady_clock::now() < end) {
    if (dat_evd_dequeue(asking.connect_evd(), &event) == DAT_SUCCESS) return;
    if (dat_evd_dequeue(listener.evd(), &event) != DAT_SUCCESS) continue;
    EXPECT_DAT_OK(dat_cr_reject(event.event_data.cr_arrival_event_data.cr_handle));
  }
  ADD_FAILURE() << "nobody was told anything";
}

// Asks for a connection while call number `number` for that resource fails. Returns false if no
// call failed.
bool connect_without(DAT_IA_HANDLE ia, const Listener& listener, Resource resource,
                     std::uint32_t number = 1) {
  Side side(ia);
  fail_call(resource, number, Lasting::kOnce);
  const DAT_RETURN answer = connect(side.ep(), listener);
  const bool failed = end_shortage();
  // Without memory the connect may still succeed, since it can do without some of the memory.
  const bool has_to_fail = failed && resource != Resource::kMemory;
  EXPECT_EQ(DAT_GET_TYPE(answer) == DAT_INSUFFICIENT_RESOURCES,
            has_to_fail || answer != DAT_SUCCESS)
      << status_name(answer);
  if (answer == DAT_SUCCESS) refuse(side, listener);
  return failed;
}

// Rules: dat_ep_connect.R26 tcp.R2 tcp.R11
TEST(ShortageAtAConnect, IsNamedAsWhatItIs) {
  if (transport() != "tcp") GTEST_SKIP() << "over shared memory a connect waits for what it lacks";
  const Ia ia = open_ia();
  Bystander bystander;
  Listener listener(ia, DAT_PSP_CONSUMER_FLAG, 64);
  testing::internal::CaptureStderr();
  EXPECT_TRUE(connect_without(ia, listener, Resource::kSockets));
  EXPECT_TRUE(connect_without(ia, listener, Resource::kWatches));
  std::uint32_t number = 1;
  while (number < kMostCalls && connect_without(ia, listener, Resource::kMemory, number)) ++number;
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_LT(number, kMostCalls);
  EXPECT_NE(said.find("no connection can be made: No buffer space available; the kernel has no "
                      "memory"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("cannot be watched: No space left on device;"), std::string::npos) << said;
  EXPECT_NE(said.find("fs.epoll.max_user_watches"), std::string::npos) << said;
  EXPECT_NE(said.find("no connection can be made: Cannot allocate memory; this process"),
            std::string::npos)
      << said;
  EXPECT_EQ(said.find("`ulimit -n`"), std::string::npos) << said;
  bystander.expect_unharmed();
}

// Lowers the limit itself, instead of making a call fail.
class NoMoreDescriptors {
 public:
  NoMoreDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit none{0, before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoMoreDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  NoMoreDescriptors(const NoMoreDescriptors&) = delete;
  NoMoreDescriptors& operator=(const NoMoreDescriptors&) = delete;

 private:
  rlimit before_{};
};

// Rules: dat_lmr_create.R34 MESSAGE.2
TEST(ShortageAtRegistration, SharedMemoryThatCannotBeLookedAtIsNotCalledPrivate) {
  const Ia ia = open_ia();
  const Pz pz = create_pz(ia);
  const Pages pages = Pages::shared_memory(2);
  Registration registration(ia, pz, pages.data(), pages.size());
  SharedId id{'s', 'h', 'o', 'r', 't'};
  make_shared(registration, id);
  testing::internal::CaptureStderr();
  DAT_RETURN answer = DAT_SUCCESS;
  {
    const NoMoreDescriptors limit;
    answer = registration.create();
  }
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_DAT_ERROR(answer, DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_DEVICE);
  EXPECT_NE(said.find("`ulimit -n`"), std::string::npos) << said;
  EXPECT_DAT_OK(registration.create());
}

// The kernel refuses to say which memory is mapped. Datum must still find a hole, and must register
// memory without a hole.
// Rules: PROTECT.1 dat_lmr_create.R34
TEST(ShortageAtRegistration, AHoleIsStillNoShortage) {
  const Ia ia = open_ia();
  const Pz pz = create_pz(ia);
  Pages pages = Pages::private_memory(3);
  Registration whole(ia, pz, pages.data(), pages.size());
  fail_call(Resource::kProc, 1, Lasting::kFromThenOn);
  const DAT_RETURN of_whole = whole.create();
  end_shortage();
  EXPECT_DAT_OK(of_whole);
  whole.lmr.free();
  EXPECT_TRUE(was_called("msync"));

  Registration with_hole(ia, pz, pages.data(), pages.size());
  pages.unmap_from(2 * Pages::page());
  fail_call(Resource::kProc, 1, Lasting::kFromThenOn);
  const DAT_RETURN of_hole = with_hole.create();
  end_shortage();
  EXPECT_DAT_TYPE(of_hole, DAT_INVALID_PARAMETER);
}

// Rules: THREAD.13
TEST(ShortageAtATrigger, TheAgentIsCalledAllTheSame) {
  const Ia ia = open_ia();
  int calls = 0;
  const DAT_OS_WAIT_PROXY_AGENT agent{
      &calls, [](DAT_PVOID data, DAT_EVD_HANDLE) { ++*static_cast<int*>(data); }};
  // There are two CNOs, so that memory left by the first trigger cannot help the second.
  const Cno first = create_cno(ia, agent);
  const Cno second = create_cno(ia, agent);
  const Evd first_evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG, kQueueLength, first);
  const Evd second_evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG, kQueueLength, second);
  fail_call(Resource::kMemory, 1, Lasting::kFromThenOn);
  const DAT_RETURN posted = post_software_event(first_evd, nullptr);
  const DAT_RETURN posted_too = post_software_event(second_evd, nullptr);
  end_shortage();
  EXPECT_DAT_OK(posted);
  EXPECT_DAT_OK(posted_too);
  EXPECT_EQ(calls, 2);
}

// Rules: THREAD.13
TEST(ShortageAtATrigger, AnAgentThatCannotBeArmedLeavesTheOldOne) {
  const Ia ia = open_ia();
  int old_calls = 0;
  int new_calls = 0;
  const DAT_AGENT_FUNC count = [](DAT_PVOID data, DAT_EVD_HANDLE) { ++*static_cast<int*>(data); };
  const Cno cno = create_cno(ia, {&old_calls, count});
  const Evd evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG, kQueueLength, cno);
  fail_call(Resource::kMemory, 1, Lasting::kFromThenOn);
  const DAT_RETURN armed = dat_cno_modify_agent(cno, {&new_calls, count});
  end_shortage();
  EXPECT_DAT_ERROR(armed, DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_MEMORY);
  EXPECT_DAT_OK(post_software_event(evd, nullptr));
  EXPECT_EQ(old_calls, 1);
  EXPECT_EQ(new_calls, 0);
}

} // namespace

} // namespace datum::test
