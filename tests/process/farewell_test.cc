// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A program that ends as soon as its connection has ended, without closing its IA. Its peer must be
// told of an orderly end, not of a death.
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "connection.h"
#include "port_probe.h"
#include "variable.h"

namespace datum::test {
namespace {

constexpr int kPrograms = 10; // in a single program the defect may not show by chance

struct Program {
  pid_t id;
  int to; // one octet lets the program begin
};

// Connects, disconnects, waits for the event of the disconnect, and ends.
[[noreturn]] void run_program(DAT_CONN_QUAL qualifier, DAT_CLOSE_FLAGS how) {
  const Ia ia = open_ia();
  Side side(ia);
  connect(side.ep(), address_of(ia), qualifier);
  expect_connection_event(side.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, side.ep());
  dat_ep_disconnect(side.ep(), how);
  expect_connection_event(side.connect_evd(), DAT_CONNECTION_EVENT_DISCONNECTED, side.ep());
  _exit(0);
}

// Forks, so it must come before this process opens an IA.
Program make_program(DAT_CONN_QUAL qualifier, DAT_CLOSE_FLAGS how) {
  int line[2];
  EXPECT_EQ(pipe(line), 0);
  const pid_t id = fork();
  if (id == 0) {
    close(line[1]);
    char begin = 0;
    if (read(line[0], &begin, 1) != 1) _exit(1);
    run_program(qualifier, how);
  }
  close(line[0]);
  return {id, line[1]};
}

class Farewell : public ::testing::TestWithParam<std::tuple<const char*, bool>> {};

std::string name_of_way(const testing::TestParamInfo<std::tuple<const char*, bool>>& of) {
  return std::string(std::get<0>(of.param)) + (std::get<1>(of.param) ? "Graceful" : "Abrupt");
}

INSTANTIATE_TEST_SUITE_P(Over, Farewell,
                         testing::Combine(testing::Values("shm", "tcp", "auto"), testing::Bool()),
                         name_of_way);

// Rules: DISC.6
TEST_P(Farewell, OfAProgramThatEndsAtOnceIsHeard) {
  const auto& [path, graceful] = GetParam();
  const Variable way{"DATUM_TRANSPORT", path};
  const DAT_CONN_QUAL qualifier = free_ports(1);
  std::vector<Program> programs;
  for (int i = 0; i < kPrograms; ++i)
    programs.push_back(
        make_program(qualifier, graceful ? DAT_CLOSE_GRACEFUL_FLAG : DAT_CLOSE_ABRUPT_FLAG));
  const Ia ia = open_ia();
  const Evd requests = create_evd(ia, DAT_EVD_CR_FLAG);
  const Psp psp = create_psp(ia, qualifier, requests);
  for (const Program& each : programs) {
    Side side(ia);
    EXPECT_EQ(write(each.to, "", 1), 1);
    Cr cr = expect_request(requests);
    EXPECT_DAT_OK(accept(cr, side.ep()));
    expect_connection_event(side.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, side.ep());
    expect_connection_event(side.connect_evd(), DAT_CONNECTION_EVENT_DISCONNECTED, side.ep());
    close(each.to);
    EXPECT_EQ(waitpid(each.id, nullptr, 0), each.id);
  }
}

} // namespace
} // namespace datum::test
