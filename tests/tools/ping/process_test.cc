// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat-ping as a user runs it.
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>

#include <gtest/gtest.h>

#include "bound.h"
#include "command.h"
#include "full_pipe.h"

namespace datum::ping {
namespace {

using test::bound;
using test::Ended;
using test::run;
using test::run_until;
using test::Served;

const std::string kPing = DAT_PING_PROGRAM;

class DatPing : public testing::Test {
 protected:
  [[nodiscard]] std::string client(const std::string& options) const {
    return kPing + " 127.0.0.1 -p " + server.port + " " + options;
  }
  Served server{kPing + " --serve -p 0 -q"};
};

// What dat-ping prints when it cannot open an adapter whose line of dat.conf has this library and
// these instance data. The command `before` runs first and can lower a limit.
std::string refusal(const std::string& library, const std::string& data,
                    const std::string& before = "true") {
  const std::string file = "/tmp/dat-ping-test-" + std::to_string(getpid());
  std::ofstream(file) << "mine u1.2 nonthreadsafe default " << library << " d.1.0 \"" << data
                      << "\" \"\"\n";
  const Ended ended = run("bash -c '" + before + "; DAT_OVERRIDE=" + file + " exec " + kPing +
                          " --serve -p 0 --ia mine 2>&1 | grep ^dat-ping'");
  unlink(file.c_str());
  return ended.output;
}

TEST(DatPingAdapter, WhatKeepsItFromOpeningIsSaidAndNotALimit) {
  const std::string missing = refusal("libdatum1.so", "nowhere0");
  EXPECT_NE(missing.find("there is no interface nowhere0 here (`ip address`"), std::string::npos)
      << missing;
  const std::string elsewhere = refusal("libdatum1.so", "203.0.113.77");
  EXPECT_NE(elsewhere.find("no interface here has the address 203.0.113.77 (`ip address`"),
            std::string::npos)
      << elsewhere;
  EXPECT_NE(elsewhere.find(":1 may name another one"), std::string::npos) << elsewhere;
  const std::string library = refusal("libnowhere.so.9", "");
  EXPECT_NE(library.find("is \"libnowhere.so.9\" installed"), std::string::npos) << library;
  for (const std::string& text : {missing, elsewhere, library})
    EXPECT_EQ(text.find("ulimit"), std::string::npos) << text;
}

TEST(DatPingAdapter, TheLimitOnDescriptorsIsNamedWhereItIsTheCause) {
  const std::string few = refusal("libdatum1.so", "lo", "ulimit -n 7");
  EXPECT_NE(few.find("look at 'ulimit -n'"), std::string::npos) << few;
}

TEST(DatPingAdapter, AnAliasIsNamedWithWhatItStandsFor) {
  const Ended ended = run("env DATUM_ALIAS=ib0=datum-nowhere0 " + kPing + " ::1 --ia ib0 2>&1");
  EXPECT_EQ(ended.code, 2);
  EXPECT_NE(ended.output.find("ib0 stands for datum-nowhere0: dat_ia_open(datum-nowhere0)"),
            std::string::npos)
      << ended.output;
}

TEST_F(DatPing, EveryPingIsAnsweredAndSummedUp) {
  const Ended ended = run(client("-c 3 -i 0"));
  EXPECT_EQ(ended.code, 0);
  EXPECT_NE(ended.output.find("56 bytes from 127.0.0.1"), std::string::npos) << ended.output;
  EXPECT_NE(ended.output.find("3 sent, 3 received, 0 lost (0 %)"), std::string::npos)
      << ended.output;
}

TEST_F(DatPing, TheFirstLineIsShort) {
  const Ended ended = run(client("-c 1"));
  const std::string first = ended.output.substr(0, ended.output.find('\n'));
  EXPECT_EQ(first.rfind("DAT PING 127.0.0.1 port " + server.port +
                            " over datum: path shm cma, connected in ",
                        0),
            0U)
      << first;
  EXPECT_LE(first.size(), 80U) << first;
}

TEST_F(DatPing, QuietIsTheSummaryAlone) {
  EXPECT_EQ(run(client("-c 1 -q")).output.rfind("--- 127.0.0.1 port ", 0), 0U);
}

TEST_F(DatPing, AFamilyThatTheHostLacksIsNamed) {
  EXPECT_EQ(run(client("-c 1 -q -4")).code, 0);
  const Ended six = run(client("-c 1 -6 2>&1"));
  EXPECT_EQ(six.code, 2);
  EXPECT_EQ(six.output,
            "dat-ping: host \"127.0.0.1\" has no IPv6 address, only 127.0.0.1 (leave the "
            "family open, or name another host)\n");
  const Ended four = run(kPing + " ::1 -4 2>&1");
  EXPECT_EQ(four.code, 2);
  EXPECT_EQ(four.output,
            "dat-ping: host \"::1\" has no IPv4 address, only ::1 (leave the family open, "
            "or name another host)\n");
  EXPECT_EQ(run(client("-4 -6 2>&1")).code, 2);
}

TEST_F(DatPing, SmallestAndLargestSizesComeBack) {
  EXPECT_EQ(run(client("-c 2 -i 0 -s 8 -q")).code, 0);
  EXPECT_EQ(run(client("-c 2 -i 0 -s 1M -q --poll")).code, 0);
}

TEST_F(DatPing, JsonIsTheSummaryAlone) {
  const Ended ended = run(client("-c 2 -i 0 --json"));
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.output.find('{'), 0U);
  EXPECT_NE(ended.output.find("\"received\": 2"), std::string::npos) << ended.output;
}

// For each number of the object: whether it is written as an integer.
std::map<std::string, bool> integers_of(const std::string& object) {
  std::map<std::string, bool> is_integer;
  const std::regex number("\"([a-z_0-9]+)\": (-?[0-9.e+-]+)");
  for (std::sregex_iterator at(object.begin(), object.end(), number), end; at != end; ++at)
    is_integer[(*at)[1]] = (*at)[2].str().find_first_of(".e") == std::string::npos;
  return is_integer;
}

TEST_F(DatPing, JsonNumbersAreIntegers) {
  const Ended ended = run(client("-c 2 -i 0 --json"));
  EXPECT_EQ(ended.code, 0) << ended.output;
  const std::map<std::string, bool> is_integer = integers_of(ended.output);
  for (const char* name : {"connect_ns", "min_ns", "avg_ns", "max_ns", "mdev_ns",
                           "max_message_size", "max_private_data", "max_requests", "sent", "port"})
    EXPECT_TRUE(is_integer.count(name) == 1 && is_integer.at(name)) << name << ended.output;
}

// The rest of the line of verbose output that begins with `name`, or "" if there is no such line.
std::string told(const std::string& output, const std::string& name) {
  const std::size_t at = output.find("\n  " + name + " ");
  if (at == std::string::npos) return "";
  const std::size_t from = output.find_first_not_of(' ', at + 3 + name.size());
  return output.substr(from, output.find('\n', from) - from);
}

TEST_F(DatPing, VerboseTellsThePathAndWhyBelowTheHeader) {
  const Ended ended = run(client("-v -c 1"));
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.output.find("DAT PING 127.0.0.1 port " + server.port + " over datum: path shm "),
            0U);
  EXPECT_EQ(told(ended.output, "adapter").rfind("datum, ", 0), 0U) << ended.output;
  EXPECT_EQ(told(ended.output, "path").find("shm "), 0U) << ended.output;
  EXPECT_NE(told(ended.output, "ends").find("127.0.0.1 port " + server.port + " there"),
            std::string::npos)
      << ended.output;
  EXPECT_EQ(told(ended.output, "private data"),
            "sent 10 bytes \"dat-ping 1\"; came 10 bytes \"dat-ping 1\"; at most 256 bytes");
  EXPECT_EQ(told(ended.output, "limits").find("messages up to 4.0 GiB; "), 0U) << ended.output;
  EXPECT_EQ(told(ended.output, "pings"),
            "56 bytes, every 1.0 s; an answer may take 5.0 s, waited for asleep");
}

