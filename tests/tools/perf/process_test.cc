// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat-perf as a user runs it. The tests do not judge figures, only that there are some.
#include <gtest/gtest.h>

#include <sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <optional>
#include <regex>

#include "command.h"
#include "filtered_command.h"
#include "full_pipe.h"
#include "tests/own_network.h"

namespace datum::perf {
namespace {

using test::Ended;
using test::run;
using test::run_until;
using test::Served;

const std::string kPerf = DAT_PERF_PROGRAM;
const std::string kShort = " --repeat 1 --time 1 --no-limits --json ";

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t n = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
  return n;
}

TEST(DatPerf, LocalMeasuresEachOperationWithBothKindsOfMemory) {
  const Ended ended =
      run(kPerf + " --local -t send-lat,write-lat,read-lat,send-bw,write-bw,read-bw" +
          " -s 8,70000 -m ordinary,shareable" + kShort);
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(count(ended.output, "\"median\""), 24U) << ended.output;
  EXPECT_EQ(count(ended.output, "\"p99.9\""), 12U) << ended.output;
}

TEST(DatPerf, LocalMeasuresBlockingSleepingAndSpinningSides) {
  EXPECT_EQ(run(kPerf + " --local --wait block -t send-lat,send-bw -s 64" + kShort).code, 0);
  EXPECT_EQ(run(kPerf + " --local --target sleep -t read-lat,write-bw -s 64" + kShort).code, 0);
  EXPECT_EQ(run(kPerf + " --local --target memory -t write-lat,read-bw -s 64" + kShort).code, 0);
}

TEST(DatPerf, LocalMeasuresWhatCallsAndConnectionsCost) {
  const Ended ended = run(kPerf + " --local -t post,dequeue,connect,idle --endpoints 5 --window 4" +
                          " --idle-time 1 -s 8" + kShort);
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(count(ended.output, "\"median\""), 3U) << ended.output;
  EXPECT_EQ(count(ended.output, "\"cpu_percent\""), 1U) << ended.output;
}

std::chrono::steady_clock::duration time_of(const std::string& command, int code) {
  const auto begin = std::chrono::steady_clock::now();
  const Ended ended = run(command + " 2>&1");
  EXPECT_EQ(ended.code, code) << ended.output;
  return std::chrono::steady_clock::now() - begin;
}

// dat-perf.1, --time: "how long each should take". Posting a message takes nanoseconds, moving its
// bytes a thousand times as long.
TEST(DatPerf, ALargeMessageMakesARepetitionOfPostNoLonger) {
  EXPECT_LT(time_of(kPerf + " --local -t post -s 1M --repeat 1 --time 4 --no-limits", 0),
            std::chrono::seconds(20));
}

TEST(DatPerf, LimitsStandBesideTheFigures) {
  const Ended ended = run(kPerf + " --local -t send-lat -s 8 --repeat 1 --time 1 --json -q 2>&1");
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(count(ended.output, "\"limit\": \"ring 8 B\""), 1U) << ended.output;
}

TEST(DatPerf, LocalMeasuresEachOperationOverTcpAndSaysSo) {
  const Ended ended = run(kPerf + " --local --transport tcp --beside 3 -t " +
                          "send-lat,write-lat,read-lat,send-bw,write-bw,read-bw,send-rate" +
                          " -s 8,70000 --repeat 1 --time 1 --json -q 2>&1");
  EXPECT_EQ(ended.code, 0) << ended.output;
  EXPECT_EQ(count(ended.output, "\"transport\": \"tcp\""), 14U) << ended.output;
  EXPECT_EQ(count(ended.output, "\"limit\": \"tcp"), 14U) << ended.output;
  EXPECT_EQ(count(ended.output, "\"path\": \"tcp\""), 1U) << ended.output;
}

TEST(DatPerf, LocalMeasuresSleepersAndConnectionsOverTcp) {
  const std::string perf = kPerf + " --local --transport tcp" + kShort;
  EXPECT_EQ(run(perf + "--wait block -t send-lat,send-bw -s 64").code, 0);
  EXPECT_EQ(run(perf + "--target memory -t write-lat,read-bw -s 64").code, 0);
  const Ended ended =
      run(perf + "-t post,dequeue,connect,idle --endpoints 5 --window 4" + " --idle-time 1 -s 8");
  EXPECT_EQ(ended.code, 0) << ended.output;
  EXPECT_NE(ended.output.find("\"descriptors_per_pair\": 2.0,"), std::string::npos) << ended.output;
}

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

TEST(DatPerf, OneSideThatAllowsTcpAloneMakesItTcp) {
  Served server(kPerf + " --server --port 0 -q");
  const std::string client = kPerf + " 127.0.0.1 --port " + server.port + " -t send-lat -s 8";
  const Ended over_tcp = run(client + " --transport tcp" + kShort);
  EXPECT_EQ(over_tcp.code, 0);
  EXPECT_EQ(count(over_tcp.output, "\"transport\": \"tcp\""), 1U) << over_tcp.output;
  const Ended best = run(client + kShort);
  EXPECT_EQ(best.code, 0);
  EXPECT_EQ(count(best.output, "\"transport\": \"shm\""), 1U) << best.output;
}

// Runs dat-perf with at most `files` descriptors, none of which the test inherited.
Ended run_with_files(int files, const std::string& options, const std::string& way = "tcp") {
  return run("bash -c 'exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-; ulimit -n " +
             std::to_string(files) + "; exec " + kPerf + " --local --transport " + way + kShort +
             options + "' 2>&1");
}

TEST(DatPerf, MoreConnectionsOverTcpThanDescriptorsIsWrongUsage) {
  const Ended idle = run_with_files(110, "-t idle --endpoints 60 --beside 60");
  EXPECT_EQ(idle.code, 2);
  EXPECT_TRUE(std::regex_search(
      idle.output, std::regex("dat-perf: idle: 120 connections over TCP need 1[3-5][0-9] "
                              "descriptors, and this process may have 110 \\(ulimit -Hn; ")))
      << idle.output;
  const Ended connect = run_with_files(110, "-t connect --window 100");
  EXPECT_EQ(connect.code, 2);
  EXPECT_NE(connect.output.find("connect: 100 connections over TCP need 1"), std::string::npos)
      << connect.output;
}

// Otherwise the connections would wait for descriptors until their time is over.
TEST(DatPerf, MoreConnectionsAtOnceOverSharedMemoryThanDescriptorsIsWrongUsage) {
  for (const char* way : {"shm", "auto"}) {
    const Ended connect = run_with_files(24, "-t connect", way);
    EXPECT_EQ(connect.code, 2) << way;
    EXPECT_TRUE(std::regex_search(
        connect.output, std::regex("dat-perf: connect: 64 connections over (TCP|shared memory, "
                                   "made at once,) need [0-9]+ descriptors, and this process may "
                                   "have 24 \\(ulimit -Hn; ")))
        << way << ": " << connect.output;
  }
}

// The limit covers the descriptors that the program has anyway and those of its connections.
TEST(DatPerf, AFewDescriptorsAreEnoughForOneConnectionOverTcp) {
  const Ended one = run_with_files(40, "-t send-lat,idle -s 8 --idle-time 1");
  EXPECT_EQ(one.code, 0) << one.output;
}

// With few descriptors `auto` means TCP. For that dat-perf must not demand more descriptors than
// shared memory takes.
TEST(DatPerf, OneConnectionIsMeasuredOnOneOfTheWaysAtEachLimit) {
  for (int files = 20; files <= 26; ++files) {
    const Ended one = run_with_files(files, "-t send-lat -s 8", "auto");
    EXPECT_EQ(one.code, 0) << files << ": " << one.output;
  }
}

TEST(DatPerf, AsManyDescriptorsOverTcpAsAreDemandedAreEnough) {
  const std::string options = "-t send-lat,idle --endpoints 60 --idle-time 1 -s 8";
  const Ended few = run_with_files(60, options);
  EXPECT_EQ(few.code, 2);
  std::smatch demanded;
  ASSERT_TRUE(std::regex_search(few.output, demanded,
                                std::regex("60 connections over TCP need ([0-9]+) descriptors")))
      << few.output;
  const Ended enough = run_with_files(std::stoi(demanded[1]), options);
  EXPECT_EQ(enough.code, 0) << enough.output;
}

// datum(7), LIMITS. An error of the set-up would tell of ulimits.
TEST(DatPerf, MoreEndpointsThanAnAdapterHasIsWrongUsage) {
  const std::string perf = kPerf + " --local -t send-lat,idle -s 8 --csv ";
  for (const auto& [options, said] : std::vector<std::pair<std::string, std::string>>{
           {"--endpoints 65536", "65536"},
           {"--beside 65536", "65536"},
           {"--endpoints 4000 --beside 61536", "need 65537 endpoints, one of them for dat-perf "},
           {"--endpoints 60000",
            "need an EVD of 4320008 places; one of datum has at most 1048576"}}) {
    const Ended ended = run(perf + options + " 2>&1");
    EXPECT_EQ(ended.code, 2) << options;
    EXPECT_EQ(count(ended.output, said), 1U) << ended.output;
    EXPECT_EQ(ended.output.rfind("dat-perf: ", 0), 0U) << "nothing is measured: " << ended.output;
    EXPECT_EQ(count(ended.output, "ulimit"), 0U) << ended.output;
  }
}

TEST(DatPerf, ATransportThatThereIsNotIsWrongUsage) {
  const Ended ended = run(kPerf + " --local --transport verbs 2>&1");
  EXPECT_EQ(ended.code, 2);
  EXPECT_NE(ended.output.find("verbs: there is no transport for RDMA hardware"), std::string::npos)
      << ended.output;
}

// A stopped process keeps its connections open, so only a time limit can find that out.
TEST(DatPerf, AServerFoundSilentIsWaitedForAsLongAsIsSaidAndNoLonger) {
  const Served server(kPerf + " --server --port 0 -q");
  const auto begin = std::chrono::steady_clock::now();
  const Ended ended =
      run("bash -c '" + kPerf + " 127.0.0.1 --port " + server.port +
          " -t send-lat -s 8 --repeat 1 --time 60000 2>&1 | while read -r line; do echo \"$line\"; "
          "case $line in test*) sleep 1; kill -s STOP " +
          std::to_string(server.pid) + ";; esac; done; exit ${PIPESTATUS[0]}'");
  const auto took = std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(ended.code, 4) << ended.output;
  std::smatch said; // another number where it was stopped before the test began
  ASSERT_TRUE(std::regex_search(ended.output, said,
                                std::regex(R"((nothing happened|no answer) for (\d+) s)")))
      << ended.output;
  const std::chrono::seconds waited(std::stol(said[2]));
  EXPECT_GE(took, waited);
  EXPECT_LT(took, waited + std::chrono::seconds(20));
}

TEST(DatPerf, AClientMeasuresWithAServerThatServesOnce) {
  Served server(kPerf + " --server --once --port 0");
  const Ended ended =
      run(kPerf + " 127.0.0.1 --port " + server.port + " -t send-lat,read-bw -s 8" + kShort);
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(count(ended.output, "\"median\""), 2U) << ended.output;
  EXPECT_EQ(server.wait(), 0);
}

// The manual page: 4 means that the other side died, hung up or fell silent.
TEST(DatPerf, AServerThatServesOnceAndLosesItsClientSaysSo) {
  for (const std::string test : {"send-lat", "write-lat", "read-lat", "send-bw", "idle"}) {
    SCOPED_TRACE(test);
    Served server(kPerf + " --server --once --port 0 -q");
    EXPECT_EQ(run_until(kPerf + " 127.0.0.1 --port " + server.port + " -t " + test +
                            " -s 8 --time 60000 --repeat 1",
                        "size  memory", "KILL")
                  .code,
              137);
    EXPECT_EQ(server.wait(), 4);
  }
}

TEST(DatPerf, AServerWhoseFirstLineIsLostEndsAndSaysSo) {
  const Ended full = run("sh -c '" + kPerf + " --server --port 0 2>&1 >/dev/full'");
  EXPECT_EQ(full.code, 1);
  EXPECT_EQ(full.output, "dat-perf: cannot write to standard output: No space left on device\n");
}

TEST(DatPerf, AServerServesTheNextClientAfterOneDied) {
  Served server(kPerf + " --server --port 0 -q");
  const std::string client = kPerf + " 127.0.0.1 --port " + server.port + " -t send-lat -s 8 ";
  EXPECT_EQ(run_until(client + "--time 60000 --repeat 1", "min / median", "KILL").code, 137);
  EXPECT_EQ(run(client + kShort).code, 0);
}

TEST(DatPerf, AClientWhoseServerDiesNamesIt) {
  for (const std::string transport : {"auto", "tcp"}) {
    const Served server(kPerf + " --server --port 0 -q");
    const std::string client = kPerf + " 127.0.0.1 --port " + server.port +
                               " -t send-lat -s 8 --time 60000 --transport " + transport;
    const Ended ended =
        run("bash -c '" + client + " 2>&1 | while read -r line; do echo \"$line\"; case $line in " +
            "*\"min / median\"*) kill -s KILL " + std::to_string(server.pid) +
            ";; esac; done; exit ${PIPESTATUS[0]}'");
    EXPECT_EQ(ended.code, 4) << ended.output;
    EXPECT_EQ(count(ended.output, "dat-perf: 127.0.0.1 port " + server.port + ": "), 1U)
        << ended.output;
  }
}

// The first child of --local measures the limits, the second is the server side.
TEST(DatPerf, ALimitsProcessThatDiesIsToldAndFailsTheMeasurement) {
  const Ended ended = run("bash -c '" + kPerf +
                          " --local -t send-lat -s 8 --time 200 --repeat 20 2>&1 & parent=$!; "
                          "until [ -n \"$helper\" ]; do sleep .05; "
                          "read -r helper rest < /proc/$parent/task/$parent/children; done; kill "
                          "-s KILL $helper; echo helper $helper; "
                          "wait $parent'");
  EXPECT_EQ(ended.code, 1) << ended.output;
  std::smatch killed;
  ASSERT_TRUE(std::regex_search(ended.output, killed, std::regex("helper ([0-9]+)")));
  EXPECT_EQ(count(ended.output, "dat-perf: process " + killed[1].str() +
                                    ", which measures the limits of this machine, has ended "
                                    "(signal 9); --no-limits measures without it"),
            1U)
      << ended.output;
}

TEST(DatPerf, AServerWhoseLogNobodyReadsServesOnAndEnds) {
  const datum::test::FullPipe log;
  Served server(kPerf + " --server --port 0 2>" + log.path());
  const std::string client = kPerf + " 127.0.0.1 --port " + server.port + " -t send-lat -s 8 ";
  for (int i = 0; i < 2; ++i) // the server reports each client that was lost
    EXPECT_EQ(run_until(client + "--time 60000", "min / median", "KILL").code, 137);
  EXPECT_EQ(run(client + kShort).code, 0);
  EXPECT_EQ(server.end(SIGTERM), 3);
}

TEST(DatPerf, AClientThatComesWhileAnotherIsServedWaitsForItsTurn) {
  Served server(kPerf + " --server --port 0");
  const std::string client = kPerf + " 127.0.0.1 --port " + server.port + " -s 8" + kShort;
  const Ended both = run("bash -c '" + client + " -t connect,send-lat & first=$!; " + client +
                         " -t send-lat,connect; second=$?; wait $first && exit $second' 2>&1");
  EXPECT_EQ(both.code, 0) << both.output;
}

// An unset variable of a script gives an empty value.
TEST(DatPerf, AnEmptyValueIsNotTheSameAsNone) {
  for (const char* option : {"--netns ''", "--plot ''", "--transport ''", "-t ''", "-s ''"})
    EXPECT_EQ(run(kPerf + " --local " + option + " 2>&1").code, 2) << option;
}

TEST(DatPerf, AListWithoutAWordLeavesTheNextOptionAlone) {
  for (const char* option : {"-t , --quiet", "-m , --json", "-t send-lat,"}) {
    const Ended ended = run(kPerf + " --local " + option + " 2>&1");
    EXPECT_EQ(ended.code, 2) << option;
    EXPECT_NE(ended.output.find("\"\" is none of "), std::string::npos) << ended.output;
  }
}

TEST(DatPerf, TestsThatCannotBeMeasuredAreSkippedAmongOthersOnly) {
  const std::string perf =
      kPerf + " --local --repeat 1 --time 1 --no-limits -w block -s 8 --csv -t ";
  const Ended some = run(perf + "write-lat,send-lat");
  EXPECT_EQ(some.code, 0);
  EXPECT_EQ(count(some.output, ",\"nothing announces an RDMA Write to its target, so nobody can "
                               "sleep until one comes\"\n"),
            1U)
      << some.output;
  const Ended none = run(perf + "write-lat 2>&1");
  EXPECT_EQ(none.code, 2);
  EXPECT_EQ(none.output, "dat-perf: nothing to measure: write-lat: nothing announces an RDMA Write "
                         "to its target, so nobody can sleep until one comes\n");
}

TEST(DatPerf, AClientOfAnotherProcessHasNoProbe) {
  const Served server(kPerf + " --server --port 0 -q");
  const Ended ended =
      run(kPerf + " 127.0.0.1 --port " + server.port + " -t send-lat -s 8" + kShort);
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(count(ended.output, "\"probe_ns\": null, \"steady\": null"), 1U) << ended.output;
}

TEST(DatPerf, ATableOfIdleConnectionsHasAHeadOfItsOwn) {
  const Ended idle = run(kPerf + " --local -t idle --idle-time 1");
  EXPECT_EQ(idle.code, 0);
  EXPECT_EQ(count(idle.output, "watched for 1 s\n"), 1U) << idle.output;
  EXPECT_EQ(count(idle.output, "median"), 0U) << idle.output;
}

// Runs a command of the shell in that way. The command is ended after a minute.
std::optional<Ended> run_without(std::uint32_t call, const std::string& command) {
  return test::run_without(call, {"/bin/sh", "-c", "exec timeout -k 1 60 " + command});
}

const std::string kShortLocal = kPerf + " --local -t send-lat -s 8 --repeat 1 --time 1 -q";

TEST(DatPerf, CoresOfWhichTheKernelDoesNotTellAreNotNone) {
  const auto ended = run_without(SYS_sched_getaffinity, kShortLocal);
  if (!ended) GTEST_SKIP() << "no filter of system calls here";
  EXPECT_EQ(ended->code, 0) << ended->output;
  EXPECT_EQ(count(ended->output, ", usable cores unknown, "), 1U) << ended->output;
  EXPECT_EQ(count(ended->output, "neither side is pinned to one"), 1U) << ended->output;
  EXPECT_EQ(count(ended->output, "0 cores") + count(ended->output, "Only one core"), 0U)
      << ended->output;
}

TEST(DatPerf, WhereItMayNotPinItselfTheOptionThatGoesWithoutIsNamed) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) < 2)
    GTEST_SKIP() << "two cores are needed, for one nothing is pinned";
  const auto pinned = run_without(SYS_sched_setaffinity, kShortLocal);
  if (!pinned) GTEST_SKIP() << "no filter of system calls here";
  EXPECT_EQ(pinned->code, 2);
  EXPECT_EQ(count(pinned->output, "Operation not permitted (--no-pin lets the kernel choose the "
                                  "cores)"),
            1U)
      << pinned->output;
  EXPECT_EQ(run_without(SYS_sched_setaffinity, kShortLocal + " --no-pin")->code, 0);
  const auto one = run_without(SYS_sched_setaffinity, kPerf + " --server --port 0 --core 0");
  EXPECT_EQ(one->code, 2);
  EXPECT_EQ(count(one->output, "without --core the kernel chooses"), 1U) << one->output;
}

