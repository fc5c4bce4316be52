// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat-perf --compare as a user runs it, with a PATH in which scripts of the test stand for the
// tools.
#include <gtest/gtest.h>

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "command.h"

namespace datum::perf {
namespace {

using test::Ended;
using test::run;
using test::Served;

const std::string kDatPerf = DAT_PERF_PROGRAM;

struct Fake {
  const char* name;
  const char* is_server; // a condition on its arguments, in Python
  const char* port;      // the word before the port, for a client
  const char* bound;     // the word before the port, for a server
};

constexpr Fake kUcx = {"ucx_perftest", "'-t' not in a", "-p", "-p"};
constexpr Fake kFabric = {"fi_pingpong", "'-B' in a", "-P", "-B"};
constexpr Fake kIperf = {"iperf3", "'-s' in a", "-p", "-p"};
constexpr Fake kSockperf = {"sockperf", "'server' in a", "-p", "-p"};

constexpr const char* kListen = "socket.create_server(('', port)).accept()\n    time.sleep(600)";
constexpr const char* kUcxFigure =
    "socket.create_connection(('127.0.0.1', port))\n    print('100,1,1,0.5,1,2,1,3000000')";
constexpr const char* kHang = "time.sleep(600)";

// The interpreter itself, not a script that searches PATH for it.
const std::string& python() {
  static const std::string kPython = [] {
    const std::string ask = std::string(PYTHON_PROGRAM) + " -c 'import sys; print(sys.executable)'";
    const std::string line = run(ask).output;
    return line.substr(0, line.find('\n'));
  }();
  return kPython;
}

class DatPerfCompare : public testing::Test {
 protected:
  DatPerfCompare() {
    std::string pattern = testing::TempDir() + "dat-perf-tools-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp");
    folder_ = pattern;
  }
  ~DatPerfCompare() override { std::filesystem::remove_all(folder_); }

  // Installs a tool. Each process of the tool leaves a file that is named after its process number.
  void install(const Fake& fake, const std::string& client, const std::string& server = kListen) {
    const std::string file = folder_ + "/" + fake.name;
    std::ofstream(file) << "#!" << python() << " -SE\nimport os, socket, sys, time\n"
                        << "a = sys.argv\nopen('" << folder_ << "/%d.pid' % os.getpid(), 'w')\n"
                        << "if " << fake.is_server << ":\n    port = int(a[a.index('" << fake.bound
                        << "') + 1])\n    " << server << "\nelse:\n    port = int(a[a.index('"
                        << fake.port << "') + 1])\n    " << client << "\n";
    ASSERT_EQ(chmod(file.c_str(), 0755), 0);
  }
  [[nodiscard]] std::string perf(const std::string& options) const {
    return perf_server("--repeat 1 --time 1 --no-limits " + options);
  }
  [[nodiscard]] std::string perf_server(const std::string& options) const {
    return "env PATH=" + folder_ + " " + kDatPerf + " " + options;
  }
  // The number of processes of the tools that still run.
  [[nodiscard]] std::size_t left() const {
    std::size_t n = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_))
      if (entry.path().extension() == ".pid" &&
          kill(std::stoi(entry.path().stem().string()), 0) == 0)
        ++n;
    return n;
  }
  [[nodiscard]] std::size_t started() const {
    std::size_t n = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_))
      n += entry.path().extension() == ".pid" ? 1U : 0U;
    return n;
  }

  std::string folder_;
};

void expect_in(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << "\nin: " << text;
}

TEST_F(DatPerfCompare, AToolsFigureStandsBesideOurs) {
  install(kUcx, kUcxFigure);
  const Ended json = run(perf("--local --compare -t send-lat -s 8 --json 2>&1"));
  EXPECT_EQ(json.code, 0);
  expect_in(json.output, "\"compared\": [{\"tool\": \"ucx_perftest\", \"test\": \"tag_lat\", "
                         "\"size\": 8, \"value\": 500.0, \"ratio\": ");
  expect_in(json.output, "\"absent\": [{\"tool\": \"fi_pingpong\", \"package\": "
                         "\"libfabric-bin\"}]");
  const Ended table = run(perf("--local --compare -t send-rate -s 8 2>&1"));
  EXPECT_EQ(table.code, 0);
  expect_in(table.output, "\n  ucx_perftest tag_bw                  3.00 M/s");
  EXPECT_EQ(left(), 0U);
}

