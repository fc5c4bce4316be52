// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The main program of the process tests. It forks the executioner before it has threads.
#include "process_main.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "doomed.h"
#include "peer_main.h"
#include "stranger.h"
#include "tracer.h"
#include "transport.h"
#include "victim.h"

namespace datum::test {

namespace {

constexpr const char* kBindNow = "LD_BIND_NOW";

const Executioner* the_executioner = nullptr;
bool is_long = false;

} // namespace

const Executioner& executioner() {
  return *the_executioner;
}

bool may_trace() {
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    pause();
  }
  const bool traced = Tracer(child).attached();
  kill(child, SIGKILL);
  waitpid(child, nullptr, __WALL);
  return traced;
}

bool run_long() {
  return is_long;
}

} // namespace datum::test

int main(int argc, char** argv) {
  datum::test::choose_transport(&argc, argv);
  if (argc == 2 && std::strcmp(argv[1], "--peer") == 0) return datum::test::peer_main();
  if (datum::test::is_stranger(argc, argv)) return datum::test::stranger_main(argv);
  if (datum::test::is_doomed(argc, argv)) return datum::test::doomed_main(argv);
  for (int i = 1; i < argc; ++i)
    datum::test::is_long = datum::test::is_long || std::strcmp(argv[i], "--long") == 0;
  // Without this variable a victim's first call of each function would take a thousand instructions
  // of the dynamic linker.
  if (datum::test::is_long && std::getenv(datum::test::kBindNow) == nullptr) {
    setenv(datum::test::kBindNow, "1", 1);
    execv("/proc/self/exe", argv);
  }
  testing::InitGoogleTest(&argc, argv); // makes the tests, which depend on --long
  // A victim that is followed instruction by instruction posts its Recvs late, so its messages must
  // be allowed to wait.
  setenv("DATUM_RNR_TIMEOUT", "60000", 1);
  const datum::test::Executioner executioner(&datum::test::be_victim);
  datum::test::the_executioner = &executioner;
  return RUN_ALL_TESTS();
}
