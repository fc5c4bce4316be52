// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The test program; with --peer it is the second process of a test instead.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstring>

#include "peer_main.h"
#include "transport.h"

namespace {

// Some tests hold more connections than the default limit of descriptors allows.
void take_more_descriptors() {
  constexpr rlim_t kEnough = 8192;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= kEnough) return;
  limit.rlim_cur = std::min(limit.rlim_max, kEnough);
  setrlimit(RLIMIT_NOFILE, &limit);
}

} // namespace

int main(int argc, char** argv) {
  take_more_descriptors();
  datum::test::choose_transport(&argc, argv);
  if (argc == 2 && std::strcmp(argv[1], "--peer") == 0) return datum::test::peer_main();
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
