// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The conformance suites of DAT 1.2 and 2.0, with a wire between the two ends of their connections.
// Runs a selection of the tests, or all of them with --long.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <ostream>
#include <string>
#include <vector>

#include "run.h"
#include "two_hosts.h"
#include "variable.h"

namespace datum::net {
namespace {

// The tests whose results depend on the order and the time in which frames arrive.
constexpr const char* kMost = "DatCr*:DatEpConnect*:DatEpDisconnect*:DatEpPost*:RuleConnection*:"
                              "RuleFlush*:RuleDtoErrors*:RuleSrq*:RuleRdmaReadLimits*:"
                              "RuleIntoDisconnected*:RuleServicePoints*";
// With a delay of 20 ms, each connection of a test needs a fifth of a second to come and go.
constexpr const char* kFew = "DatCr*:DatEpDisconnect*:RuleFlush*:RuleDtoErrors*:"
                             "RuleRdmaReadLimits*";
constexpr const char* kData = "DatEpPost*:RuleFlush*:RuleDtoErrors*:RuleSrq*:RuleRdmaReadLimits*";
constexpr const char* kSome = "DatEpPost*:RuleFlush*";
constexpr const char* kData2 = "Dat2Atomics*:Dat2Extensions*:Dat2ExtendedFlags*";
constexpr const char* kFew2 = "Dat2Extensions*"; // other tests poll while they wait for the wire
constexpr const char* kDatagrams = "Dat2Datagrams*:Dat2Liar*";

// How many parts of a suite run at a time. They mostly wait for the wire or for each other.
constexpr int kAtATime = 4;

// The number of frames that the wire must carry at least: a third to a fifth of the frames that the
// chosen tests cause.
struct Frames {
  std::uint64_t of_dat1;
  std::uint64_t of_dat2;
};

struct Kind {
  const char* name;
  Frames frames;
  const char* chosen;
  const char* chosen2 = kData2;
  const char* faults = "";
  std::vector<const char*> counted = {}; // faults that the relay must have counted
  Wiring wiring = {};
  // By how much the wire may delay the last octet of a large message. A relay that waits for a
  // processor delays it by milliseconds.
  int way_ms = 100;
};

std::ostream& operator<<(std::ostream& out, const Kind& kind) {
  return out << kind.name;
}

class NetConformance : public testing::TestWithParam<Kind> {
 protected:
  void run(const char* suite, const char* chosen, std::uint64_t frames) {
    if (run_long()) chosen = "*";
    if (chosen_tests() != nullptr) {
      chosen = chosen_tests();
      frames = 1;
    }
    HostAndMirror host(GetParam().wiring);
    host.wire().set_faults(GetParam().faults);
    std::vector<std::string> parts;
    const int count = run_long() ? kAtATime : 1;
    for (int part = 0; part < count; ++part)
      parts.push_back(environment(part, count) + suite +
                      " --transport=tcp --gtest_brief=1 '--gtest_filter=" + chosen + "'");
    host.host().run_together(parts);
    EXPECT_GE(host.wire().count("offered"), frames);
    for (const char* fault : GetParam().counted) EXPECT_GE(host.wire().count(fault), 1U) << fault;
  }