// As without a process left to the user (`ulimit -u`).
TEST(DatPerf, WithoutAProcessLeftTheLimitsOfProcessesAreNamed) {
  for (const auto& [options, what] : std::vector<std::pair<std::string, std::string>>{
           {"--quick", "the process that measures the limits of this machine"},
           {"--no-limits", "the server side"}}) {
    const auto ended = test::run_without(SYS_clone, {kPerf, "--local", options}, EAGAIN);
    if (!ended) GTEST_SKIP() << "no filter of system calls here";
    EXPECT_EQ(ended->code, 2);
    EXPECT_EQ(ended->output, "dat-perf: " + what +
                                 " cannot be started: Resource temporarily unavailable (`ulimit "
                                 "-u` shows how many processes and threads the user may have; the "
                                 "control group has a limit, too, pids.max)\n");
  }
}

TEST(DatPerf, OnlyBothSidesOfOneCommandCanBeLeftToTheKernel) {
  for (const char* side : {"--server --port 0", "127.0.0.1"}) {
    const Ended ended = run(kPerf + " " + side + " --no-pin 2>&1");
    EXPECT_EQ(ended.code, 2) << side;
    EXPECT_EQ(ended.output.rfind("dat-perf: --no-pin requires --local", 0), 0U) << ended.output;
  }
}

