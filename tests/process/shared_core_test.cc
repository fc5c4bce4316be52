// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Two processes that poll on one processor, on IAs that have TCP beside shared memory.
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "../one_core.h"
#include "connection.h"
#include "ping_pong.h"
#include "port_probe.h"

namespace datum::test {
namespace {

[[noreturn]] void ask_as_a_process(DAT_CONN_QUAL qualifier) {
  alarm(60);
  const Ia ia = open_ia();
  Side side(ia);
  const auto established = [&] {
    connect(side.ep(), address_of(ia), qualifier);
    DAT_EVENT event{};
    DAT_COUNT left = 0;
    dat_evd_wait(side.connect_evd(), DAT_TIMEOUT_INFINITE, 1, &event, &left);
    return event.event_number == DAT_CONNECTION_EVENT_ESTABLISHED;
  };
  while (!established()) dat_ep_reset(side.ep()); // the other process does not listen yet
  _exit(ask_for_answers(dequeue, side) <= kFewPolls ? 0 : 1);
}

TEST(SharedCore, APollInVainLetsTheOtherProcessRun) {
  const OneCore pinned; // an IA finds out when it is opened
  const DAT_CONN_QUAL qualifier = free_ports(1);
  const pid_t other = fork(); // before this process opens an IA
  if (other == 0) ask_as_a_process(qualifier);
  const Ia ia = open_ia();
  const Evd requests = create_evd(ia, DAT_EVD_CR_FLAG);
  const Psp psp = create_psp(ia, qualifier, requests);
  Side side(ia);
  Buffer first = side.buffer(8);
  ASSERT_DAT_OK(post_recv(side.ep(), {first.segment()}, 0));
  Cr cr = expect_request(requests);
  ASSERT_DAT_OK(accept(cr, side.ep()));
  expect_connection_event(side.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, side.ep());
  answer(dequeue, side);
  int status = 0;
  ASSERT_EQ(waitpid(other, &status, 0), other);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0)
      << "it has polled more than " << kFewPolls << " times, or died";
}

} // namespace
} // namespace datum::test
