// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// figure_in(): what the tools print on Debian 12, and output that only looks like that.
#include "perf/compare_output.h"

#include <gtest/gtest.h>

namespace datum::perf {
namespace {

Task task_of(const char* test) {
  Task task;
  set_test(task, test);
  return task;
}

const Task kLatency = task_of("send-lat"), kRate = task_of("send-rate"),
           kBandwidth = task_of("send-bw");

constexpr const char* kUcx =
    "iterations,50.0_percentile_lat,avg_lat,overall_lat,avg_bw,overall_bw,avg_mr,overall_mr\n"
    "100000,0.502,20.308,19.091,0.38,0.5,49240,52381\n";

TEST(CompareOutput, UcxPrintsLatencyBandwidthAndRateOfTheWholeRun) {
  EXPECT_DOUBLE_EQ(figure_in(kUcx, Program::Ucx, kLatency).value_or(0), 19091);
  EXPECT_DOUBLE_EQ(figure_in(kUcx, Program::Ucx, kBandwidth).value_or(0), 524288);
  EXPECT_DOUBLE_EQ(figure_in(kUcx, Program::Ucx, kRate).value_or(0), 52381);
}

// Output of UCX 1.13.1 with -n 516 and -n 20.
TEST(CompareOutput, UcxPadsTheCountOfAShortRun) {
  constexpr const char* kShort = "iterations,50.0_percentile_lat,avg_lat,overall_lat,avg_bw,"
                                 "overall_bw,avg_mr,overall_mr\n"
                                 " 516,6.539,1523.744,2674.035,41.02,23.37,656,374";
  EXPECT_DOUBLE_EQ(figure_in(kShort, Program::Ucx, kLatency).value_or(0), 2674035);
  EXPECT_DOUBLE_EQ(
      figure_in("  20,6.414,8113.605,8113.605,7.70,7.70,123,123\n", Program::Ucx, kRate)
          .value_or(0),
      123);
}

// Output of libfabric 1.17.0 with -I 20.
TEST(CompareOutput, FabricPrintsShortRunsAlike) {
  constexpr const char* kText =
      "bytes   #sent   #ack     total       time     MB/sec    usec/xfer   Mxfers/sec\n"
      "8       20      =20      320         0.15s      0.00    3711.02       0.00\n";
  EXPECT_DOUBLE_EQ(figure_in(kText, Program::Fabric, kLatency).value_or(0), 3711020);
}

TEST(CompareOutput, AWarningBehindTheFigureDoesNotHideIt) {
  const std::string text = std::string(kUcx) + "[17.14] [vm:9091 :0] parser.c:1 UCX WARN unused\n";
  EXPECT_TRUE(figure_in(text, Program::Ucx, kLatency).has_value());
}

TEST(CompareOutput, FabricPrintsMicrosecondsOfATransfer) {
  constexpr const char* kText =
      "bytes   #sent   #ack     total       time     MB/sec    usec/xfer   Mxfers/sec\n"
      "8       10k     =10k     156k        1.17s      0.14      58.55       0.02\n";
  EXPECT_DOUBLE_EQ(figure_in(kText, Program::Fabric, kLatency).value_or(0), 58550);
}

TEST(CompareOutput, IperfHasWhatTheReceiverHadOfAllStreams) {
  constexpr const char* kText =
      "[  5]   0.00-1.01   sec   139 MBytes  1160241 Kbits/sec   13             sender\n"
      "[  5]   0.00-1.01   sec   139 MBytes  1155808 Kbits/sec                  receiver\n"
      "[  7]   0.00-1.01   sec   131 MBytes  1082728 Kbits/sec                  receiver\n"
      "[SUM]   0.00-1.01   sec   270 MBytes  2247642 Kbits/sec   37             sender\n"
      "[SUM]   0.00-1.01   sec   270 MBytes  2238536 Kbits/sec                  receiver\n"
      "\niperf Done.\n";
  EXPECT_DOUBLE_EQ(figure_in(kText, Program::Iperf, kBandwidth).value_or(0), 279817000);
}

TEST(CompareOutput, SockperfPrintsHalfRoundTripsAmongColours) {
  constexpr const char* kText =
      "sockperf: \033[2;35m====> avg-latency=466.817 (std-dev=1180.744)\033[0m\n"
      "sockperf: # dropped messages = 0; # duplicated messages = 0\n"
      "sockperf: Summary: Latency is 466.817 usec\n"
      "sockperf: \033[2;35mTotal 566 observations\033[0m; each percentile contains 5.66\n";
  EXPECT_DOUBLE_EQ(figure_in(kText, Program::Sockperf, kLatency).value_or(0), 466817);
}

TEST(CompareOutput, QperfPrintsAUnitWithEachFigure) {
  const auto latency = [](const char* text) {
    return figure_in(text, Program::Qperf, kLatency).value_or(0);
  };
  EXPECT_DOUBLE_EQ(latency("tcp_lat:\n    latency  =  418 us\n"), 418000);
  EXPECT_DOUBLE_EQ(latency("tcp_lat:\n    latency  =  1.2 ms\n"), 1.2e6);
  EXPECT_DOUBLE_EQ(latency("tcp_lat:\n    latency  =  418 GB/sec\n"), 0);
  EXPECT_DOUBLE_EQ(latency("tcp_lat:\n    bw  =  418 MB/sec\n"), 0);
  EXPECT_DOUBLE_EQ(
      figure_in("tcp_bw:\n    bw  =  3.95 GB/sec\n", Program::Qperf, kBandwidth).value_or(0),
      3.95e9);
}

TEST(CompareOutput, NumbersThatAreNoneAreNoFigure) {
  for (const char* text :
       {"", "\n\n", "100000,0.5,20.3,19.0,0.3,0.4,49240", "1,2,3,x,5,6,7,8", "1,2,3,nan,5,6,7,8",
        "1,2,3,inf,5,6,7,8", "1,2,3,0,5,6,7,8", "1,2,3,-4,5,6,7,8", "1,2,3,  ,5,6,7,8",
        "1,2,3,4us,5,6,7,8", "1,2,3,4,5,6,7,8,9"})
    EXPECT_FALSE(figure_in(text, Program::Ucx, kLatency).has_value()) << text;
  EXPECT_FALSE(figure_in("sockperf: Summary: Latency is usec", Program::Sockperf, kLatency));
  EXPECT_FALSE(figure_in("x Kbits/sec receiver", Program::Iperf, kBandwidth));
  EXPECT_FALSE(figure_in("receiver", Program::Iperf, kBandwidth));
  EXPECT_FALSE(figure_in("a b c d e f g h", Program::Fabric, kLatency));
}

TEST(CompareOutput, TheLastLineIsThatWithSomethingOnItAndHarmless) {
  EXPECT_EQ(last_line("first\n  iperf3: error - refused \n\n  \n"), "iperf3: error - refused ");
  EXPECT_EQ(last_line("\033[2;35mTotal\033[0m 5\n"), "Total 5");
  EXPECT_EQ(last_line("a\tb\a\033]0;title"), "a\\tb\\x07\\x1b]0;title");
  EXPECT_EQ(last_line(std::string(500, 'x')), std::string(120, 'x'));
  EXPECT_EQ(last_line(""), "it printed nothing");
}

} // namespace
} // namespace datum::perf
