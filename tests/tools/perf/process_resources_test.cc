// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat-perf with too few descriptors, endpoints, processes or cores.
#include <gtest/gtest.h>

#include <sched.h>
#include <sys/syscall.h>

#include <cstdint>
#include <optional>
#include <regex>

#include "filtered_command.h"
#include "perf_process.h"

namespace datum::perf {
namespace {

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

} // namespace
} // namespace datum::perf