 private:
  // TCP sends its SYN again after 1, 3, 7 and 15 s, so events may be 30 s late. A message waits
  // nearly as long for its Recv, because the consumer may be waiting for another connection
  // meanwhile. A test may itself wait until that time is over.
  std::string environment(int part, int count) const {
    return std::string("exec env DATUM_TEST_PATIENCE=6 DATUM_RNR_TIMEOUT=") +
           (run_long() ? "25000" : "3000") +
           " DATUM_TEST_WAY=" + std::to_string(GetParam().way_ms * 1000) + " DATUM_TEST_ADDRESS=" +
           (GetParam().wiring.ipv6 ? HostAndMirror::kMirror6 : HostAndMirror::kMirror) +
           " GTEST_TOTAL_SHARDS=" + std::to_string(count) +
           " GTEST_SHARD_INDEX=" + std::to_string(part) + " ";
  }
};

// Rules: net.C1 net.C2 net.C3 net.C5 net.C6 net.C7 net.C8 net.C9 net.C10 net.C11
TEST_P(NetConformance, OfDat1) {
  run(DATUM_NET_CONFORMANCE, GetParam().chosen, GetParam().frames.of_dat1);
}

// Rules: net.C4 net.C12
TEST_P(NetConformance, OfDat2) {
  run(DATUM_NET_CONFORMANCE2, GetParam().chosen2, GetParam().frames.of_dat2);
}

// Variables give the suites more time. Some tests set the same variables and must restore them.
// Rules: net.C13
TEST(NetConformanceEnvironment, IsWhatItWasBehindATestThatChangesIt) {
  constexpr const char* kName = "DATUM_RNR_TIMEOUT";
  ASSERT_EQ(std::getenv(kName), nullptr);
  {
    const test::Variable given(kName, "25000");
    { const test::Variable own(kName, "60000"); }
    EXPECT_STREQ(std::getenv(kName), "25000");
  }
  EXPECT_EQ(std::getenv(kName), nullptr);
}

INSTANTIATE_TEST_SUITE_P(
    Over, NetConformance,
    testing::Values(
        Kind{.name = "ADelayOf20Milliseconds",
             .frames = {1800, 180},
             .chosen = kFew,
             .chosen2 = kFew2,
             .faults = "delay=20000",
             .way_ms = 300},
        Kind{.name = "ALossOf1Percent",
             .frames = {5000, 2000},
             .chosen = kData,
             .faults = "loss=100",
             .counted = {"lost"},
             .wiring = {.impatient = true}},
        Kind{.name = "ALossOf10Percent",
             .frames = {1000, 200},
             .chosen = "RuleDtoErrors*:RuleRdmaReadLimits*",
             .chosen2 = kFew2,
             .faults = "loss=1000",
             .counted = {"lost"},
             .wiring = {.impatient = true},
             .way_ms = 1000},
        Kind{.name = "AWireThatReorders",
             .frames = {9000, 2500},
             .chosen = kData,
             .faults = "reorder=2000",
             .counted = {"held_back"}},
        Kind{.name = "AWireThatDuplicates",
             .frames = {600, 200},
             .chosen = kSome,
             .chosen2 = kFew2,
             .faults = "duplicate=2000",
             .counted = {"duplicated"}},
        Kind{.name = "AWireThatReordersAndDuplicates",
             .frames = {6000, 300},
             .chosen = kMost,
             .chosen2 = kDatagrams,
             .faults = "delay=200 reorder=500 duplicate=500",
             .counted = {"held_back", "duplicated"}},
        Kind{.name = "AWireWithEveryFaultAtOnce",
             .frames = {1200, 200},
             .chosen = "DatEpPost*:RuleRdmaReadLimits*",
             .chosen2 = kFew2,
             .faults = "delay=2000 loss=200 reorder=500 duplicate=500",
             .counted = {"lost", "held_back", "duplicated"},
             .wiring = {.impatient = true},
             .way_ms = 500},
        Kind{.name = "100MegabitsPerSecond",
             .frames = {4000, 1800},
             .chosen = kData,
             .wiring = {.slow = true}},
        Kind{.name = "Mtu576", .frames = {8000, 1800}, .chosen = kData, .wiring = {.mtu = 576}},
        Kind{.name = "Mtu1280AndIpv6",
             .frames = {5000, 1800},
             .chosen = kMost,
             .wiring = {.mtu = 1280, .ipv6 = true}},
        Kind{.name = "Mtu9000",
             .frames = {400, 170},
             .chosen = kSome,
             .chosen2 = kFew2,
             .wiring = {.mtu = 9000}},
        Kind{.name = "Mtu65520",
             .frames = {400, 170},
             .chosen = kSome,
             .chosen2 = kFew2,
             .wiring = {.mtu = 65520}}),
    [](const testing::TestParamInfo<Kind>& kind) { return std::string(kind.param.name); });

} // namespace
} // namespace datum::net
