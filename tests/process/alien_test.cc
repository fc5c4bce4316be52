// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Processes that share more with us than they should.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "connection.h"
#include "tests/abstract_name.h"
#include "two_processes.h"
#include "variable.h"

namespace datum::test {

namespace {

void exchange(ConnectedPair& pair) {
  Buffer source = pair.active().buffer(64);
  Buffer target = pair.passive().buffer(64);
  source.fill(7);
  EXPECT_DAT_OK(post_recv(pair.passive().ep(), {target.segment()}, 1));
  EXPECT_DAT_OK(post_send(pair.active().ep(), {source.segment()}, 2));
  expect_dto(pair.passive().recv_evd(), pair.passive().ep(), 1);
  expect_dto(pair.active().request_evd(), pair.active().ep(), 2);
  EXPECT_TRUE(target.holds(7, 0, 64));
}

int status_of_child(const std::function<void()>& body) {
  std::fflush(nullptr); // or the child writes it again
  const pid_t child = fork();
  if (child == 0) {
    body();
    _exit(3);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

// Rules: THREAD.12
TEST(ForkedChild, MayEndWithoutDisturbingItsParentsConnections) {
  ConnectedPair pair;
  exchange(pair);
  EXPECT_EQ(status_of_child([] { std::exit(0); }), 0);
  exchange(pair);
  EXPECT_EQ(status_of_child([] { execl("/bin/true", "true", static_cast<char*>(nullptr)); }), 0);
  exchange(pair);
  EXPECT_EQ(WTERMSIG(status_of_child([] { std::raise(SIGKILL); })), SIGKILL);
  exchange(pair);
}

// Rules: THREAD.12
TEST(ForkedChild, FindsItsParentsHandlesInvalidAndHarmsNothingByUsingThem) {
  ConnectedPair pair;
  exchange(pair);
  const int status = status_of_child([&pair] {
    DAT_EVENT event;
    const DAT_RETURN answers[] = {
        dat_ep_disconnect(pair.active().ep(), DAT_CLOSE_ABRUPT_FLAG),
        dat_evd_dequeue(pair.passive().recv_evd(), &event),
        dat_ia_close(pair.active().ia(), DAT_CLOSE_ABRUPT_FLAG),
    };
    for (const DAT_RETURN answer : answers)
      if (DAT_GET_TYPE(answer) != DAT_INVALID_HANDLE) _exit(1);
    _exit(0);
  });
  EXPECT_EQ(status, 0);
  exchange(pair);
}

// Other threads may hold any lock of the library while a child is made, which nobody in the child
// will ever give back: calls with handles of the parent take none.
// Rules: THREAD.12
TEST(ForkedChild, FindsHandlesInvalidAtOnceThoughItsParentWasOpeningAndClosing) {
  ConnectedPair pair;
  const Cno cno = create_cno(pair.active().ia());
  std::atomic<bool> done{false};
  std::vector<std::thread> busy;
  for (int i = 0; i < 3; ++i)
    busy.emplace_back([&done] {
      while (!done) open_ia().free();
    });
  for (int round = 0; round < 40; ++round) {
    const int status = status_of_child([&] {
      alarm(60);
      DAT_EVENT event;
      const DAT_EVD_HANDLE evd = pair.active().recv_evd();
      DAT_EVD_HANDLE async = evd;
      DAT_EVD_HANDLE triggered = DAT_HANDLE_NULL;
      DAT_PZ_HANDLE pz = DAT_HANDLE_NULL;
      DAT_IA_HANDLE ia = DAT_HANDLE_NULL;
      DAT_COUNT more = 0;
      const DAT_RETURN answers[] = {
          dat_evd_dequeue(evd, &event),
          dat_evd_wait(evd, DAT_TIMEOUT_INFINITE, 1, &event, &more),
          dat_cno_wait(cno, DAT_TIMEOUT_INFINITE, &triggered),
          dat_pz_create(pair.active().ia(), &pz),
          dat_ia_query(pair.active().ia(), nullptr, 0, nullptr, 0, nullptr),
          dat_ep_free(pair.passive().ep()),
          dat_ia_open(const_cast<char*>(ia_name().c_str()), 8, &async, &ia),
          dat_ia_close(pair.active().ia(), DAT_CLOSE_ABRUPT_FLAG),
      };
      for (const DAT_RETURN answer : answers)
        if (DAT_GET_TYPE(answer) != DAT_INVALID_HANDLE) _exit(1);
      _exit(0);
    });
    ASSERT_EQ(status, 0) << "round " << round;
  }
  done = true;
  for (std::thread& thread : busy) thread.join();
  exchange(pair);
}

// Binds the rendezvous name of an address as another user, and says whether anybody spoke to it.
class Squatter {
 public:
  Squatter(const std::string& name, uid_t user) {
    int ready[2];
    int stop[2];
    if (pipe(ready) != 0 || pipe(stop) != 0) std::abort();
    child_ = fork();
    if (child_ == 0) {
      close(stop[1]);
      squat(name, user, ready[1], stop[0]);
    }
    close(ready[1]);
    close(stop[0]);
    stop_ = stop[1];
    char byte = 0;
    holds_ = read(ready[0], &byte, 1) == 1;
    close(ready[0]);
  }
  bool holds() const { return holds_; }
  // True: it was told something.
  bool end() {
    close(stop_);
    int status = 0;
    waitpid(child_, &status, 0);
    return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
  }

 private:
  [[noreturn]] static void squat(const std::string& name, uid_t user, int ready, int stop) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (setuid(user) != 0) _exit(2);
    const int socket_fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0);
    sockaddr_un address;
    const socklen_t length = to_sockaddr(name, address);
    if (::bind(socket_fd, reinterpret_cast<sockaddr*>(&address), length) != 0 ||
        ::listen(socket_fd, 8) != 0 || write(ready, "", 1) != 1)
      _exit(2);
    char byte = 0;
    [[maybe_unused]] const ssize_t ended = read(stop, &byte, 1);
    for (int caller = ::accept(socket_fd, nullptr, nullptr); caller >= 0;
         caller = ::accept(socket_fd, nullptr, nullptr)) {
      char words[256];
      if (recv(caller, words, sizeof words, MSG_DONTWAIT) > 0) _exit(1);
    }
    _exit(0);
  }

  pid_t child_ = -1;
  int stop_ = -1;
  bool holds_ = false;
};

std::string rendezvous_of(DAT_IA_ADDRESS_PTR address, DAT_CONN_QUAL qualifier) {
  char text[INET6_ADDRSTRLEN] = {};
  sockaddr_in v4{};
  std::memcpy(&v4, address, sizeof v4);
  if (v4.sin_family == AF_INET) {
    inet_ntop(AF_INET, &v4.sin_addr, text, sizeof text);
  } else {
    sockaddr_in6 v6{};
    std::memcpy(&v6, address, sizeof v6);
    inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof text);
  }
  return "datum/1/" + std::string(text) + "/" + std::to_string(qualifier);
}

// A process that asks whether somebody listens, and has come no further.
int knock_at(const std::string& name) {
  const int knocker = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  sockaddr_un address;
  const socklen_t length = to_sockaddr(name, address);
  if (::connect(knocker, reinterpret_cast<sockaddr*>(&address), length) == 0) return knocker;
  ::close(knocker);
  return -1;
}

// Rules: PROTECT.9
TEST(ForkedChild, DoesNotKeepThoseWaitingWhoKnockedAtItsParent) {
  constexpr int kAccepted = 100'000; // us
  constexpr int kOneSecond = 1000;   // ms
  PeerProcess listener = PeerProcess::of_this_program();
  const std::string qualifier = listener.ask("listen");
  const Ia ia = open_ia();
  int knocker = knock_at("datum/1/*/" + qualifier);
  if (knocker < 0) knocker = knock_at(rendezvous_of(address_of(ia), std::stoull(qualifier)));
  ASSERT_GE(knocker, 0);
  ::usleep(kAccepted);
  EXPECT_EQ(listener.ask("fork"), "forked");
  listener.kill();
  pollfd hangup{knocker, POLLIN, 0};
  EXPECT_EQ(poll(&hangup, 1, kOneSecond), 1) << "the child, which lives on, has a copy";
  ::close(knocker);
}

class SquatterTest : public testing::Test {
 protected:
  static constexpr uid_t kNobody = 65534;
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "becoming another user needs root";
  }
};

