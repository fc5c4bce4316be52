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

TEST(PerfReport, AColumnThatIsTooWideStaysApartFromTheNext) {
  Result result = latency(8, 100);
  result.task.op = Op::Read;
  result.task.target = Target::Memory;
  result.task.wait = Wait::Block;
  result.task.beside = 3;
  const std::string row = table_row(result);
  EXPECT_NE(row.find("block, no DAT, +3 99.0 / 100 / 101 ns"), std::string::npos) << row;
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

TEST(PerfReport, WithoutAProbeNothingIsSaidOfTheCores) {
  Result result = latency(8, 100);
  result.comparisons = {Comparison{}};
  const std::string unknown = json_of({}, "shm", {}, {result});
  EXPECT_NE(unknown.find("\"probe_ns\": null, \"steady\": null"), std::string::npos) << unknown;
  EXPECT_EQ(unknown.find("\"steady\": true"), std::string::npos) << unknown;
  result.probe = 50;
  const std::string known = json_of({}, "shm", {}, {result});
  EXPECT_NE(known.find("\"probe_ns\": 50.0, \"steady\": true"), std::string::npos) << known;
}

TEST(PerfReport, WhatIsSkippedOrIdleHasNoProbeEither) {
  Result skipped = latency(8, 100);
  skipped.skipped = "because";
  Result idle;
  set_test(idle.task, "idle");
  for (const Result& result : {skipped, idle}) {
    const std::string json = json_of({}, "shm", {}, {result});
    EXPECT_NE(json.find("\"probe_ns\": null, \"steady\": null"), std::string::npos) << json;
  }
}

TEST(PerfReport, WhatMovesNothingHasNeitherSizeNorMemory) {
  for (const char* test : {"idle", "connect", "dequeue"}) {
    Result result = latency(8, 100);
    set_test(result.task, test);
    const std::string json = json_of({}, "shm", {}, {result}), csv = csv_of({result});
    EXPECT_NE(json.find("\"size\": null, \"memory\": null"), std::string::npos) << json;
    EXPECT_NE(csv.find(std::string("\n") + test + ",,,poll,"), std::string::npos) << csv;
  }
  const Result post = latency(8, 100);
  EXPECT_NE(json_of({}, "", {}, {post}).find("\"size\": 8, \"memory\": \"ordinary\""),
            std::string::npos);
  EXPECT_NE(csv_of({post}).find("\nsend-lat,8,ordinary,poll,"), std::string::npos);
}

TEST(PerfReport, TheReasonOfASkippedResultIsAQuotedField) {
  Result result = latency(8, 100);
  result.skipped = "a \"b\", c";
  EXPECT_NE(csv_of({result}).find(",\"a \"\"b\"\", c\"\n"), std::string::npos) << csv_of({result});
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
  EXPECT_EQ(commas, (std::vector<long>{28, 28, 28}));
}

// With three digits, 1.004 us and 0.996 us are both shown as 1.00 us. So the ratio of the shown
// figures is 1.
TEST(PerfReport, TheRatioIsThatOfWhatIsShown) {
  Result result = latency(8, 1004);
  result.limit = {996, 996, 996};
  result.ratio = {0.9, 0.95, 1.1};
  EXPECT_NE(table_row(result).find("ring 8 B 996 ns, 1.00x"), std::string::npos)
      << table_row(result);
  result.comparisons = {{{Program::Ucx, "tag_lat", 8}, "", 996, 1.008, true}};
  EXPECT_NE(table_row(result).find("ours is 1.00x"), std::string::npos) << table_row(result);
  result.comparisons[0].value = 300'000;
  EXPECT_NE(table_row(result).find("ours is 0.0033x"), std::string::npos) << table_row(result);
  result.comparisons[0].value = 2;
  EXPECT_NE(table_row(result).find("ours is 500x"), std::string::npos) << table_row(result);
}

TEST(PerfReport, ALimitThatIsSlowerThanOursIsNone) {
  Result result = latency(8, 100);
  result.limit = {5e6, 5e6, 5e6};
  result.ratio = {1, 1.5, 2}; // ratios of single pairs of runs, by chance
  const std::string row = table_row(result);
  EXPECT_NE(row.find("ring 8 B 5.00 ms, slower than ours"), std::string::npos) << row;
  EXPECT_EQ(row.find("x\n"), std::string::npos) << row;
  EXPECT_EQ(notes_of_limits({latency(8, 100), result}).rfind("  1 limit is slower than ours: ", 0),
            0U);
  EXPECT_EQ(notes_of_limits({result, result}).rfind("  2 limits are slower than ours: ", 0), 0U);
  EXPECT_EQ(notes_of_limits({latency(8, 100)}), "");
  EXPECT_NE(json_of({}, "", {}, {result}).find("\"limit_holds\": false"), std::string::npos);
  EXPECT_NE(csv_of({result}).find(",shm,no,,,,,\n"), std::string::npos);
  EXPECT_EQ(plot_svg({result}, {}).find("limit: ring"), std::string::npos);
  Result bandwidth = result;
  set_test(bandwidth.task, "send-bw");
  bandwidth.value = {2e9, 2e9, 2e9};
  bandwidth.limit = {1e9, 1e9, 1e9};
  EXPECT_NE(table_row(bandwidth).find("1.00 GB/s, slower than ours"), std::string::npos);
  bandwidth.limit = {4e9, 4e9, 4e9};
  EXPECT_NE(table_row(bandwidth).find("4.00 GB/s, 0.50x"), std::string::npos);
}

TEST(PerfPlot, NamesItsAxesAndSizesAndSaysWhatLessensIt) {
  const std::string svg =
      plot_svg({latency(8, 100), latency(524288, 120000)},
               {{"a machine", "2026-11-26 15:40 UTC"}, {"This machine is busy, load 6.8"}});
  for (const char* part :
       {">Latency<", ">bytes of one operation (logarithmic)<",
        ">time of one operation, median (logarithmic)<", ">512 KiB<", ">10 us<",
        ">2026-11-26 15:40 UTC<", "class='warning'>This machine is busy, load 6.8<"})
    EXPECT_NE(svg.find(part), std::string::npos) << part << svg;
  EXPECT_EQ(svg.find("512.0 KiB"), std::string::npos);
}

// With two kinds of memory the same limit is measured twice at each size. Its line in the plot must
// not go back and forth.
TEST(PerfPlot, ALimitHasOneFigureForEachSize) {
  Result ordinary = latency(8, 1000), shareable = latency(8, 1000);
  shareable.task.memory = Memory::Shareable;
  ordinary.limit = {100, 100, 100};
  shareable.limit = {10, 10, 10};
  const std::string svg = plot_svg({ordinary, shareable, latency(4096, 1000)}, {});
  EXPECT_NE(svg.find("<polyline points='100.0,340.0 660.0,"), std::string::npos) << svg;
}

TEST(PerfPlot, ASingleLimitIsAMark) {
  EXPECT_NE(plot_svg({latency(8, 100)}, {}).find("fill='white'/>\n<line"), std::string::npos)
      << plot_svg({latency(8, 100)}, {});
}

TEST(PerfPlot, LimitsHaveDashesOfTheirOwn) {
  Result memcpy = latency(8, 100);
  memcpy.limit_name = "memcpy 8 B";
  set_test(memcpy.task, "read-lat");
  const std::string svg = plot_svg({latency(8, 100), memcpy}, {});
  EXPECT_NE(svg.find("stroke-dasharray='7 4'"), std::string::npos);
  EXPECT_NE(svg.find("stroke-dasharray='2 3'"), std::string::npos);
}

TEST(PerfReport, WhatIsFarBelowItsUnitIsNotZero) {
  Result result = latency(8, 1.51e6);
  result.value = {583, 1.51e6, 3.01e6};
  EXPECT_NE(table_row(result).find("0.00058 / 1.51 / 3.01 ms"), std::string::npos);
}

TEST(PerfPlot, ALongNameMakesItWider) {
  Result result = latency(8, 100);
  EXPECT_NE(plot_svg({result}, {}).find("width='890'"), std::string::npos);
  result.limit_name = std::string(100, 'l') + " 8 B";
  EXPECT_EQ(plot_svg({result}, {}).find("width='890'"), std::string::npos);
}

TEST(PerfReport, CsvHasNothingWhereNothingWasMeasured) {
  Result stream;
  set_test(stream.task, "send-bw");
  stream.value = {1e9, 2e9, 3e9};
  EXPECT_NE(csv_of({stream}).find(",1e+09,2e+09,3e+09,,,,,,,,,,no,0,shm,,,,,,\n"),
            std::string::npos)
      << csv_of({stream});
  stream.skipped = "because";
  EXPECT_NE(csv_of({stream}).find(",bytes/s,,,,,,,,,,,,,yes,0,shm,,,,,,\"because\"\n"),
            std::string::npos)
      << csv_of({stream});
  stream.skipped.clear();
  EXPECT_EQ(table_row(stream).find(" \n"), std::string::npos) << table_row(stream);
}

TEST(PerfPlot, DrawsOnePanelPerKindAndDashesTheLimits) {
  const std::string svg = plot_svg({latency(8, 100), latency(64, 120)}, {{"a < b"}, {}});
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
  EXPECT_NE(csv_of({result}).find(",tcp,yes,,,,,\n"), std::string::npos);
  EXPECT_NE(plot_svg({result}, {}).find("send-lat, ordinary, tcp"), std::string::npos);
}

TEST(PerfReport, ToolsStandBelowTheirRowAndInJson) {
  Result result = latency(8, 100);
  result.probe = 50;
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
  EXPECT_NE(plot_svg({result}, {}).find("ucx_perftest tag_lat"), std::string::npos);
  EXPECT_EQ(plot_svg({result}, {}).find("fi_pingpong"), std::string::npos);
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
  const std::string csv = csv_of({result});
  EXPECT_NE(csv.find(",cpu_percent,memory_per_pair,descriptors_per_pair,setup_ns,reason\nidle,"),
            std::string::npos)
      << csv;
  EXPECT_TRUE(csv.ends_with(",shm,,0.25,2048,2,1.5e+09,\n")) << csv;
}

TEST(PerfReport, WhatIsNotKnownOfTheMachineIsNotZero) {
  EXPECT_NE(text_of(Machine()).find(", load unknown"), std::string::npos) << text_of(Machine());
  EXPECT_FALSE(is_busy(Machine()));
  EXPECT_NE(json_of({}, "", {}, {}).find("\"load\": null"), std::string::npos);
  Machine machine;
  machine.load = 3;
  EXPECT_NE(text_of(machine).find(", usable cores unknown, "), std::string::npos)
      << text_of(machine);
  EXPECT_FALSE(is_busy(machine));
  EXPECT_NE(json_of(machine, "", {}, {}).find("\"cores\": null"), std::string::npos);
  Result result;
  set_test(result.task, "idle");
  EXPECT_NE(table_row(result).find("1 idle endpoint: 0.00 % CPU, an unknown amount of memory and "),
            std::string::npos)
      << table_row(result);
}

TEST(PerfPlot, OfNothingIsAnEmptyDrawing) {
  const std::string svg = plot_svg({}, {});
  EXPECT_EQ(svg.find("polyline"), std::string::npos);
  EXPECT_NE(svg.find("</svg>"), std::string::npos);
}

} // namespace
} // namespace datum::perf
