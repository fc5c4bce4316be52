// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The test program that scripts/siw.sh runs beside a siw device.
#include <gtest/gtest.h>

#include <csignal>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  std::signal(SIGPIPE, SIG_IGN); // a peer that is gone fails one test, not the program
  return RUN_ALL_TESTS();
}
