// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat-perf between network namespaces, and addresses that lead nowhere.
#include <gtest/gtest.h>

#include "perf_process.h"
#include "tests/own_network.h"

namespace datum::perf {
namespace {

// Runs the script beside another network namespace, `far`, the only one with the address 192.0.2.2.
// Waits for the processes that the script starts. The script must not contain a single quote.
Ended run_beside_far(const std::string& script) {
  return run(test::in_own_network_and_mounts() +
             "sh -ec '"
             "mount -t tmpfs none /run; ip netns add far; "
             "ip link add near type veth peer name far netns far; "
             "ip address add 192.0.2.1/24 dev near; ip -n far address add 192.0.2.2/24 dev far; "
             "ip link set lo up; ip link set near up; ip -n far link set far up; " +
             script + "' 2>&1");
}

TEST(DatPerf, LocalMeasuresThroughWhatConnectsTwoNetworkNamespaces) {
  if (const std::string why = test::why_no_namespaces(); !why.empty()) GTEST_SKIP() << why;
  const Ended ended = run_beside_far(
      "exec " + kPerf +
      " --local --netns far=192.0.2.2 -t send-lat -s 8 --repeat 1 --time 1 --json -q");
  EXPECT_EQ(ended.code, 0) << ended.output;
  EXPECT_EQ(count(ended.output, "\"transport\": \"tcp\""), 1U) << ended.output;
  EXPECT_EQ(count(ended.output, "\"limit\": \"tcp 8 B\""), 1U) << ended.output;
}

TEST(DatPerf, SharedMemoryIntoAnotherNetworkNamespaceIsWrongUsage) {
  if (const std::string why = test::why_no_namespaces(); !why.empty()) GTEST_SKIP() << why;
  const std::string perf = kPerf + " --local --netns far=192.0.2.2" + kShort + "-t send-lat -s 8 ";
  for (const std::string& command : {perf + "--transport shm", "DATUM_TRANSPORT=shm " + perf}) {
    const Ended ended = run_beside_far(command);
    EXPECT_EQ(ended.code, 2) << ended.output;
    EXPECT_EQ(ended.output,
              "dat-perf: --netns: /run/netns/far is another network namespace, and shared memory "
              "does not reach into it (take tcp or auto in place of shm)\n");
  }
}

// The server ends with its client.
TEST(DatPerf, AClientMeasuresWithAServerOnAnotherHost) {
  if (const std::string why = test::why_no_namespaces(); !why.empty()) GTEST_SKIP() << why;
  const Ended ended = run_beside_far(
      "nsenter --net=/run/netns/far timeout 50 " + kPerf + " --server --once >/run/said & " +
      "until grep \"port 5212\" /run/said; do sleep 0.1; done; " + kPerf +
      " 192.0.2.2 -t send-lat,write-lat,read-lat,send-bw,write-bw,read-bw,connect -s 8,70000" +
      kShort + "|| { kill $!; exit 1; }; wait $!; echo the server has ended");
  EXPECT_EQ(ended.code, 0) << ended.output;
  EXPECT_EQ(count(ended.output, "\"transport\": \"tcp\""), 13U) << ended.output;
  EXPECT_EQ(count(ended.output, "\"median\""), 13U) << ended.output;
  EXPECT_EQ(count(ended.output, "the server has ended"), 1U) << ended.output;
}

TEST(DatPerf, ANetworkNamespaceThatThereIsNotIsWrongUsage) {
  const Ended ended = run(kPerf + " --local --netns nowhere/net=192.0.2.2" + kShort + "2>&1");
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(count(ended.output, "nowhere/net: No such file or directory"), 1U) << ended.output;
  EXPECT_EQ(run(kPerf + " --local --netns nowhere" + kShort + "2>&1").code, 2);
}

TEST(DatPerf, AnAddressOfTheFarSideThatIsNoneIsOneError) {
  const Ended ended =
      run(kPerf + " --local --netns far=not.an.address. -t send-lat -s 8 --repeat 1 --time 1 2>&1");
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.output.rfind("dat-perf: host \"not.an.address.\": ", 0), 0U) << ended.output;
  EXPECT_EQ(count(ended.output, "\n"), 1U) << ended.output;
}

// A link-local address without its interface.
TEST(DatPerf, AnAddressThatNothingCanBeSentToIsWrongUsage) {
  const Ended ended = run(kPerf + " fe80::1 --port 7 2>&1");
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(count(ended.output, "needs its interface, as in fe80::1%eth0)\n"), 1U) << ended.output;
}

} // namespace
} // namespace datum::perf
