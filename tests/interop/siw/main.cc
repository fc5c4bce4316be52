// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The test program that scripts/siw.sh runs against a siw device. With --peer it is a second
// process with an endpoint of ours instead.
#include <gtest/gtest.h>

#include <csignal>
#include <cstring>

#include "../../conformance/harness/peer_main.h"

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--peer") == 0) return datum::test::peer_main();
  testing::InitGoogleTest(&argc, argv);
  std::signal(SIGPIPE, SIG_IGN); // a peer that has ended must fail one test, not end the program
  return RUN_ALL_TESTS();
}