TEST_F(DatPing, VerboseTellsWhyTcpWasTaken) {
  const Ended ended = run("env DATUM_TRANSPORT=tcp " + client("-v -c 1"));
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(told(ended.output, "path"), "tcp, because: DATUM_TRANSPORT=tcp");
}

TEST_F(DatPing, JsonHasThePathToo) {
  const Ended ended = run("env DATUM_TRANSPORT=tcp " + client("-c 1 --json"));
  EXPECT_NE(ended.output.find("\"path\": \"tcp\", \"path_reason\": \"DATUM_TRANSPORT=tcp\""),
            std::string::npos)
      << ended.output;
}

TEST_F(DatPing, JsonHasTheReadsAtATimeThatVerboseTells) {
  const std::string verbose = told(run(client("-v -c 1")).output, "limits");
  std::smatch reads;
  ASSERT_TRUE(std::regex_search(verbose, reads,
                                std::regex("RDMA Reads at a time: ([0-9]+) in, ([0-9]+) out")))
      << verbose;
  const Ended json = run(client("-c 1 --json"));
  EXPECT_NE(json.output.find("\"max_rdma_reads_in\": " + reads[1].str() +
                             ", \"max_rdma_reads_out\": " + reads[2].str() + ","),
            std::string::npos)
      << json.output;
}