TEST(DatPerf, NobodyListeningIsRefused) {
  EXPECT_EQ(run(kPerf + " 127.0.0.1 --port 1 2>&1").code, 5);
}

TEST(DatPerf, WrongUsageIsTwoAndNamesTheMistake) {
  EXPECT_EQ(run(kPerf + " 2>&1").code, 2);
  const Ended size = run(kPerf + " --local -s 99999999999 2>&1");
  EXPECT_EQ(size.code, 2);
  EXPECT_NE(size.output.find("99999999999"), std::string::npos) << size.output;
  for (const std::string option : {"--window", "--endpoints", "--repeat", "--time", "--core"}) {
    // With --local, --core is a mistake by itself.
    const std::string with = option == "--core" ? " 127.0.0.1 " : " --local ";
    const Ended hexadecimal = run(kPerf + with + option + " 0x8 2>&1");
    EXPECT_EQ(hexadecimal.code, 2);
    EXPECT_EQ(
        hexadecimal.output.rfind("dat-perf: " + option + ": \"0x8\" is not a number from ", 0), 0U)
        << hexadecimal.output;
  }
  const Ended window = run(kPerf + " --local --window no 2>&1");
  EXPECT_EQ(window.output.rfind("dat-perf: ", 0), 0U) << window.output;
  const Ended test = run(kPerf + " --local -t fly 2>&1");
  EXPECT_EQ(test.code, 2);
  EXPECT_NE(test.output.find("fly"), std::string::npos) << test.output;
}

