// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// datum.7, SANDBOXES: filters that refuse system calls that the C library needs itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "connection.h"
#include "port_probe.h"
#include "sandbox.h"
#include "status.h"
#include "tests/filter.h"
#include "variable.h"

namespace datum::test {
namespace {

// Runs the body in a process of its own. The process opens an IA. From then on a filter refuses
// `call` to all of its threads. Returns nothing if no filter can be installed.
std::optional<Ended> run_without(std::uint32_t call, const std::function<int(Ia&)>& body) {
  Ended ended = run_apart([&]() -> int {
    Ia ia = open_ia(); // not closed: the filter may refuse what that takes
    std::_Exit(forbid_call_to_all_threads(call, EPERM) ? body(ia) : kNoFilter);
  });
  if (ended.code == kNoFilter) return std::nullopt;
  return ended;
}

// Opens another IA. Returns 0 if the open was refused with that subtype.
int second_open(DAT_RETURN_SUBTYPE subtype) {
  std::string name = ia_name();
  DAT_EVD_HANDLE async = DAT_HANDLE_NULL;
  DAT_IA_HANDLE ia = DAT_HANDLE_NULL;
  const DAT_RETURN answer = dat_ia_open(name.data(), 8, &async, &ia);
  return DAT_GET_TYPE(answer) == DAT_INSUFFICIENT_RESOURCES && DAT_GET_SUBTYPE(answer) == subtype
             ? 0
             : 1;
}

constexpr unsigned kLongestClose = 30; // seconds

void expect_only_line(const std::string& said, const std::string& part) {
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  EXPECT_NE(said.find(part), std::string::npos) << said;
}

// Rules: SANDBOX.1
TEST(Sandbox, AnOpenWithoutFutexIsRefusedAndSaysWhy) {
  const auto ended = run_without(SYS_futex, [](Ia&) { return second_open(DAT_RESOURCE_DEVICE); });
  if (!ended) GTEST_SKIP() << "no filter of system calls here";
  EXPECT_EQ(ended->code, 0);
  expect_only_line(ended->said, "ia \"" + ia_name() +
                                    "\": the system call futex is refused: Operation not "
                                    "permitted; no thread can wait for another one");
}

// datum.7, SANDBOXES
TEST(Sandbox, AnOpenWithoutAWayToWaitIsRefusedAndNamesTheCall) {
  struct {
    std::uint32_t number;
    std::string name;
  } const kAll[] = {{SYS_epoll_create1, "epoll_create1"},
                    {SYS_eventfd2, "eventfd2"},
                    {SYS_timerfd_create, "timerfd_create"},
                    {SYS_epoll_ctl, "epoll_ctl"}};
  for (const auto& [number, name] : kAll) {
    const auto ended = run_without(number, [](Ia&) { return second_open(DAT_RESOURCE_DEVICE); });
    if (!ended) GTEST_SKIP() << "no filter of system calls here";
    EXPECT_EQ(ended->code, 0);
    expect_only_line(ended->said, "ia \"" + ia_name() + "\": the system call " + name +
                                      " fails: Operation not permitted; no thread can wait");
  }
}

// datum.7, SANDBOXES
TEST(Sandbox, AnOpenWithoutSocketsIsRefusedAndNamesTheCall) {
  for (const char* ways : {"auto", "shm", "tcp"}) {
    SCOPED_TRACE(ways);
    const Variable transport("DATUM_TRANSPORT", ways);
    const auto ended =
        run_without(SYS_socket, [](Ia&) { return second_open(DAT_RESOURCE_DEVICE); });
    if (!ended) GTEST_SKIP() << "no filter of system calls here";
    EXPECT_EQ(ended->code, 0);
    expect_only_line(ended->said, "ia \"" + ia_name() +
                                      "\": the system call socket is refused: Operation not "
                                      "permitted; the interfaces of this host cannot be listed");
  }
}

// Rules: SANDBOX.2
TEST(Sandbox, AFilterThatComesUpLaterLetsAnAdapterBeClosed) {
  const auto ended =
      run_without(SYS_futex, [](Ia& ia) { return close_ia(ia.release()) == DAT_SUCCESS ? 0 : 1; });
  if (!ended) GTEST_SKIP() << "no filter of system calls here";
  EXPECT_EQ(ended->code, 0) << ended->said;
}

// Closing wakes the adapter's thread by one of the calls. SIGALRM ends a body that hangs. Without
// read(2) there is no dat.conf: KernelPlaces.AWakeUpArrivesAndIsTakenBackWithoutOneCallOfAPair.
// Rules: SANDBOX.2
TEST(Sandbox, AnAdapterThatIsOpenedWithoutOneCallOfWakeUpsCanBeClosed) {
  for (const int call : {SYS_write, SYS_writev, SYS_readv}) {
    SCOPED_TRACE(call);
    const Ended ended = run_apart([call] {
      ::alarm(kLongestClose);
      if (!forbid_call_to_all_threads(static_cast<std::uint32_t>(call), EPERM)) return kNoFilter;
      Ia ia = open_ia();
      {
        Side active(ia);
        Side passive(ia);
        establish(active, passive);
        expect_messages_arrive(active, passive);
      }
      EXPECT_DAT_OK(close_ia(ia.release()));
      return testing::Test::HasFailure() ? 1 : 0;
    });
    if (ended.code == kNoFilter) GTEST_SKIP() << "no filter of system calls here";
    EXPECT_EQ(ended.code, 0) << ended.said;
  }
}

// When nothing happens for so long, the thread of an adapter sleeps without a limit.
void let_idle(const Side& side) {
  constexpr DAT_TIMEOUT kIdle = 100'000;
  DAT_EVENT event;
  DAT_COUNT more = 0;
  EXPECT_DAT_TYPE(dat_evd_wait(side.connect_evd(), kIdle, 1, &event, &more), DAT_TIMEOUT_EXPIRED);
}

void expect_closed_without(std::initializer_list<int> calls) {
  for (const char* ways : {"shm", "tcp"}) {
    SCOPED_TRACE(ways);
    const Variable transport("DATUM_TRANSPORT", ways);
    const Ended ended = run_apart([calls] {
      ::alarm(kLongestClose);
      Ia ia = open_ia();
      {
        Side active(ia);
        Side passive(ia);
        establish(active, passive);
        let_idle(active);
        for (const int call : calls)
          if (!forbid_call_to_all_threads(static_cast<std::uint32_t>(call), EPERM))
            return kNoFilter;
      }
      EXPECT_DAT_OK(close_ia(ia.release()));
      return testing::Test::HasFailure() ? 1 : 0;
    });
    if (ended.code == kNoFilter) GTEST_SKIP() << "no filter of system calls here";
    EXPECT_EQ(ended.code, 0) << ended.said;
  }
}

// Rules: SANDBOX.2
TEST(Sandbox, ConnectedAdaptersAreClosedWhereALaterFilterRefusesTheWatchOfDescriptors) {
  expect_closed_without({SYS_epoll_ctl});
}

// The thread of the adapter is woken by its timer.
// Rules: SANDBOX.2
TEST(Sandbox, ConnectedAdaptersAreClosedWhereALaterFilterRefusesBothCallsThatWrite) {
  expect_closed_without({SYS_write, SYS_writev});
}

// Rules: SANDBOX.3
TEST(Sandbox, AnOpenWithoutMappingsIsRefusedAndSaysWhy) {
  for (const char* ways : {"auto", "shm", "tcp"}) {
    SCOPED_TRACE(ways);
    const Variable transport("DATUM_TRANSPORT", ways);
    const auto ended = run_without(SYS_mmap, [](Ia&) { return second_open(DAT_RESOURCE_MEMORY); });
    if (!ended) GTEST_SKIP() << "no filter of system calls here";
    EXPECT_EQ(ended->code, 0);
    expect_only_line(ended->said,
                     std::string(ways) == "tcp"
                         ? " octets of memory for the table of regions cannot be had (mmap): "
                           "Operation not permitted; look at `ulimit -v`"
                         : " bytes of memory to share with peers cannot be had (memfd): "
                           "Operation not permitted; look at `ulimit -n`");
  }
}

// Data goes both ways over TCP, between an adapter under the filter and one that was open before.
Ended send_without(std::uint32_t call, const std::string& reason) {
  return run_apart([&] {
    const Ia ia = open_ia(); // without the filter
    Side outside(ia);
    if (!forbid_call_to_all_threads(call, EPERM)) return kNoFilter;
    const Ia boxed = open_ia();
    Side inside(boxed);
    establish(inside, outside);
    EXPECT_EQ(told_of(inside.ep(), "datum_path"), "tcp");
    EXPECT_EQ(told_of(inside.ep(), "datum_path_reason"), reason);
    expect_messages_arrive(inside, outside);
    expect_messages_arrive(outside, inside);
    return testing::Test::HasFailure() ? 1 : 0;
  });
}

// Rules: SANDBOX.4
TEST(Sandbox, AnAdapterWithoutACallOfMessagesIsOneOverTcpThatSaysWhy) {
  const Variable transport("DATUM_TRANSPORT", "auto");
  for (const auto& [call, name] :
       {std::pair{SYS_sendmsg, "sendmsg"}, {SYS_sendto, "sendto"}, {SYS_recvfrom, "recvfrom"}}) {
    SCOPED_TRACE(name);
    const std::string reason =
        std::string("shared memory is not available: the sandbox of this process (seccomp) refuses "
                    "the system call ") +
        name + ": Operation not permitted";
    const Ended ended = send_without(static_cast<std::uint32_t>(call), reason);
    if (ended.code == kNoFilter) GTEST_SKIP() << "no filter of system calls here";
    EXPECT_EQ(ended.code, 0) << ended.said;
    expect_only_line(ended.said, reason + "; connections go over TCP alone");
  }
}

// Links within a host do without it.
// Rules: SANDBOX.4
TEST(Sandbox, WithoutReadvLongMessagesArriveOverTcp) {
  const Variable transport("DATUM_TRANSPORT", "tcp");
  const Ended ended = send_without(SYS_readv, "DATUM_TRANSPORT=tcp");
  if (ended.code == kNoFilter) GTEST_SKIP() << "no filter of system calls here";
  EXPECT_EQ(ended.code, 0) << ended.said;
  EXPECT_EQ(ended.said, "");
}

// Rules: SANDBOX.4
TEST(Sandbox, AnAdapterWithoutMemoryFilesIsOneOverTcpThatSaysWhy) {
  const Variable transport("DATUM_TRANSPORT", "auto");
  for (const auto& [call, name] : {std::pair{SYS_memfd_create, "memfd_create"},
                                   {SYS_ftruncate, "ftruncate"},
                                   {SYS_fcntl, "fcntl"},
                                   {SYS_fstatfs, "fstatfs"},
                                   {SYS_getsockopt, "getsockopt"}}) {
    const Ended ended = run_apart([number = static_cast<std::uint32_t>(call)] {
      if (!forbid_call_to_all_threads(number, EPERM)) return kNoFilter;
      const Ia ia = open_ia();
      Side active(ia);
      Side passive(ia);
      establish(active, passive);
      EXPECT_EQ(told_of(active.ep(), "datum_path"), "tcp");
      return testing::Test::HasFailure() ? 1 : 0;
    });
    if (ended.code == kNoFilter) GTEST_SKIP() << "no filter of system calls here";
    EXPECT_EQ(ended.code, 0) << ended.said;
    expect_only_line(ended.said, std::string("refuses the system call ") + name +
                                     ": Operation not permitted; connections go over TCP alone");
  }
}

// Without getsockopt() Datum learns by the next read how a connect over TCP ended.
// Rules: SANDBOX.4
TEST(Sandbox, AConnectWithoutGetsockoptFindsThatNobodyListens) {
  const Variable transport("DATUM_TRANSPORT", "tcp");
  const Ended ended = run_apart([] {
    if (!forbid_call_to_all_threads(SYS_getsockopt, EPERM)) return kNoFilter;
    const Ia ia = open_ia();
    Side side(ia);
    EXPECT_DAT_OK(connect(side.ep(), address_of(ia), free_ports(1)));
    expect_connection_event(side.connect_evd(), DAT_CONNECTION_EVENT_NON_PEER_REJECTED, side.ep());
    return testing::Test::HasFailure() ? 1 : 0;
  });
  if (ended.code == kNoFilter) GTEST_SKIP() << "no filter of system calls here";
  EXPECT_EQ(ended.code, 0) << ended.said;
  EXPECT_EQ(ended.said, "");
}

// Rules: tcp.R14
TEST(Sandbox, AConnectThatAFilterRefusesNamesTheCall) {
  const Variable transport("DATUM_TRANSPORT", "tcp");
  const Ended ended = run_apart([] {
    const Ia ia = open_ia();
    Side side(ia);
    if (!forbid_call_to_all_threads(SYS_connect, EPERM)) return kNoFilter;
    EXPECT_DAT_OK(connect(side.ep(), address_of(ia), free_ports(1)));
    expect_connection_event(side.connect_evd(), DAT_CONNECTION_EVENT_UNREACHABLE, side.ep());
    return testing::Test::HasFailure() ? 1 : 0;
  });
  if (ended.code == kNoFilter) GTEST_SKIP() << "no filter of system calls here";
  EXPECT_EQ(ended.code, 0) << ended.said;
  expect_only_line(ended.said, "over TCP: Operation not permitted; a firewall, a route or a "
                               "security policy of this host refuses it (seccomp refuses the "
                               "system call connect)");
}

// At any qualifier if it is 0.
DAT_RETURN create_psp(const Ia& ia, const Evd& evd, DAT_CONN_QUAL qualifier, DAT_PSP_HANDLE& psp) {
  if (qualifier != 0) return dat_psp_create(ia, qualifier, evd, DAT_PSP_CONSUMER_FLAG, &psp);
  return dat_psp_create_any(ia, &qualifier, evd, DAT_PSP_CONSUMER_FLAG, &psp);
}

DAT_RETURN listen_at(const Ia& ia, DAT_CONN_QUAL qualifier) {
  const Evd evd = create_evd(ia, DAT_EVD_CR_FLAG);
  DAT_PSP_HANDLE psp = DAT_HANDLE_NULL;
  return create_psp(ia, evd, qualifier, psp);
}

// The filter refuses a system call that a service point needs. So no service point can be made at
// that qualifier, or with 0 at a qualifier that the provider chooses. One log line must name the
// call.
void expect_no_service_point(std::uint32_t call, const char* name, int error,
                             DAT_CONN_QUAL qualifier) {
  const Ended ended = run_apart([=] {
    const Ia ia = open_ia();
    if (!forbid_call_to_all_threads(call, error)) return kNoFilter;
    EXPECT_DAT_TYPE(listen_at(ia, qualifier), DAT_CONN_QUAL_UNAVAILABLE);
    return testing::Test::HasFailure() ? 1 : 0;
  });
  if (ended.code == kNoFilter) GTEST_SKIP() << "no filter of system calls here";
  EXPECT_EQ(ended.code, 0) << ended.said;
  expect_only_line(ended.said,
                   std::string("the sandbox of this process (seccomp) refuses the system call ") +
                       name + ": " + std::strerror(error) + "; permit it");
}

// Rules: tcp.R12 tcp.R15
TEST(Sandbox, AServicePointThatAFilterRefusesNamesTheCall) {
  for (const char* ways : {"auto", "tcp", "shm"})
    for (const auto& [call, name] : {std::pair{SYS_bind, "bind"}, {SYS_listen, "listen"}})
      for (const int error : {EPERM, EACCES, ENOSYS})
        for (const DAT_CONN_QUAL qualifier : {DAT_CONN_QUAL{free_ports(1)}, DAT_CONN_QUAL{0}}) {
          SCOPED_TRACE(std::string(ways) + " " + name + " " + std::strerror(error));
          const Variable transport("DATUM_TRANSPORT", ways);
          expect_no_service_point(static_cast<std::uint32_t>(call), name, error, qualifier);
        }
}

// Datum knows the port that it has asked for, so it does not need getsockname(2).
// datum.7, SANDBOXES
TEST(Sandbox, AServicePointWithoutGetsocknameIsMadeAllTheSame) {
  for (const char* ways : {"auto", "tcp", "shm"})
    for (const DAT_CONN_QUAL qualifier : {DAT_CONN_QUAL{free_ports(1)}, DAT_CONN_QUAL{0}}) {
      SCOPED_TRACE(std::string(ways) + " " + std::to_string(qualifier));
      const Variable transport("DATUM_TRANSPORT", ways);
      const Ended ended = run_apart([=] {
        if (!forbid_call_to_all_threads(SYS_getsockname, EPERM)) return kNoFilter;
        const Ia ia = open_ia();
        const Evd evd = create_evd(ia, DAT_EVD_CR_FLAG);
        DAT_PSP_HANDLE psp = DAT_HANDLE_NULL;
        EXPECT_DAT_OK(create_psp(ia, evd, qualifier, psp));
        EXPECT_DAT_OK(dat_psp_free(psp));
        Side active(ia);
        Side passive(ia);
        establish(active, passive);
        return testing::Test::HasFailure() ? 1 : 0;
      });
      if (ended.code == kNoFilter) GTEST_SKIP() << "no filter of system calls here";
      EXPECT_EQ(ended.code, 0) << ended.said;
      EXPECT_EQ(ended.said, "");
    }
}

// The range has two ports, one of them in use. By chance the search begins at either port.
// Rules: tcp.R15
TEST(Sandbox, AServicePointThatAFilterRefusesSaysSoWhereSomePortsAreInUse) {
  constexpr int kTimes = 8;
  const Variable transport("DATUM_TRANSPORT", "auto");
  const std::uint16_t low = free_ports(2);
  const std::string range_text = std::to_string(low) + "-" + std::to_string(low + 1);
  const Ia holder = open_ia();
  const Evd evd = create_evd(holder, DAT_EVD_CR_FLAG);
  DAT_PSP_HANDLE psp = DAT_HANDLE_NULL;
  ASSERT_DAT_OK(dat_psp_create(holder, low, evd, DAT_PSP_CONSUMER_FLAG, &psp));
  const Variable range("DATUM_PORT_RANGE", range_text.c_str());
  for (int i = 0; i < kTimes; ++i) expect_no_service_point(SYS_listen, "listen", EPERM, 0);
  EXPECT_DAT_OK(dat_psp_free(psp));
}

// Rules: SANDBOX.6
TEST(Sandbox, AnOpenWithoutAThreadIsNotBlamedOnALimitWhereAFilterRefusesIt) {
  const auto open = [](Ia&) { return second_open(DAT_RESOURCE_DEVICE); };
  const std::string line = "its thread cannot be created: Operation not permitted; the sandbox of "
                           "this process (seccomp) has to allow ";
  const auto ended = run_without(SYS_clone3, open);
  if (!ended) GTEST_SKIP() << "no filter of system calls here";
  EXPECT_EQ(ended->code, 0);
  expect_only_line(ended->said, line + "clone3, or answer ENOSYS");
  const Ended older = run_apart([&] {
    Ia ia = open_ia();
    return forbid_call(SYS_clone3, ENOSYS) && forbid_call(SYS_clone, EPERM) ? open(ia) : kNoFilter;
  });
  EXPECT_EQ(older.code, 0);
  expect_only_line(older.said, line + "clone\n");
}

const char* const kNotMade =
    "same-host connections are not made where a sandbox of this process (seccomp, SELinux, "
    "AppArmor) refuses sendmsg: Operation not permitted";

// Rules: SANDBOX.5
TEST(Sandbox, AConnectWithoutSendmsgIsUnreachableAndSaysWhy) {
  const Variable transport("DATUM_TRANSPORT", "shm");
  const Ended ended = run_apart([] {
    const Ia ia = open_ia();
    Side side(ia);
    const Listener listener(ia);
    if (!forbid_call_to_all_threads(SYS_sendmsg, EPERM)) return kNoFilter;
    EXPECT_DAT_OK(connect(side.ep(), listener));
    expect_connection_event(side.connect_evd(), DAT_CONNECTION_EVENT_UNREACHABLE, side.ep());
    return testing::Test::HasFailure() ? 1 : 0;
  });
  if (ended.code == kNoFilter) GTEST_SKIP() << "no filter of system calls here";
  EXPECT_EQ(ended.code, 0) << ended.said;
  expect_only_line(ended.said, kNotMade);
}

// The dialler is outside the sandbox and cannot know the reason. The listener can.
// Rules: SANDBOX.5
TEST(Sandbox, AListenerWithoutSendmsgSaysThatNobodyReachesIt) {
  const Variable transport("DATUM_TRANSPORT", "shm");
  const Ended ended = run_apart([] {
    const Ia ia = open_ia();
    Side side(ia);
    Ia boxed;
    std::optional<Listener> listener;
    bool filtered = false;
    std::thread([&] { // the adapter's own threads inherit this thread's filter
      filtered = forbid_call(SYS_sendmsg, EPERM);
      if (!filtered) return;
      boxed = open_ia();
      listener.emplace(boxed);
    })
        .join();
    if (!filtered) return kNoFilter;
    EXPECT_DAT_OK(connect(side.ep(), address_of(boxed), listener->qualifier()));
    expect_connection_event(side.connect_evd(), DAT_CONNECTION_EVENT_NON_PEER_REJECTED, side.ep());
    return testing::Test::HasFailure() ? 1 : 0;
  });
  if (ended.code == kNoFilter) GTEST_SKIP() << "no filter of system calls here";
  EXPECT_EQ(ended.code, 0) << ended.said;
  expect_only_line(ended.said, kNotMade);
}

// During its lifetime the process may open only `more` further descriptors.
class DescriptorsLeft {
 public:
  explicit DescriptorsLeft(rlim_t more) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    rlimit few{0, before_.rlim_max};
    for (int number = 0; more > 0; ++number) {
      if (::fcntl(number, F_GETFD) < 0) --more;
      few.rlim_cur = static_cast<rlim_t>(number) + 1;
    }
    ::setrlimit(RLIMIT_NOFILE, &few);
  }
  ~DescriptorsLeft() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  DescriptorsLeft(const DescriptorsLeft&) = delete;
  DescriptorsLeft& operator=(const DescriptorsLeft&) = delete;

