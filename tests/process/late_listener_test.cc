// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A connect that comes before its service point. That happens if a program tells its address
// before it listens.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

#include "connection.h"
#include "port_probe.h"
#include "variable.h"

namespace datum::test {
namespace {

// A grace so long that no test waits until it ends.
constexpr const char* kLong = "60000";

// The qualifiers of these tests have no service point at first.
class LateListener : public ::testing::TestWithParam<const char*> {
 protected:
  void establish(DAT_CONN_QUAL qualifier) {
    ASSERT_DAT_OK(connect(active.ep(), address_of(passive_ia), qualifier, "asked once"));
    const Evd requests = create_evd(passive_ia, DAT_EVD_CR_FLAG);
    const Psp psp = create_psp(passive_ia, qualifier, requests);
    Cr cr = expect_request(requests);
    EXPECT_EQ(request_data(cr), "asked once");
    ASSERT_DAT_OK(accept(cr, passive.ep()));
    expect_connection_event(active.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, active.ep());
    expect_connection_event(passive.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, passive.ep());
    EXPECT_NO_EVENT(requests);
  }

  const Variable way{"DATUM_TRANSPORT", GetParam()};
  const Variable grace{"DATUM_CONNECT_GRACE", kLong};
  const Ia active_ia = open_ia();
  const Ia passive_ia = open_ia();
  Side active{active_ia};
  Side passive{passive_ia};
};

INSTANTIATE_TEST_SUITE_P(Over, LateListener, testing::Values("shm", "tcp", "auto"),
                         [](const auto& way) { return std::string(way.param); });

// Rules: CONN.27 ENV.12
TEST_P(LateListener, IsFoundAtItsPort) {
  establish(free_ports(1));
}

// Rules: CONN.27
TEST_P(LateListener, IsFoundAtALargeQualifier) {
  establish(0x1234567800000000U + free_ports(1));
}

// Rules: CONN.10 CONN.28
TEST_P(LateListener, IsWaitedForUntilTheEndpointIsDisconnected) {
  const Buffer buffer = active.buffer(64);
  ASSERT_DAT_OK(post_recv(active.ep(), {buffer.segment()}, 5));
  ASSERT_DAT_OK(connect(active.ep(), address_of(passive_ia), free_ports(1)));
  EXPECT_EQ(ep_state(active.ep()), DAT_EP_STATE_ACTIVE_CONNECTION_PENDING);
  ASSERT_DAT_OK(dat_ep_disconnect(active.ep(), DAT_CLOSE_GRACEFUL_FLAG));
  expect_connection_event(active.connect_evd(), DAT_CONNECTION_EVENT_DISCONNECTED, active.ep());
  expect_dto(active.recv_evd(), active.ep(), 5, DAT_DTO_ERR_FLUSHED);
  EXPECT_NO_EVENT(active.connect_evd());
}

// Rules: CONN.11 CONN.28
TEST_P(LateListener, IsWaitedForUntilTheEndpointIsFreed) {
  ASSERT_DAT_OK(connect(active.ep(), address_of(passive_ia), free_ports(1)));
  active.ep().free();
  EXPECT_NO_EVENT(active.connect_evd());
}

// Rules: CONN.28
TEST_P(LateListener, IsWaitedForUntilTheIaIsClosed) {
  Ia ia = open_ia();
  Side side(ia);
  ASSERT_DAT_OK(connect(side.ep(), address_of(passive_ia), free_ports(1)));
  side.give_up();
  EXPECT_DAT_OK(dat_ia_close(ia.release(), DAT_CLOSE_ABRUPT_FLAG));
}

// Rules: CONN.3 CONN.27 ENV.12
TEST_P(LateListener, IsWaitedForNoLongerThanTheGrace) {
  for (const char* value : {"0", "5"}) {
    const Variable short_grace("DATUM_CONNECT_GRACE", value);
    const Ia ia = open_ia();
    Side side(ia);
    ASSERT_DAT_OK(connect(side.ep(), address_of(passive_ia), free_ports(1)));
    expect_connection_event(side.connect_evd(), DAT_CONNECTION_EVENT_NON_PEER_REJECTED, side.ep());
  }
}

class LateListenerOfBothWays : public testing::Test {
 protected:
  // Makes the service point, and accepts the connect of `active`.
  void establish() {
    const Evd requests = create_evd(passive_ia, DAT_EVD_CR_FLAG);
    const Psp psp = create_psp(passive_ia, qualifier, requests);
    Cr cr = expect_request(requests);
    ASSERT_DAT_OK(accept(cr, passive.ep()));
    expect_connection_event(active.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, active.ep());
    expect_connection_event(passive.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, passive.ep());
    const std::string path = told_of(active.ep(), "datum_path");
    EXPECT_TRUE(path.starts_with("shm ")) << path;
    EXPECT_NO_EVENT(requests);
  }