TEST_F(DatPerfCompare, AToolThatIsNotThereIsNamedOnceWithItsPackage) {
  const Ended ended = run(perf("--local --transport tcp --compare -t send-lat -s 8,16 2>&1"));
  EXPECT_EQ(ended.code, 0);
  expect_in(ended.output,
            "\nNot compared, because not installed: ucx_perftest (Debian package ucx-utils), "
            "fi_pingpong (Debian package libfabric-bin), sockperf (Debian package sockperf)\n");
  EXPECT_EQ(ended.output.find("failed"), std::string::npos) << ended.output;
}

TEST_F(DatPerfCompare, AToolThatFailsSaysSoAndTheOthersGoOn) {
  install(kUcx, kUcxFigure);
  install(kSockperf, "print('purple')\n    print()");
  install(kIperf, "print('iperf3: error - busy', file=sys.stderr)\n    sys.exit(3)");
  const Ended ended =
      run(perf("--local --transport tcp --compare -t send-lat,send-bw -s 8 --json 2>&1"));
  EXPECT_EQ(ended.code, 0);
  expect_in(ended.output, "\"test\": \"tag_lat\", \"size\": 8, \"value\": 500.0");
  expect_in(ended.output, "\"tool\": \"sockperf\", \"test\": \"ping-pong\", \"size\": 14, "
                          "\"failure\": \"no figure in its output: purple\"");
  expect_in(ended.output, "\"failure\": \"exit 3: iperf3: error - busy\"");
  expect_in(ended.output, "\"test\": \"tag_bw\", \"size\": 8, \"value\": 2.09715e+06");
  EXPECT_EQ(left(), 0U);
}

TEST_F(DatPerfCompare, AToolThatHangsIsEndedInTime) {
  install(kFabric, "print('waiting', flush=True)\n    time.sleep(600)");
  const Ended ended = run(perf("--local --compare -t send-lat -s 8 --timeout 2 2>&1"));
  EXPECT_EQ(ended.code, 0);
  expect_in(ended.output,
            "fi_pingpong shm                      failed: no end within 2 s: waiting");
  EXPECT_EQ(started(), 2U);
  EXPECT_EQ(left(), 0U);
}

TEST_F(DatPerfCompare, AToolThatPrintsForEverIsBounded) {
  install(kUcx, "while True: print('x' * 1000, flush=True)");
  const Ended ended = run(perf("--local --compare -t send-lat -s 8 2>&1"));
  EXPECT_EQ(ended.code, 0);
  expect_in(ended.output, "ucx_perftest tag_lat                 failed: exit ");
  EXPECT_EQ(left(), 0U);
}

TEST_F(DatPerfCompare, AToolWhoseServerEndsSaysSo) {
  install(kUcx, kUcxFigure, "sys.exit('address in use')");
  const Ended ended = run(perf("--local --compare -t send-lat -s 8 2>&1"));
  EXPECT_EQ(ended.code, 0);
  expect_in(ended.output, "server side: ucx_perftest does not listen: address in use");
}

TEST_F(DatPerfCompare, CtrlCEndsTheToolsToo) {
  install(kUcx, kHang);
  const Ended ended = run("timeout --preserve-status -s INT 3 " +
                          perf("--local --compare -t send-lat -s 8 --timeout 50 2>&1"));
  EXPECT_EQ(ended.code, 3) << ended.output;
  for (int i = 0; i < 50 && left() > 0; ++i) usleep(100'000); // the server side ends by itself
  EXPECT_EQ(left(), 0U);
}

TEST_F(DatPerfCompare, AServerRunsNoToolsUnlessItWasToldTo) {
  install(kUcx, kUcxFigure);
  Served server(perf_server("--server --port 0 -q"));
  const Ended ended =
      run(perf("127.0.0.1 --port " + server.port + " --compare -t send-lat -s 8 2>&1"));
  EXPECT_EQ(ended.code, 2);
  expect_in(ended.output,
            "was started without --compare, so it runs no other tools; start it there as: "
            "dat-perf --server --compare --port " +
                server.port);
  EXPECT_EQ(started(), 0U);
}

TEST_F(DatPerfCompare, AServerWithCompareRunsThePassiveSides) {
  install(kUcx, kUcxFigure);
  Served server(perf_server("--server --once --compare --port 0 -q"));
  const Ended ended = run(perf("127.0.0.1 --port " + server.port +
                               " --transport tcp --compare -t send-lat -s 8 --json 2>&1"));
  EXPECT_EQ(ended.code, 0);
  expect_in(ended.output, "\"test\": \"tag_lat\", \"size\": 8, \"value\": 500.0");
  EXPECT_EQ(server.wait(), 0);
  EXPECT_EQ(left(), 0U);
}

TEST_F(DatPerfCompare, CsvHasNoPlaceForIt) {
  EXPECT_EQ(run(perf("--local --compare --csv -t send-lat 2>&1")).code, 2);
}

} // namespace
} // namespace datum::perf