 private:
  rlimit before_{};
};

// The descriptors that an adapter takes before it chooses its ways.
constexpr rlim_t kBefore = 4;
constexpr rlim_t kForBothWays = 9;

// Rules: ENV.29
TEST(Sandbox, AnAdapterWithFewDescriptorsLeftIsOneOverTcpThatSaysSo) {
  const Variable transport("DATUM_TRANSPORT", "auto");
  const Ended ended = run_apart([] {
    const DescriptorsLeft few(kBefore + kForBothWays - 1);
    const Ia ia = open_ia();
    Side active(ia);
    Side passive(ia);
    establish(active, passive);
    EXPECT_EQ(told_of(active.ep(), "datum_path"), "tcp");
    return testing::Test::HasFailure() ? 1 : 0;
  });
  EXPECT_EQ(ended.code, 0) << ended.said;
  expect_only_line(ended.said,
                   "shared memory is not available: it takes 9 descriptors more, and this process "
                   "has 8 left of ");
}

// Rules: ENV.29
TEST(Sandbox, AnAdapterWithEnoughDescriptorsLeftOffersSharedMemory) {
  const Variable transport("DATUM_TRANSPORT", "auto");
  const Ended ended = run_apart([] {
    std::optional<DescriptorsLeft> few(kBefore + kForBothWays);
    const Ia ia = open_ia();
    few.reset(); // the two ends of a connection in one process need more descriptors
    Side active(ia);
    Side passive(ia);
    establish(active, passive);
    const std::string path = told_of(active.ep(), "datum_path");
    EXPECT_TRUE(path.starts_with("shm ")) << path;
    return testing::Test::HasFailure() ? 1 : 0;
  });
  EXPECT_EQ(ended.code, 0) << ended.said;
  EXPECT_EQ(ended.said, "");
}

constexpr rlim_t kToListen = 6;

// Makes a service point with `left` descriptors left, and returns the log lines. The path of a
// connection to the service point must begin with `path`.
Ended listen_with(rlim_t left, const char* path) {
  return run_apart([=] {
    const Ia ia = open_ia();
    Side active(ia);
    Side passive(ia);
    std::optional<DescriptorsLeft> few(left);
    const Listener listener(ia);
    few.reset();
    EXPECT_DAT_OK(connect(active.ep(), listener));
    Cr cr = expect_request(listener.evd());
    EXPECT_DAT_OK(accept(cr, passive.ep()));
    expect_connection_event(active.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, active.ep());
    EXPECT_TRUE(told_of(active.ep(), "datum_path").starts_with(path));
    return testing::Test::HasFailure() ? 1 : 0;
  });
}

// Rules: ENV.30
TEST(Sandbox, AServicePointWithFewDescriptorsLeftIsOneOverTcpThatSaysSo) {
  const Variable transport("DATUM_TRANSPORT", "auto");
  const Ended ended = listen_with(kToListen - 1, "tcp");
  EXPECT_EQ(ended.code, 0) << ended.said;
  expect_only_line(ended.said, "listening over TCP alone, without shared memory: it takes 6 "
                               "descriptors, and this process has 5 left of ");
}

// Rules: ENV.30
TEST(Sandbox, AServicePointWithEnoughDescriptorsLeftOffersSharedMemory) {
  const Variable transport("DATUM_TRANSPORT", "auto");
  const Ended ended = listen_with(kToListen, "shm ");
  EXPECT_EQ(ended.code, 0) << ended.said;
  EXPECT_EQ(ended.said, "");
}

} // namespace
} // namespace datum::test
