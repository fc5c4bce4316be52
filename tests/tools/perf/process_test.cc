// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat-perf as a user runs it. The tests do not judge figures, only that there are some. Here: what
// is measured on one host, and what is said of it.
#include <gtest/gtest.h>

#include <chrono>

#include "perf_process.h"

namespace datum::perf {
namespace {

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

TEST(DatPerf, ATableOfIdleConnectionsHasAHeadOfItsOwn) {
  const Ended idle = run(kPerf + " --local -t idle --idle-time 1");
  EXPECT_EQ(idle.code, 0);
  EXPECT_EQ(count(idle.output, "watched for 1 s\n"), 1U) << idle.output;
  EXPECT_EQ(count(idle.output, "median"), 0U) << idle.output;
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

// Runs the command on a terminal of script(1) that is `columns` wide. Without TERM nothing is
// drawn.
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

TEST(DatPerf, HelpAndVersionSucceed) {
  EXPECT_EQ(run(kPerf + " --help").code, 0);
  EXPECT_EQ(run(kPerf + " --version").code, 0);
}

} // namespace
} // namespace datum::perf