TEST(DatPerf, APlotThatCannotBeWrittenIsFoundOutBeforeAnythingIsMeasured) {
  const Ended ended = run(kPerf + " --local -t send-lat -s 8 --plot /nowhere/at/all.svg 2>&1");
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.output,
            "dat-perf: /nowhere/at/all.svg: cannot write the plot: No such file or directory\n");
}

TEST(DatPerf, APlotIntoAFifoThatNobodyReadsIsFoundOutAtOnce) {
  const std::string file = testing::TempDir() + "dat-perf-fifo-" + std::to_string(getpid());
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
  const Ended ended = run(kPerf + " --local -t send-lat -s 8 --plot " + file + " 2>&1");
  unlink(file.c_str());
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.output.rfind("dat-perf: " + file +
                                   ": cannot write the plot: it is a FIFO that "
                                   "nobody reads",
                               0),
            0U)
      << ended.output;
}

TEST(DatPerf, APlotOfNothingIsWrongUsage) {
  const std::string file = testing::TempDir() + "dat-perf-nothing.svg";
  EXPECT_EQ(
      run(kPerf + " --local -t connect,dequeue --repeat 1 --time 1 --plot " + file + " 2>&1").code,
      2);
  EXPECT_NE(access(file.c_str(), F_OK), 0) << "nothing is written";
}