  const Variable way{"DATUM_TRANSPORT", "auto"};
  const Variable grace{"DATUM_CONNECT_GRACE", kLong};
  const Ia active_ia = open_ia();
  const Ia passive_ia = open_ia();
  Side active{active_ia};
  Side passive{passive_ia};
  const std::uint16_t qualifier = free_ports(1);
};

// At its first attempt the connect may find the listener of shared memory, that of TCP, or none. In
// each case it must end up on shared memory.
// Rules: CONN.27 ENV.8
TEST_F(LateListenerOfBothWays, IsReachedThroughSharedMemory) {
  for (int round = 0; round < 200 && !testing::Test::HasFailure(); ++round) {
    SCOPED_TRACE(round);
    ASSERT_DAT_OK(connect(active.ep(), address_of(passive_ia), qualifier));
    // The service point comes up to 4 ms later. The test waits by the clock, since the length of a
    // yield depends on the load of the machine.
    const auto moment = std::chrono::steady_clock::now() + round * std::chrono::microseconds{20};
    while (std::chrono::steady_clock::now() < moment) {
    }
    establish();
    ASSERT_DAT_OK(dat_ep_disconnect(active.ep(), DAT_CLOSE_ABRUPT_FLAG));
    for (Side* side : {&active, &passive}) {
      expect_connection_event(side->connect_evd(), DAT_CONNECTION_EVENT_DISCONNECTED, side->ep());
      ASSERT_DAT_OK(dat_ep_reset(side->ep()));
    }
  }
}

// A TCP listener whose queue is full, so that it answers no SYN.
class FullListener {
 public:
  explicit FullListener(std::uint16_t port) {
    const int on = 1;
    ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    const auto* const name = reinterpret_cast<const sockaddr*>(&address);
    EXPECT_EQ(::bind(listener_, name, sizeof address), 0);
    EXPECT_EQ(::listen(listener_, 0), 0);
    EXPECT_EQ(::connect(only_guest_, name, sizeof address), 0);
  }
  ~FullListener() {
    ::close(listener_);
    ::close(only_guest_);
  }
  FullListener(const FullListener&) = delete;
  FullListener& operator=(const FullListener&) = delete;

 private:
  const int listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int only_guest_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
};

// The connect has found no listener, and its SYN is on the way when the service point comes. On a
// busy machine that takes no full queue. TCP repeats the SYN after a second.
// Rules: CONN.27 ENV.8
TEST_F(LateListenerOfBothWays, IsReachedThroughSharedMemoryByAConnectThatIsOnItsWay) {
  auto full = std::make_unique<FullListener>(qualifier);
  ASSERT_DAT_OK(connect(active.ep(), address_of(passive_ia), qualifier));
  full.reset();
  establish();
}

// Rules: ENV.12
TEST(Environment, ABadConnectGraceIsSaidAndIgnored) {
  for (const char* value : {"", "long", "60001", "-1", "50 "}) {
    const Variable grace("DATUM_CONNECT_GRACE", value);
    testing::internal::CaptureStderr();
    const Ia ia = open_ia();
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_NE(said.find("DATUM_CONNECT_GRACE=\"" + std::string(value) + "\" is ignored"),
              std::string::npos)
        << said;
    EXPECT_NE(said.find("using 50"), std::string::npos) << said;
  }
}

} // namespace
} // namespace datum::test
