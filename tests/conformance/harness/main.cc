// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The test program; with --peer it is the second process of a test instead.
#include <gtest/gtest.h>

#include <cstring>

#include "peer_main.h"
#include "transport.h"

int main(int argc, char** argv) {
  datum::test::choose_transport(&argc, argv);
  if (argc == 2 && std::strcmp(argv[1], "--peer") == 0) return datum::test::peer_main();
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