TEST(DatPerf, AnInterruptLeavesNoEmptyPlotAndNoOtherOne) {
  const std::string file = testing::TempDir() + "dat-perf-interrupted.svg";
  const std::string command = kPerf + " --local -t send-lat -s 8 --time 60000 --plot " + file;
  EXPECT_EQ(run_until(command, "min / median", "INT").code, 3);
  EXPECT_NE(access(file.c_str(), F_OK), 0);
  std::ofstream(file) << "old";
  EXPECT_EQ(run_until(command, "min / median", "INT").code, 3);
  std::string old;
  std::ifstream(file) >> old;
  EXPECT_EQ(old, "old");
  unlink(file.c_str());
}

TEST(DatPerf, APlotHasDateAndAxes) {
  const std::string file = testing::TempDir() + "dat-perf-drawn.svg";
  ASSERT_EQ(run(kPerf + " --local -t send-lat -s 8,512k --plot " + file + kShort).code, 0);
  std::ifstream in(file);
  const std::string svg((std::istreambuf_iterator<char>(in)), {});
  unlink(file.c_str());
  EXPECT_TRUE(std::regex_search(
      svg, std::regex(">20[0-9]{2}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2} UTC; path: ")))
      << svg;
  EXPECT_EQ(count(svg, "class='axis'"), 2U) << svg;
}