// It ends with 3, as the servers of dat-perf and dat-cp do.
TEST(DatPingServer, ASignalThatEndsItIsAnInterrupt) {
  for (const int signal : {SIGINT, SIGTERM}) {
    Served server(kPing + " --serve -p 0 -q");
    EXPECT_EQ(server.end(signal), 3);
  }
}

TEST(DatPingServer, VerboseTellsThePathOfEachClient) {
  char name[] = "/tmp/dat-ping-test-XXXXXX";
  const int fd = mkstemp(name);
  ASSERT_GE(fd, 0);
  close(fd);
  {
    Served server(kPing + " --serve -p 0 -v 2>" + name);
    EXPECT_EQ(run("env DATUM_TRANSPORT=tcp " + kPing + " 127.0.0.1 -q -c 1 -p " + server.port).code,
              0);
    EXPECT_EQ(server.end(SIGTERM), 3);
  }
  std::ifstream file(name);
  const std::string log((std::istreambuf_iterator<char>(file)), {});
  unlink(name);
  EXPECT_NE(log.find(": path tcp, because: the peer chose TCP, or offers nothing else; private "
                     "data: 10 bytes \"dat-ping 1\"\n"),
            std::string::npos)
      << log;
}

TEST_F(DatPing, CtrlCPrintsTheSummary) {
  const Ended ended = run_until(client("-i 0.01"), "seq=1", "INT");
  EXPECT_EQ(ended.code, 0);
  EXPECT_NE(ended.output.find(" 0 lost (0 %)"), std::string::npos) << ended.output;
}

TEST_F(DatPing, PingsThatAreLostAreAFailureAlsoAtCtrlC) {
  const std::string stop = "kill -s STOP " + std::to_string(server.pid);
  const Ended ended =
      run("bash -c 'coproc P { exec " + client("-i 0.3 -W 0.2 2>&1") +
          "; }; pid=$P_PID; exec 3<&${P[0]}; while read -r line <&3; do echo \"$line\"; "
          "case $line in *seq=1*time*) " +
          stop + ";; *no?answer*) kill -s INT $pid;; esac; done; wait $pid; exit $?'");
  kill(server.pid, SIGCONT);
  EXPECT_EQ(ended.code, 1) << ended.output;
}

TEST_F(DatPing, AStoppedServerLosesPings) {
  kill(server.pid, SIGSTOP);
  // No connection is made without the server, so this is a failure of the set-up.
  EXPECT_EQ(run(client("-c 1 -W 0.5 2>&1")).code, 2);
  kill(server.pid, SIGCONT);
}

TEST_F(DatPing, TheEndOfTheServerIsToldAndCountsAsFailure) {
  // The shell ends the server once the client has printed its first answer.
  const Ended ended =
      run("bash -c '" + client("-i 0.01 2>&1") +
          " | { while read -r line; do echo \"$line\"; case $line in *seq=1*) kill " +
          std::to_string(server.pid) + ";; esac; done; }; exit ${PIPESTATUS[0]}'");
  EXPECT_EQ(ended.code, 1);
  EXPECT_NE(ended.output.find("DAT_CONNECTION_EVENT_"), std::string::npos) << ended.output;
  EXPECT_NE(ended.output.find("statistics"), std::string::npos) << ended.output;
  EXPECT_EQ(server.wait(), 3);
}

rlim_t memory_of(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string word; status >> word;)
    if (rlim_t kib = 0; word == "VmData:" && status >> kib) return kib * 1024;
  throw std::runtime_error("no VmData");
}

TEST_F(DatPing, AServerWithoutMemoryForAClientRefusesItAndServesTheNext) {
  // Enough for a client's request, and too little for its buffers.
  bound(server.pid, RLIMIT_DATA, memory_of(server.pid) + (rlim_t{1} << 20U));
  const Ended refused = run(client("-c 1 2>&1"));
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.output.find("the program there refused the connection"), std::string::npos)
      << refused.output;
  bound(server.pid, RLIMIT_DATA, RLIM_INFINITY);
  EXPECT_EQ(run(client("-c 1 -q")).code, 0);
}

