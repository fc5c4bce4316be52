// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The path that a connection takes. The choice is made for each connection.
#include <gtest/gtest.h>

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <future>
#include <optional>
#include <string>
#include <thread>

#include "connection.h"
#include "port_probe.h"
#include "tests/abstract_name.h"
#include "tests/filter.h"
#include "variable.h"

namespace datum::test {
namespace {

Ia open_with(const char* ways) {
  const Variable transport("DATUM_TRANSPORT", ways);
  return open_ia();
}

// An IA that was opened with these ways, and one end of a connection on it.
struct End {
  explicit End(const char* ways) : ia(open_with(ways)), side(ia) {}
  std::string path() { return told_of(side.ep(), "datum_path"); }
  std::string reason() { return told_of(side.ep(), "datum_path_reason"); }
  Ia ia;
  Side side;
};

bool is_shared_memory(const std::string& path) {
  return path.starts_with("shm ");
}

// Rules: ENV.1 ENV.8
TEST(Paths, SharedMemoryWhereBothSidesOfferIt) {
  End passive("auto");
  End active("auto");
  establish(active.side, passive.side);
  EXPECT_TRUE(is_shared_memory(active.path())) << active.path();
  EXPECT_TRUE(is_shared_memory(passive.path())) << passive.path();
}

// Rules: ENV.8
TEST(Paths, TcpToAPeerThatOffersNothingElse) {
  End passive("tcp");
  End active("auto");
  establish(active.side, passive.side);
  EXPECT_EQ(active.path(), "tcp");
  EXPECT_EQ(active.reason(), "no process of this host offers shared memory there");
  EXPECT_EQ(passive.reason(), "DATUM_TRANSPORT=tcp");
}

// Rules: ENV.8
TEST(Paths, TcpForAPeerThatWantsNothingElse) {
  End passive("auto");
  End active("tcp");
  establish(active.side, passive.side);
  EXPECT_EQ(passive.path(), "tcp");
  EXPECT_EQ(passive.reason(), "the peer chose TCP, or offers nothing else");
}

// Listens as a process of another Datum, whose protocol over shared memory has another version.
class OfAnotherVersion {
 public:
  explicit OfAnotherVersion(DAT_CONN_QUAL qualifier)
      : socket_(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)) {
    sockaddr_un address;
    const socklen_t length = to_sockaddr("datum/2/*/" + std::to_string(qualifier), address);
    EXPECT_EQ(::bind(socket_, reinterpret_cast<sockaddr*>(&address), length), 0);
    EXPECT_EQ(::listen(socket_, 8), 0);
  }
  ~OfAnotherVersion() { ::close(socket_); }
  OfAnotherVersion(const OfAnotherVersion&) = delete;
  OfAnotherVersion& operator=(const OfAnotherVersion&) = delete;

 private:
  int socket_;
};

constexpr char kOtherVersion[] =
    "the process there speaks version 2 of the same-host protocol, this one version 1";

// Rules: VERSION.3
TEST(Paths, TcpToAPeerWhoseSharedMemoryHasAnotherVersion) {
  const Ia passive = open_with("tcp");
  const Listener listener(passive);
  const OfAnotherVersion beside(listener.qualifier());
  End active("auto");
  testing::internal::CaptureStderr();
  for (int i = 0; i < 2; ++i) {
    Side side(active.ia);
    Side other(passive);
    EXPECT_DAT_OK(connect(side.ep(), listener));
    Cr cr = expect_request(listener.evd());
    ASSERT_DAT_OK(accept(cr, other.ep()));
    expect_connection_event(side.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, side.ep());
    EXPECT_EQ(told_of(side.ep(), "datum_path"), "tcp");
    EXPECT_EQ(told_of(side.ep(), "datum_path_reason"), kOtherVersion);
  }
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find(std::to_string(listener.qualifier()) +
                      " goes over TCP, without shared memory: " + kOtherVersion +
                      "; install the same Datum for both\n"),
            std::string::npos)
      << said;
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
}