// Runs the command on a terminal of script(1) that is `columns` wide. Without TERM nothing is drawn.
Ended run_on_terminal(int columns, const std::string& command) {
  return run("env TERM=xterm script -qec 'stty cols " + std::to_string(columns) + "; " + command +
             "' /dev/null");
}

TEST(DatPerf, TheProgressLineNamesWhatIsMeasured) {
  const std::string command =
      kPerf + " --local -t send-lat,connect -s 512k --repeat 2 --time 1 --json";
  const Ended wide = run_on_terminal(200, command);
  EXPECT_EQ(wide.code, 0);
  for (const char* step :
       {"1/2 send-lat 512 KiB: connecting (0:", "1/2 send-lat 512 KiB: how many rounds (",
        "1/2 send-lat 512 KiB: 1 of 2, limit cma-message 512 KiB (",
        "1/2 send-lat 512 KiB: 2 of 2, ours (", "1/2 send-lat 512 KiB: percentiles (",
        "2/2 connect: 2 of 2, ours ("})
    EXPECT_NE(wide.output.find(step), std::string::npos) << step << wide.output;
  EXPECT_EQ(wide.output.find("kB/s"), std::string::npos) << wide.output;
  const Ended narrow = run_on_terminal(24, command);
  EXPECT_NE(narrow.output.find("\033[K1/2 send-lat 512 KiB: c\r"), std::string::npos)
      << narrow.output;
}

