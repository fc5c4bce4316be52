// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Forked children inherit the parent's handles, locks and sockets. A child must find the handles
// invalid. It must not hang, and must not disturb a connection of the parent.
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
#include "squatter.h"
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
  std::fflush(nullptr); // otherwise the child writes the buffered output again
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

// At a fork other threads may hold any lock of the library. In the child no thread will ever unlock
// such a lock, so calls with handles of the parent must not take a lock.
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

// Connects as a dialler does and sends nothing.
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

} // namespace

} // namespace datum::test