TEST_F(SquatterTest, OnAFreeQualifierIsToldNothing) {
  const Ia ia = open_ia();
  Side side(ia);
  DAT_CONN_QUAL qualifier = 0;
  {
    const Listener once(ia);
    qualifier = once.qualifier();
  }
  Squatter squatter(rendezvous_of(address_of(ia), qualifier), kNobody);
  ASSERT_TRUE(squatter.holds());
  EXPECT_DAT_OK(connect(side.ep(), address_of(ia), qualifier));
  expect_connection_event(side.connect_evd(), DAT_CONNECTION_EVENT_NON_PEER_REJECTED, side.ep());
  EXPECT_FALSE(squatter.end());
}

TEST_F(SquatterTest, BesideAServicePointGetsNoneOfItsConnections) {
  PairOptions options;
  options.connected = false;
  ConnectedPair pair(options);
  Listener listener(pair.passive_ia());
  DAT_IA_ADDRESS_PTR address = address_of(pair.passive_ia());
  Squatter squatter(rendezvous_of(address, listener.qualifier()), kNobody);
  // Where the service point itself has that name the squatter cannot even take it.
  EXPECT_DAT_OK(connect(pair.active().ep(), listener));
  Cr cr = listener.expect_request();
  EXPECT_DAT_OK(accept(cr, pair.passive().ep()));
  expect_connection_event(pair.active().connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED,
                          pair.active().ep());
  if (squatter.holds())
    EXPECT_FALSE(squatter.end());
  else
    squatter.end();
}

// Nothing else than a name can be in the way of a qualifier that is no port.
TEST_F(SquatterTest, BesideALargeQualifierOverTcpGetsNoneOfItsConnections) {
  const auto open_with = [](const char* ways) {
    const Variable transport("DATUM_TRANSPORT", ways);
    return open_ia();
  };
  const Ia ia = open_with("tcp");
  const Evd evd = create_evd(ia, DAT_EVD_CR_FLAG);
  const DAT_CONN_QUAL qualifier = (DAT_CONN_QUAL{1} << 40U) + free_qualifier();
  const Psp psp = create_psp(ia, qualifier, evd);
  const std::string name = rendezvous_of(address_of(ia), qualifier);
  Squatter at_address(name, kNobody);
  Squatter at_every("datum/1/*/" + std::to_string(qualifier), kNobody);
  EXPECT_NE(at_address.holds(), at_every.holds()) << "one of them is the service point's";
  const Ia other = open_with("auto");
  Side active(other);
  Side passive(ia);
  EXPECT_DAT_OK(connect(active.ep(), address_of(ia), qualifier));
  Cr cr = expect_request(evd);
  EXPECT_DAT_OK(accept(cr, passive.ep()));
  expect_connection_event(active.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, active.ep());
  EXPECT_EQ(told_of(active.ep(), "datum_path"), "tcp");
  Squatter& squatter = at_every.holds() ? at_every : at_address;
  Squatter& refused = at_every.holds() ? at_address : at_every;
  EXPECT_FALSE(squatter.end());
  refused.end();
}

} // namespace

} // namespace datum::test