TEST(DatPerf, AServerRefusesWhatIsForClients) {
  for (const char* option :
       {"-t send-lat", "--json", "--plot x.svg", "-s 8", "--quick", "--repeat 1"}) {
    const Ended ended = run(kPerf + " --server --port 0 " + option + " 2>&1");
    EXPECT_EQ(ended.code, 2) << option;
    EXPECT_EQ(ended.output.rfind("dat-perf: --server takes no -", 0), 0U) << ended.output;
  }
}

TEST(DatPerf, AQuickTableHasTestsOfItsOwn) {
  const Ended ended = run(kPerf + " --local --quick -t send-lat 2>&1");
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.output, "dat-perf: --quick has tests of its own: leave out --test, or --quick\n");
}

TEST(DatPerf, WhatFailsOnBothSidesIsOneError) {
  const Ended ended = run(kPerf + " --local --ia nowhere" + kShort + "2>&1");
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(count(ended.output, "dat-perf: "), 1U) << ended.output;
  EXPECT_EQ(count(ended.output, "dat-perf: server side: dat_ia_open(nowhere): "), 1U)
      << ended.output;
  EXPECT_EQ(count(ended.output, "datum warn: "), 1U) << ended.output;
}

// A terminal sends a signal to both sides. The passive side ignores it, because the active side
// would take the passive side's end for a failure.
TEST(DatPerf, ASignalToAllItsProcessesIsAnInterrupt) {
  for (const char* signal : {"INT", "TERM"}) {
    const Ended ended =
        run("bash -c 'coproc P { exec setsid " + kPerf +
            " --local -t send-lat -s 8 --no-limits --time 60000 2>&1; }; pid=$P_PID; exec "
            "3<&${P[0]}; " +
            "while read -r line <&3; do echo \"$line\"; case $line in test*) read -r child " +
            "</proc/$pid/task/$pid/children; grep SigIgn: /proc/$child/status; kill -s " + signal +
            " -- -$pid;; esac; done; wait $pid; exit $?'");
    EXPECT_EQ(ended.code, 3) << ended.output;
    EXPECT_EQ(count(ended.output, "dat-perf: stopped by signal "), 1U) << ended.output;
    const std::size_t at = ended.output.find("SigIgn:");
    ASSERT_NE(at, std::string::npos) << ended.output;
    constexpr unsigned long kBoth = 1UL << (SIGINT - 1) | 1UL << (SIGTERM - 1);
    EXPECT_EQ(std::stoul(ended.output.substr(at + 7), nullptr, 16) & kBoth, kBoth) << ended.output;
  }
}

TEST(DatPerf, AClientHasToNameAPort) {
  const Ended ended = run(kPerf + " 127.0.0.1 --port 0 2>&1");
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.output, "dat-perf: --port 0: for a server that takes any free port; give the "
                          "port that the server printed\n");
}

TEST(DatPerf, APlotThatIsNotCalledSvgIsWrongUsage) {
  const std::string file = testing::TempDir() + "dat-perf-plot.png";
  const Ended ended = run(kPerf + " --local -t send-lat -s 8 --plot " + file + kShort + "2>&1");
  EXPECT_EQ(ended.code, 2);
  EXPECT_NE(ended.output.find("plots are SVG, not .png; choose a name that ends in .svg"),
            std::string::npos)
      << ended.output;
  EXPECT_NE(access(file.c_str(), F_OK), 0) << "nothing is written";
}

TEST(DatPerf, HelpAndVersionSucceed) {
  EXPECT_EQ(run(kPerf + " --help").code, 0);
  EXPECT_EQ(run(kPerf + " --version").code, 0);
}

} // namespace
} // namespace datum::perf
