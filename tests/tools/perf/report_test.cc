// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "perf/report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "perf/plot.h"

namespace datum::perf {
namespace {

Result latency(std::uint64_t size, double median) {
  Result result;
  set_test(result.task, "send-lat");
  result.task.size = size;
  result.value = {median - 1, median, median + 1};
  result.percentiles = Percentiles{median, 200, 300, 4000};
  result.limit_name = "ring 8 B";
  result.limit = {50, 50, 50};
  result.ratio = {2, 2, 2};
  return result;
}

TEST(PerfReport, ARowShowsSpreadPercentilesAndRatio) {
  const std::string row = table_row(latency(8, 100));
  EXPECT_NE(row.find("99.0 / 100 / 101 ns"), std::string::npos) << row;
  EXPECT_NE(row.find("100 / 200 / 300 / 4000 ns"), std::string::npos) << row;
  EXPECT_NE(row.find("ring 8 B 50.0 ns, 2.00x"), std::string::npos) << row;
}

TEST(PerfReport, AnUnsteadyResultIsMarkedInTheRowAndExplained) {
  Result result = latency(8, 100);
  EXPECT_EQ(table_row(result).find('~'), std::string::npos);
  result.steady = false;
  EXPECT_NE(table_row(result).find('~'), std::string::npos);
  EXPECT_NE(notes_of(result).find("15 %"), std::string::npos);
}

TEST(PerfReport, ASkippedResultShowsItsReasonAndNoFigure) {
  Result result = latency(8, 100);
  result.skipped = "because";
  const std::string row = table_row(result);
  EXPECT_NE(row.find("skipped: because"), std::string::npos);
  EXPECT_EQ(row.find("100"), std::string::npos);
}

TEST(PerfReport, RatesAndBandwidthsHaveDecimalUnits) {
  Task task;
  set_test(task, "send-bw");
  EXPECT_EQ(value_text(task, 2.5e9), "2.50 GB/s");
  set_test(task, "send-rate");
  EXPECT_EQ(value_text(task, 24.1e6), "24.1 M/s");
}

TEST(PerfReport, CsvHasALineForEachResultAndAsManyFieldsAsItsHead) {
  const std::string csv = csv_of({latency(8, 100), latency(64, 120)});
  std::vector<long> commas;
  for (std::size_t at = 0; at < csv.size(); at = csv.find('\n', at) + 1)
    commas.push_back(std::count(csv.begin() + static_cast<long>(at),
                                csv.begin() + static_cast<long>(csv.find('\n', at)), ','));
  EXPECT_EQ(commas, (std::vector<long>{22, 22, 22}));
}

TEST(PerfPlot, DrawsOnePanelPerKindAndDashesTheLimits) {
  const std::string svg = plot_svg({latency(8, 100), latency(64, 120)}, "a < b");
  EXPECT_NE(svg.find("Latency"), std::string::npos);
  EXPECT_EQ(svg.find("Bandwidth"), std::string::npos);
  EXPECT_NE(svg.find("stroke-dasharray"), std::string::npos);
  EXPECT_NE(svg.find("limit: ring"), std::string::npos);
  EXPECT_NE(svg.find("a &lt; b"), std::string::npos);
}

TEST(PerfReport, TheTransportIsSaidWithEachResult) {
  Result result = latency(8, 100);
  result.task.transport = Transport::Tcp;
  EXPECT_NE(json_of({}, "tcp", {}, {result}).find("\"transport\": \"tcp\""), std::string::npos);
  EXPECT_NE(json_of({}, "tcp", {}, {result}).find("\"path\": \"tcp\""), std::string::npos);
  EXPECT_NE(csv_of({result}).find(",tcp\n"), std::string::npos);
  EXPECT_NE(plot_svg({result}, "").find("send-lat, ordinary, tcp"), std::string::npos);
}

TEST(PerfReport, ToolsStandBelowTheirRowAndInJson) {
  Result result = latency(8, 100);
  result.comparisons = {{{Program::Ucx, "tag_lat", 8}, "", 200, 0.5, true},
                        {{Program::Sockperf, "ping-pong", 14}, "", 50, 2, false},
                        {{Program::Fabric, "shm", 8}, "exit 1: no", 0, 0, true}};
  const std::string row = table_row(result);
  EXPECT_NE(row.find("\n  ucx_perftest tag_lat                 200 ns "), std::string::npos) << row;
  EXPECT_NE(row.find("  ours is 0.50x\n"), std::string::npos) << row;
  EXPECT_NE(row.find("\n  sockperf ping-pong 14 B              50.0 ns "), std::string::npos)
      << row;
  EXPECT_NE(row.find("  ours is 2.00x ~\n"), std::string::npos) << row;
  EXPECT_NE(row.find("\n  fi_pingpong shm                      failed: exit 1: no\n"),
            std::string::npos)
      << row;
  EXPECT_NE(
      json_of({}, "", {}, {result})
          .find("\"compared\": [{\"tool\": \"ucx_perftest\", \"test\": \"tag_lat\", \"size\": 8, "
                "\"value\": 200.0, \"ratio\": 0.5, \"steady\": true}, {"),
      std::string::npos);
  EXPECT_NE(plot_svg({result}, "").find("ucx_perftest tag_lat"), std::string::npos);
  EXPECT_EQ(plot_svg({result}, "").find("fi_pingpong"), std::string::npos);
}

TEST(PerfReport, AnAbsentToolIsNamedWithItsPackage) {
  EXPECT_EQ(notes_of_absent({}), "");
  EXPECT_EQ(notes_of_absent({Program::Ucx, Program::Qperf}),
            "Not compared, because not installed: ucx_perftest (Debian package ucx-utils), qperf "
            "(Debian package qperf)\n");
}

TEST(PerfReport, IdleEndpointsShowTimeMemoryAndDescriptors) {
  Result result;
  set_test(result.task, "idle");
  result.task.endpoints = 100;
  result.cpu_percent = 0.25;
  result.memory_per_pair = 2048;
  result.descriptors_per_pair = 2;
  result.setup_ns = 1.5e9;
  const std::string row = table_row(result);
  EXPECT_NE(row.find("100 idle endpoints: 0.25 % CPU, 2.0 KiB of memory and 2.00 descriptors a "
                     "pair, connected in 1.50 s"),
            std::string::npos)
      << row;
}

TEST(PerfPlot, OfNothingIsAnEmptyDrawing) {
  const std::string svg = plot_svg({}, "");
  EXPECT_EQ(svg.find("polyline"), std::string::npos);
  EXPECT_NE(svg.find("</svg>"), std::string::npos);
}

} // namespace
} // namespace datum::perf