// Rules: VERSION.4
TEST(Paths, SharedMemoryAloneSaysThatAPeerHasAnotherVersion) {
  const Ia passive = open_with("tcp");
  const Listener listener(passive);
  const OfAnotherVersion beside(listener.qualifier());
  End active("shm");
  testing::internal::CaptureStderr();
  EXPECT_DAT_OK(connect(active.side.ep(), listener));
  expect_connection_event(active.side.connect_evd(), DAT_CONNECTION_EVENT_NON_PEER_REJECTED,
                          active.side.ep());
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find(kOtherVersion), std::string::npos) << said;
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
}

// Rules: ENV.8
TEST(Paths, SharedMemoryAloneFindsNoPeerThatIsElsewhere) {
  const Ia ia = open_with("tcp");
  const Listener listener(ia);
  End active("shm");
  EXPECT_DAT_OK(connect(active.side.ep(), listener));
  expect_connection_event(active.side.connect_evd(), DAT_CONNECTION_EVENT_NON_PEER_REJECTED,
                          active.side.ep());
}

// Rules: ENV.21
TEST(Paths, AnAdapterOpensAndConnectsWhereASandboxRefusesNetlink) {
  bool filtered = false;
  std::thread([&] {
    filtered = forbid_family(AF_NETLINK, EAFNOSUPPORT);
    if (!filtered) return;
    for (const char* ways : {"auto", "shm", "tcp"}) {
      SCOPED_TRACE(ways);
      End passive(ways);
      End active(ways);
      establish(active.side, passive.side);
    }
  }).join();
  if (!filtered) GTEST_SKIP() << "no filter of system calls here";
}

// A thread that has a filter and an IA that listens.
struct Sandbox {
  int family;
  const char* ways;
};
// Runs `body` outside of the sandbox while a thread inside of it listens. Returns false if this
// machine has no filters.
bool with_listener_in(const Sandbox& sandbox, const std::function<void(DAT_CONN_QUAL)>& body) {
  std::promise<DAT_CONN_QUAL> listens; // 0: there is no filter
  std::promise<void> over;
  std::thread thread([&] {
    if (!forbid_family(sandbox.family, EAFNOSUPPORT)) return listens.set_value(0);
    End passive(sandbox.ways);
    Listener listener(passive.ia);
    listens.set_value(listener.qualifier());
    Cr cr = listener.expect_request();
    EXPECT_DAT_OK(accept(cr, passive.side.ep()));
    over.get_future().wait();
  });
  const DAT_CONN_QUAL qualifier = listens.get_future().get();
  if (qualifier != 0) body(qualifier);
  over.set_value();
  thread.join();
  return qualifier != 0;
}

// A process outside the sandbox finds the service point. For the connect it uses an address other
// than loopback if the host has one.
// Rules: ENV.21
TEST(Paths, OthersReachAnAdapterOfASandboxThatRefusesNetlink) {
  for (const char* ways : {"auto", "shm"}) {
    SCOPED_TRACE(ways);
    End active(ways);
    const bool filtered = with_listener_in({AF_NETLINK, ways}, [&](DAT_CONN_QUAL qualifier) {
      EXPECT_DAT_OK(connect(active.side.ep(), address_of(active.ia), qualifier));
      expect_connection_event(active.side.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED,
                              active.side.ep());
      EXPECT_TRUE(is_shared_memory(active.path())) << active.path();
    });
    if (!filtered) GTEST_SKIP() << "no filter of system calls here";
  }
}

// Rules: ENV.20
TEST(Paths, OthersReachAnAdapterOfASandboxThatRefusesUnixSocketsOverTcp) {
  End active("auto");
  const bool filtered = with_listener_in({AF_UNIX, "auto"}, [&](DAT_CONN_QUAL qualifier) {
    EXPECT_DAT_OK(connect(active.side.ep(), address_of(active.ia), qualifier));
    expect_connection_event(active.side.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED,
                            active.side.ep());
    EXPECT_EQ(active.path(), "tcp");
  });
  if (!filtered) GTEST_SKIP() << "no filter of system calls here";
}

std::string way_to_this_host(const Ia& ia) {
  DAT_IA_ATTR told{};
  EXPECT_DAT_OK(dat_ia_query(ia, nullptr, DAT_IA_FIELD_ALL, &told, 0, nullptr));
  for (DAT_COUNT i = 0; i < told.num_transport_attr; ++i)
    if (std::string(told.transport_attr[i].name).ends_with("path.this_host"))
      return told.transport_attr[i].value;
  return {};
}