// The server's log is lost in these cases, and so are its other lines on standard error.
TEST(DatPingServer, ServesWithClosedOrFullStandardDescriptors) {
  for (const char* where : {"2>&-", "2>/dev/full", "<&- 2>&-"}) {
    SCOPED_TRACE(where);
    Served server(kPing + " --serve -p 0 -v " + where);
    for (int client = 0; client < 2; ++client)
      EXPECT_EQ(run(kPing + " 127.0.0.1 -p " + server.port + " -c 1").code, 0);
    EXPECT_EQ(server.end(SIGTERM), 3);
  }
}

TEST(DatPingServer, AnswersAndEndsWhereNobodyReadsItsLog) {
  const datum::test::FullPipe log;
  Served server(kPing + " --serve -p 0 -v 2>" + log.path());
  for (int client = 0; client < 2; ++client)
    EXPECT_EQ(run(kPing + " 127.0.0.1 -p " + server.port + " -q -c 1").code, 0);
  EXPECT_EQ(server.end(SIGTERM), 3);
}

// The first line tells where the server listens, so the server ends if that line is lost.
TEST(DatPingServer, EndsWhereItsFirstLineIsLost) {
  const Ended full = run("sh -c '" + kPing + " --serve -p 0 2>&1 >/dev/full'");
  EXPECT_EQ(full.code, 1);
  EXPECT_EQ(full.output, "dat-ping: cannot write to standard output: No space left on device\n");
  EXPECT_EQ(run("sh -c '" + kPing + " --serve -p 0 >&- 2>&-'").code, 1);
}

TEST(DatPingUsage, IsTwoWithoutStandardError) {
  EXPECT_EQ(run(kPing + " 2>&-").code, 2);
}

TEST(DatPingUsage, NobodyListeningIsTwo) {
  const Ended ended = run(kPing + " 127.0.0.1 -p 1 -c 1 2>&1");
  EXPECT_EQ(ended.code, 2);
  EXPECT_NE(ended.output.find("nobody listens"), std::string::npos) << ended.output;
}

TEST(DatPingUsage, OnlyAServerTakesAnyFreePort) {
  const Ended ended = run(kPing + " 127.0.0.1 -p 0 2>&1");
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.output, "dat-ping: --port 0: for a server that takes any free port; give the "
                          "port that the server printed\n");
}

TEST(DatPingUsage, AServerRefusesWhatIsForClients) {
  for (const char* option :
       {"--count 3", "--interval 1", "--size 8", "--timeout 1", "--poll", "--json", "-4", "HOST"}) {
    const Ended ended = run(kPing + " --serve -p 0 " + option + " 2>&1");
    EXPECT_EQ(ended.code, 2);
    EXPECT_EQ(ended.output.rfind("dat-ping: --serve takes no ", 0), 0U) << ended.output;
  }
}

TEST_F(DatPing, AFullStandardOutputIsToldOnce) {
  const Ended ended = run("sh -c '" + client("-c 3 -i 0") + " 2>&1 >/dev/full'");
  EXPECT_EQ(ended.code, 1);
  EXPECT_EQ(ended.output, "dat-ping: cannot write to standard output: No space left on device\n");
}

TEST(DatPingUsage, WrongUsageIsTwo) {
  const Ended count = run(kPing + " 127.0.0.1 -c none 2>&1");
  EXPECT_EQ(count.output.rfind("dat-ping: --count: ", 0), 0U) << count.output;
  EXPECT_EQ(run(kPing + " 2>&1").code, 2);
  EXPECT_EQ(run(kPing + " 127.0.0.1 -s 7 2>&1").code, 2);
  EXPECT_EQ(run(kPing + " 127.0.0.1 -q -v 2>&1").code, 2);
  for (const char* wrong : {"-c 0", "-c -1", "-c 18446744073709551616", "-i nan", "-W 0",
                            "-p 18446744073709551616", "-p -1", "-p 1.5"})
    EXPECT_EQ(run(kPing + " 127.0.0.1 " + wrong + " 2>&1").code, 2) << wrong;
  EXPECT_EQ(run(kPing + " 127.0.0.1 -s 2M 2>&1").code, 2);
}

} // namespace
} // namespace datum::ping
