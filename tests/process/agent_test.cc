// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Proxy agents that run in the library's own thread, while no thread of the program is in a call.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <future>

#include "connection.h"

namespace datum::test {
namespace {

// A proxy agent of a CNO. At the next trigger of the CNO it calls `run`, in the thread that has
// found the event.
struct Agent {
  std::function<void()> run;
  std::promise<void> done;
  DAT_OS_WAIT_PROXY_AGENT proxy() {
    return {this, [](DAT_PVOID data, DAT_EVD_HANDLE) {
              auto* self = static_cast<Agent*>(data);
              self->run();
              self->done.set_value();
            }};
  }
};

// Waits without a call of DAT, and returns whether the agent has run.
bool runs_alone(Agent& agent) {
  return agent.done.get_future().wait_for(std::chrono::seconds(30)) == std::future_status::ready;
}

struct Wired {
  explicit Wired(Agent& agent) : ia(open_ia()), peer_ia(open_ia()), cno(create_cno(ia)) {
    SideOptions options;
    options.cno = cno;
    side = std::make_unique<Side>(ia, options);
    peer = std::make_unique<Side>(peer_ia);
    establish(*peer, *side);
    into = std::make_unique<Buffer>(side->buffer(16));
    from = std::make_unique<Buffer>(peer->buffer(16));
    EXPECT_DAT_OK(post_recv(side->ep(), {into->segment()}, 1));
    EXPECT_DAT_OK(dat_cno_modify_agent(cno, agent.proxy()));
  }
  void send() { EXPECT_DAT_OK(post_send(peer->ep(), {from->segment()}, 2)); }

  Ia ia;
  Ia peer_ia;
  Cno cno;
  std::unique_ptr<Side> side;
  std::unique_ptr<Side> peer;
  std::unique_ptr<Buffer> into;
  std::unique_ptr<Buffer> from;
};

// Rules: dat_ia_close.R28
TEST(Agent, InTheLibrarysThreadCannotCloseItsIa) {
  Agent agent;
  Wired wired(agent);
  DAT_RETURN answer = DAT_SUCCESS;
  agent.run = [&] { answer = dat_ia_close(wired.ia, DAT_CLOSE_ABRUPT_FLAG); };
  wired.send();
  ASSERT_TRUE(runs_alone(agent));
  EXPECT_DAT_ERROR(answer, DAT_INVALID_STATE, DAT_INVALID_STATE_IA_IN_USE);
  expect_dto(wired.side->recv_evd(), wired.side->ep(), 1);
  expect_dto(wired.peer->request_evd(), wired.peer->ep(), 2);
}

// Rules: THREAD.14
TEST(Agent, MayEndTheProcess) {
  std::fflush(nullptr); // otherwise the child writes the buffered output again
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    Agent agent;
    Wired wired(agent);
    agent.run = [] { std::exit(7); };
    wired.send();
    runs_alone(agent);
    _exit(3);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

} // namespace
} // namespace datum::test