// The text is the one that dat-info shows. Only the thread that queries the IA has the filter.
// Rules: ENV.20
TEST(Paths, AnAdapterSaysThatASandboxLeavesNoSharedMemory) {
  struct Way {
    const char* ways; // DATUM_TRANSPORT
    const char* instead;
  };
  for (const Way& way : {Way{"auto", "TCP; "}, Way{"shm", "none; "}}) {
    SCOPED_TRACE(way.ways);
    bool filtered = false;
    std::string told;
    std::thread([&] {
      filtered = forbid_family(AF_UNIX, EAFNOSUPPORT);
      if (filtered) told = way_to_this_host(open_with(way.ways));
    }).join();
    if (!filtered) GTEST_SKIP() << "no filter of system calls here";
    EXPECT_EQ(told, std::string(way.instead) +
                        "shared memory is not available: this process may not use UNIX sockets "
                        "(AF_UNIX): Address family not supported by protocol");
  }
}

// Tries to make a service point that a sandbox refuses. Returns the log lines, or nothing if no
// filter can be installed.
std::optional<std::string> said_where_ports_are_forbidden(DAT_IA_HANDLE ia, DAT_EVD_HANDLE evd,
                                                          DAT_CONN_QUAL qualifier) {
  bool filtered = false;
  testing::internal::CaptureStderr();
  std::thread([&] {
    filtered = forbid_ports(EACCES);
    if (!filtered) return;
    DAT_PSP_HANDLE psp = DAT_HANDLE_NULL;
    EXPECT_DAT_TYPE(dat_psp_create(ia, qualifier, evd, DAT_PSP_CONSUMER_FLAG, &psp),
                    DAT_CONN_QUAL_UNAVAILABLE);
  }).join();
  std::string said = testing::internal::GetCapturedStderr();
  if (!filtered) return std::nullopt;
  return said;
}

// Rules: tcp.R12
TEST(Paths, APortThatASandboxRefusesIsNamedWithIt) {
  for (const char* ways : {"auto", "tcp", "shm"}) {
    SCOPED_TRACE(ways);
    const Ia ia = open_with(ways);
    const Evd evd = create_evd(ia, DAT_EVD_CR_FLAG);
    const DAT_CONN_QUAL port = free_ports(1);
    const std::optional<std::string> said = said_where_ports_are_forbidden(ia, evd, port);
    if (!said) GTEST_SKIP() << "no filter of system calls here";
    const std::string line =
        "a security policy of this process (Landlock, seccomp, SELinux) refuses "
        "port " +
        std::to_string(port) + ": Permission denied;";
    EXPECT_NE(said->find(line), std::string::npos) << *said;
    EXPECT_EQ(std::count(said->begin(), said->end(), '\n'), 1) << *said;
  }
}

// Rules: tcp.Q11 tcp.R12
TEST(Paths, WhereASandboxRefusesEachCandidateItIsNamedOnce) {
  const Ia ia = open_with("tcp");
  const Evd evd = create_evd(ia, DAT_EVD_CR_FLAG);
  const std::optional<std::string> said = said_where_ports_are_forbidden(ia, evd, 0x123456789a);
  if (!said) GTEST_SKIP() << "no filter of system calls here";
  EXPECT_NE(said->find("qualifier 78187493530: a security policy of this process (Landlock, "
                       "seccomp, SELinux) refuses every port: Permission denied;"),
            std::string::npos)
      << *said;
  EXPECT_EQ(std::count(said->begin(), said->end(), '\n'), 1) << *said;
}

// Only the thread that connects has the filter, since this thread searches for the peer.
// Rules: ENV.8 ENV.20
TEST(Paths, TcpWhereASandboxLetsNobodyLookForSharedMemory) {
  End passive("auto");
  End active("auto");
  const Listener listener(passive.ia);
  bool filtered = false;
  std::thread([&] {
    filtered = forbid_family(AF_UNIX, EACCES);
    EXPECT_DAT_OK(connect(active.side.ep(), listener));
  }).join();
  if (!filtered) GTEST_SKIP() << "no filter of system calls here";
  Cr cr = expect_request(listener.evd());
  ASSERT_DAT_OK(accept(cr, passive.side.ep()));
  expect_connection_event(active.side.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED,
                          active.side.ep());
  EXPECT_EQ(active.path(), "tcp");
  EXPECT_EQ(active.reason(),
            "this process may not look for shared memory there (AF_UNIX): Permission denied");
}

