// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What dat-perf says of options that are wrong or missing, and the plots that it is asked for.
#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <regex>

#include "perf_process.h"

namespace datum::perf {
namespace {

TEST(DatPerf, ATransportThatThereIsNotIsWrongUsage) {
  const Ended ended = run(kPerf + " --local --transport verbs 2>&1");
  EXPECT_EQ(ended.code, 2);
  EXPECT_NE(ended.output.find("verbs: there is no transport for RDMA hardware"), std::string::npos)
      << ended.output;
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

TEST(DatPerf, AQuickTableHasTestsOfItsOwn) {
  const Ended ended = run(kPerf + " --local --quick -t send-lat 2>&1");
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.output, "dat-perf: --quick has tests of its own: leave out --test, or --quick\n");
}

// --- plots --------------------------------------------------------------------------------------

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

TEST(DatPerf, APlotThatIsNotCalledSvgIsWrongUsage) {
  const std::string file = testing::TempDir() + "dat-perf-plot.png";
  const Ended ended = run(kPerf + " --local -t send-lat -s 8 --plot " + file + kShort + "2>&1");
  EXPECT_EQ(ended.code, 2);
  EXPECT_NE(ended.output.find("plots are SVG, not .png; choose a name that ends in .svg"),
            std::string::npos)
      << ended.output;
  EXPECT_NE(access(file.c_str(), F_OK), 0) << "nothing is written";
}

} // namespace
} // namespace datum::perf
