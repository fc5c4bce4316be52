// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The main program of squatter_test.cc over DAT 2.0. It has none of the other process tests.
#include <gtest/gtest.h>

#include <cstring>

#include "peer_main.h"
#include "stranger.h"
#include "transport.h"

int main(int argc, char** argv) {
  datum::test::choose_transport(&argc, argv);
  if (argc == 2 && std::strcmp(argv[1], "--peer") == 0) return datum::test::peer_main();
  if (datum::test::is_stranger(argc, argv)) return datum::test::stranger_main(argv);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
