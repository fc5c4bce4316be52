// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// datum.7, SANDBOXES: filters that come up while connections are open.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <vector>

#include "connection.h"
#include "sandbox.h"
#include "status.h"
#include "tests/filter.h"
#include "threads.h"
#include "variable.h"

namespace datum::test {
namespace {

// Connects two adapters, installs the filters, and runs the body. The connection is older than the
// filters.
Ended run_connected(const char* path, const std::vector<std::uint32_t>& calls,
                    const std::function<void(Side&, Side&)>& body) {
  return run_apart([&] {
    const Ia ia = open_ia();
    const Ia other = open_ia();
    Side active(ia);
    Side passive(other);
    establish(active, passive);
    EXPECT_TRUE(told_of(active.ep(), "datum_path").starts_with(path));
    for (const std::uint32_t call : calls)
      if (!forbid_call_to_all_threads(call, EPERM)) return kNoFilter;
    body(active, passive);
    return testing::Test::HasFailure() ? 1 : 0;
  });
}

// Sends to a thread that sleeps in dat_evd_wait(). Returns how long it slept on.
std::chrono::milliseconds wake_sleeper(Side& from, Side& to) {
  Buffer source = from.buffer(64);
  const Buffer target = to.buffer(64);
  EXPECT_DAT_OK(post_recv(to.ep(), {target.segment()}, 7));
  BlockedCall sleeper([&] {
    expect_dto(to.recv_evd(), to.ep(), 7);
    return DAT_SUCCESS;
  });
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_DAT_OK(post_send(from.ep(), {source.segment()}, 8));
  sleeper.join();
  const auto end = std::chrono::steady_clock::now();
  expect_dto(from.request_evd(), from.ep(), 8);
  return std::chrono::duration_cast<std::chrono::milliseconds>(end - begin);
}

// The shortest, since the machine may be busy.
std::chrono::milliseconds quickest_wake(Side& one, Side& other) {
  std::chrono::milliseconds quickest = wake_sleeper(one, other);
  for (int i = 0; i < 2; ++i)
    quickest = std::min({quickest, wake_sleeper(other, one), wake_sleeper(one, other)});
  return quickest;
}

constexpr std::chrono::milliseconds kPrompt(200);

std::chrono::microseconds time_used() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto time_of = [](const timeval& time) {
    return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
  };
  return time_of(used.ru_utime) + time_of(used.ru_stime);
}

// Rules: SANDBOX.7
TEST(Sandbox, ALinkWorksOnWhereALaterFilterRefusesOneCallOfTheDoorbells) {
  const Variable transport("DATUM_TRANSPORT", "shm");
  for (const int call : {SYS_sendto, SYS_sendmsg, SYS_recvfrom, SYS_recvmsg}) {
    SCOPED_TRACE(call);
    const Ended ended =
        run_connected("shm ", {static_cast<std::uint32_t>(call)}, [](Side& active, Side& passive) {
          EXPECT_LT(quickest_wake(active, passive), kPrompt);
          expect_messages_arrive(active, passive);
          expect_messages_arrive(passive, active);
        });
    if (ended.code == kNoFilter) GTEST_SKIP() << "no filter of system calls here";
    EXPECT_EQ(ended.code, 0) << ended.said;
    EXPECT_EQ(ended.said, "");
  }
}

// The adapter and its service point are older than the filter, and the connect is younger. For an
// address of loopback nobody asks the kernel, so where the adapter has no other one this shows only
// the messages between the processes: WithoutACallOfMessages of tests/unit/shm shows the question.
// Rules: SANDBOX.7
TEST(Sandbox, AServicePointIsReachedWhereALaterFilterRefusesOneCallOfMessages) {
  const Variable transport("DATUM_TRANSPORT", "shm");
  for (const int call : {SYS_sendto, SYS_recvfrom}) {
    SCOPED_TRACE(call);
    const Ended ended = run_apart([call] {
      const Ia ia = open_ia();
      Side active(ia);
      Side passive(ia);
      const Listener listener(ia);
      if (!forbid_call_to_all_threads(static_cast<std::uint32_t>(call), EPERM)) return kNoFilter;
      EXPECT_DAT_OK(connect(active.ep(), listener));
      Cr cr = expect_request(listener.evd());
      EXPECT_DAT_OK(accept(cr, passive.ep()));
      expect_connection_event(active.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, active.ep());
      expect_messages_arrive(active, passive);
      return testing::Test::HasFailure() ? 1 : 0;
    });
    if (ended.code == kNoFilter) GTEST_SKIP() << "no filter of system calls here";
    EXPECT_EQ(ended.code, 0) << ended.said;
    EXPECT_EQ(ended.said, "");
  }
}

// The peer lives, so the consumer's event alone would blame it.
void expect_broken(Side& active, Side& passive) {
  Buffer source = active.buffer(64);
  BlockedCall sleeper([&] {
    expect_connection_event(passive.connect_evd(), DAT_CONNECTION_EVENT_BROKEN, passive.ep());
    return DAT_SUCCESS;
  });
  EXPECT_DAT_OK(post_send(active.ep(), {source.segment()}, 8));
  sleeper.join();
  expect_connection_event(active.connect_evd(), DAT_CONNECTION_EVENT_BROKEN, active.ep());
}

// Rules: SANDBOX.7
TEST(Sandbox, AConnectionThatALaterFilterBreaksNamesTheCalls) {
  struct {
    const char* ways;
    std::vector<std::uint32_t> calls;
    std::string said;
  } const kAll[] = {
      {"shm", {SYS_sendto, SYS_sendmsg}, "refuses sendto and sendmsg: Operation not permitted"},
      {"shm", {SYS_recvfrom, SYS_recvmsg}, "refuses recvfrom and recvmsg: Operation not permitted"},
      {"tcp", {SYS_recvfrom, SYS_readv}, "refuses recvfrom and readv: Operation not permitted"},
      {"tcp", {SYS_sendto, SYS_sendmsg}, "refuses sendto and sendmsg: Operation not permitted"}};
  for (const auto& [ways, calls, said] : kAll) {
    SCOPED_TRACE(ways + (" " + said));
    const Variable transport("DATUM_TRANSPORT", ways);
    const Ended ended = run_connected(ways, calls, expect_broken);
    if (ended.code == kNoFilter) GTEST_SKIP() << "no filter of system calls here";
    EXPECT_EQ(ended.code, 0) << ended.said;
    EXPECT_NE(ended.said.find("a sandbox of this process (seccomp, SELinux, AppArmor) " + said),
              std::string::npos)
        << ended.said;
  }
}

// A message that no buffer of TCP holds, and no Recv takes: both sides have to change what the
// kernel reports of their sockets. (With a Recv the message may pass without any change.) After the
// break both sides are idle.
void expect_broken_without_epoll_ctl(Side& active, Side& passive) {
  constexpr std::size_t kUnbuffered = std::size_t{64} << 20;
  Buffer source = active.buffer(kUnbuffered);
  BlockedCall sleeper([&] {
    expect_connection_event(passive.connect_evd(), DAT_CONNECTION_EVENT_BROKEN, passive.ep());
    return DAT_SUCCESS;
  });
  EXPECT_DAT_OK(post_send(active.ep(), {source.segment()}, 8));
  expect_connection_event(active.connect_evd(), DAT_CONNECTION_EVENT_BROKEN, active.ep());
  sleeper.join();
  const std::chrono::microseconds before = time_used();
  DAT_EVENT event;
  DAT_COUNT more = 0;
  constexpr DAT_TIMEOUT kIdle = 1'000'000;
  EXPECT_DAT_TYPE(dat_evd_wait(active.connect_evd(), kIdle, 1, &event, &more), DAT_TIMEOUT_EXPIRED);
  EXPECT_LT(time_used() - before, std::chrono::microseconds(kIdle / 4));
}

// Rules: SANDBOX.7
TEST(Sandbox, AConnectionOverTcpBreaksWhereALaterFilterRefusesEpollCtl) {
  const Variable transport("DATUM_TRANSPORT", "tcp");
  const Ended ended = run_connected("tcp", {SYS_epoll_ctl}, &expect_broken_without_epoll_ctl);
  if (ended.code == kNoFilter) GTEST_SKIP() << "no filter of system calls here";
  EXPECT_EQ(ended.code, 0) << ended.said;
  EXPECT_NE(ended.said.find("a sandbox of this process (seccomp, SELinux, AppArmor) refuses "
                            "epoll_ctl: Operation not permitted; permit it"),
            std::string::npos)
      << ended.said;
}

} // namespace
} // namespace datum::test
