// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The conformance suite with a wire between the two ends of its connections.
#include <gtest/gtest.h>

#include <string>

#include "run.h"
#include "two_hosts.h"

namespace datum::net {
namespace {

// What depends on the order and the time in which things arrive; with --long all of it.
constexpr const char* kChosen = "DatCr*:DatEpConnect*:DatEpDisconnect*:DatEpPost*:RuleConnection*:"
                                "RuleFlush*:RuleDtoErrors*:RuleSrq*:RuleRdmaReadLimits*:"
                                "RuleIntoDisconnected*:RuleServicePoints*";

// But for what is promised in less time than a wire takes that delays, or whose relay wants a
// processor, too.
constexpr const char* kAll = "*-RuleProgress.*Within*us*";

// A reset that is lost is not sent again: whose connect was given up learns of it after a minute,
// not in time for a test of races with time limits.
constexpr const char* kWithoutResets =
    "DatEpPost*:RuleFlush*:RuleDtoErrors*:RuleSrq*:RuleRdmaReadLimits*";

// Each connection of a test takes a fifth of a second to come and go there.
constexpr const char* kFarAway = "DatCr*:DatEpDisconnect*:RuleFlush*:RuleDtoErrors*:"
                                 "RuleRdmaReadLimits*";

void run_suite(const Namespace& host, const char* address, const char* filter,
               const char* suite = DATUM_NET_CONFORMANCE) {
  // What a message waits for may have to be sent again, and again.
  host.run(std::string("exec env DATUM_RNR_TIMEOUT=3000 DATUM_TEST_ADDRESS=") + address + " " +
           suite + " --transport=tcp --gtest_brief=1 '--gtest_filter=" + filter + "'");
}

// Rules: net.C1
TEST(NetConformance, OverAWireThatReordersAndDuplicates) {
  HostAndMirror host;
  host.wire().set_faults("delay=200 reorder=500 duplicate=500");
  run_suite(host.host(), HostAndMirror::kMirror, run_long() ? kAll : kChosen);
  EXPECT_GE(host.wire().count("held_back"), 1U);
  EXPECT_GE(host.wire().count("duplicated"), 1U);
}

// Rules: net.C2
TEST(NetConformance, OverALossOf1Percent) {
  HostAndMirror host({.impatient = true});
  host.wire().set_faults("loss=100");
  run_suite(host.host(), HostAndMirror::kMirror, kWithoutResets);
  EXPECT_GE(host.wire().count("lost"), 1U);
}

// Rules: net.C3
TEST(NetConformance, OverIpv6AndASmallMtu) {
  HostAndMirror host({.mtu = 1280, .ipv6 = true});
  run_suite(host.host(), HostAndMirror::kMirror6, run_long() ? kAll : kChosen);
}

// Rules: net.C4
TEST(NetConformance, DatagramsOverAWireThatReordersAndDuplicates) {
  HostAndMirror host;
  host.wire().set_faults("delay=200 reorder=500 duplicate=500");
  run_suite(host.host(), HostAndMirror::kMirror, "Dat2Datagrams*:Dat2Liar*",
            DATUM_NET_CONFORMANCE2);
  EXPECT_GE(host.wire().count("held_back"), 1U);
  EXPECT_GE(host.wire().count("duplicated"), 1U);
}

// Rules: net.C5
TEST(NetConformance, OverADelayOf20Milliseconds) {
  HostAndMirror host;
  host.wire().set_faults("delay=20000");
  run_suite(host.host(), HostAndMirror::kMirror, kFarAway);
  EXPECT_GE(host.wire().count("offered"), 1U);
}

} // namespace
} // namespace datum::net
