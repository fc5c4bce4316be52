// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A server of dat-perf and its clients: how they find each other, and what they say when one of
// them dies or falls silent.
#include <gtest/gtest.h>

#include <chrono>
#include <regex>

#include "full_pipe.h"
#include "perf_process.h"

namespace datum::perf {
namespace {

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
    // dat-perf prints the head of the table before it connects for the measurement. A server that
    // dies in between leaves that connect unanswered, and then the line also names the transport.
    const std::string line = "dat-perf: 127.0.0.1 port " + server.port;
    EXPECT_EQ(count(ended.output, line + ": ") + count(ended.output, line + ", over "), 1U)
        << ended.output;
  }
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

TEST(DatPerf, NobodyListeningIsRefused) {
  EXPECT_EQ(run(kPerf + " 127.0.0.1 --port 1 2>&1").code, 5);
}

TEST(DatPerf, AServerRefusesWhatIsForClients) {
  for (const char* option :
       {"-t send-lat", "--json", "--plot x.svg", "-s 8", "--quick", "--repeat 1"}) {
    const Ended ended = run(kPerf + " --server --port 0 " + option + " 2>&1");
    EXPECT_EQ(ended.code, 2) << option;
    EXPECT_EQ(ended.output.rfind("dat-perf: --server takes no -", 0), 0U) << ended.output;
  }
}

TEST(DatPerf, WhatFailsOnBothSidesIsOneError) {
  const Ended ended = run(kPerf + " --local --ia nowhere" + kShort + "2>&1");
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(count(ended.output, "dat-perf: "), 1U) << ended.output;
  EXPECT_EQ(count(ended.output, "dat-perf: server side: dat_ia_open(nowhere): "), 1U)
      << ended.output;
  EXPECT_EQ(count(ended.output, "datum warn: "), 1U) << ended.output;
}

TEST(DatPerf, AClientHasToNameAPort) {
  const Ended ended = run(kPerf + " 127.0.0.1 --port 0 2>&1");
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.output, "dat-perf: --port 0: for a server that takes any free port; give the "
                          "port that the server printed\n");
}

} // namespace
} // namespace datum::perf
