// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The test program, which runs in network namespaces of its own. Started with --peer, it is the
// second process of a test.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "namespace.h"
#include "peer_main.h"
#include "run.h"
#include "transport.h"

namespace datum::net {
namespace {

bool is_long = false;
unsigned seed_option = 1;
const char* chosen_option = nullptr;

bool has(int argc, char** argv, const char* word) {
  for (int i = 1; i < argc; ++i)
    if (std::strcmp(argv[i], word) == 0) return true;
  return false;
}

void read_options(int argc, char** argv) {
  is_long = has(argc, argv, "--long");
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::strcmp(argv[i], "--seed") == 0)
      seed_option = static_cast<unsigned>(std::strtoul(argv[i + 1], nullptr, 10));
    if (std::strcmp(argv[i], "--chosen") == 0) chosen_option = argv[i + 1];
  }
}

} // namespace

bool run_long() {
  return is_long;
}

const char* chosen_tests() {
  return chosen_option;
}

unsigned first_seed() {
  return seed_option;
}

} // namespace datum::net

int main(int argc, char** argv) {
  setenv("DATUM_TEST_TRANSPORT", "tcp", 1);
  // Listing the tests needs no namespace.
  if (!datum::net::has(argc, argv, "--gtest_list_tests")) {
    datum::net::enter_own_namespaces(argv);
    datum::test::choose_transport(&argc, argv);
  }
  if (datum::net::has(argc, argv, "--peer")) return datum::test::peer_main();
  testing::InitGoogleTest(&argc, argv);
  datum::net::read_options(argc, argv);
  return RUN_ALL_TESTS();
}