constexpr std::size_t kLength = 64;

void expect_write_arrives(Side& from, const Buffer& target, std::uint8_t seed) {
  Buffer source = from.buffer(kLength);
  source.fill(seed);
  ASSERT_DAT_OK(post_write(from.ep(), {source.segment()}, target.remote(), 1));
  expect_dto(from.request_evd(), from.ep(), 1);
  EXPECT_TRUE(target.holds(seed, 0, kLength));
}

// Rules: ENV.8
TEST(Paths, OneAdapterTakesEachConnectionItsOwnWay) {
  const Ia hub = open_with("auto");
  Side near_side(hub);
  Side far_side(hub);
  End near("auto");
  End far("tcp");
  establish(near.side, near_side);
  establish(far.side, far_side);
  EXPECT_TRUE(is_shared_memory(near.path())) << near.path();
  EXPECT_EQ(far.path(), "tcp");
  // Both connections write to regions of the same adapter. Each side has its own protection zone.
  const Buffer for_near = near_side.buffer(kLength);
  const Buffer for_far = far_side.buffer(kLength);
  expect_write_arrives(near.side, for_near, 1);
  expect_write_arrives(far.side, for_far, 2);
  const Buffer at_near = near.side.buffer(kLength);
  const Buffer at_far = far.side.buffer(kLength);
  expect_write_arrives(near_side, at_near, 3);
  expect_write_arrives(far_side, at_far, 4);
}

// Rules: ENV.8 tcp.Q2
TEST(Paths, ALargeQualifierIsReachedOnEitherWay) {
  const Ia ia = open_with("auto");
  const Evd evd = create_evd(ia, DAT_EVD_CR_FLAG);
  const DAT_CONN_QUAL qualifier = (DAT_CONN_QUAL{1} << 40U) + free_qualifier();
  const Psp psp = create_psp(ia, qualifier, evd);
  for (const char* ways : {"auto", "tcp", "shm"}) {
    End active(ways);
    Side passive(ia);
    EXPECT_DAT_OK(connect(active.side.ep(), address_of(ia), qualifier, "hello"));
    Cr cr = expect_request(evd);
    EXPECT_EQ(request_data(cr), "hello");
    EXPECT_DAT_OK(accept(cr, passive.ep()));
    expect_connection_event(active.side.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED,
                            active.side.ep());
    EXPECT_EQ(active.path() == "tcp", std::string(ways) == "tcp");
  }
}

// Rules: ENV.8
TEST(Paths, AQualifierHasOneOwnerWhateverItsWays) {
  for (const auto& [first, second] : {std::pair{"auto", "tcp"},
                                      {"tcp", "auto"},
                                      {"auto", "shm"},
                                      {"shm", "auto"},
                                      {"shm", "tcp"},
                                      {"tcp", "shm"}}) {
    for (const DAT_CONN_QUAL qualifier :
         {DAT_CONN_QUAL{free_ports(1)}, (DAT_CONN_QUAL{1} << 40U) + free_qualifier()}) {
      const Ia owner = open_with(first);
      const Evd evd = create_evd(owner, DAT_EVD_CR_FLAG);
      Psp psp = create_psp(owner, qualifier, evd);
      const Ia other = open_with(second);
      const Evd other_evd = create_evd(other, DAT_EVD_CR_FLAG);
      Psp late;
      EXPECT_DAT_TYPE(
          dat_psp_create(other, qualifier, other_evd, DAT_PSP_CONSUMER_FLAG, late.out()),
          DAT_CONN_QUAL_IN_USE)
          << first << ", then " << second << ", qualifier " << qualifier;
      psp.free();
      EXPECT_DAT_OK(dat_psp_create(other, qualifier, other_evd, DAT_PSP_CONSUMER_FLAG, late.out()));
    }
  }
}

} // namespace
} // namespace datum::test
