// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat-info -p as a user runs it, on a program that runs.
#include <gtest/gtest.h>

#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <optional>
#include <string>

#include "dat_info.h"

namespace datum::info {
namespace {

using test::Ended;
using test::run;
using test::Served;

TEST(DatInfo, AProgramWhoseFilesAreLimitedLivesAndSaysWhy) {
  Served server(kPing + " --serve -p 0 -q");
  const rlimit none{0, RLIM_INFINITY};
  ASSERT_EQ(prlimit(server.pid, RLIMIT_FSIZE, &none, nullptr), 0);
  const Ended ended = run(kInfo + " -p " + std::to_string(server.pid));
  EXPECT_EQ(ended.code, 0);
  EXPECT_NE(ended.output.find("longer than a file of that program may be (ulimit -f; "),
            std::string::npos)
      << ended.output;
  EXPECT_EQ(server.end(SIGINT), 3);
}

TEST(DatInfo, AProcessNumberIsOne) {
  const Ended ended = run(kInfo + " -p abc 2>&1");
  EXPECT_EQ(ended.code, 2);
  EXPECT_NE(ended.output.find("\"abc\" is not a number from 1 to 2147483647"), std::string::npos)
      << ended.output;
}

// The name of a program is that of its file, and its environment can hold any text.
// Rules: MESSAGE.3
TEST(DatInfo, ControlCharactersOfAProcessReachNoTerminal) {
  const std::string program = "/tmp/\033[2J\n" + std::to_string(getpid());
  ASSERT_EQ(symlink(kPing.c_str(), program.c_str()), 0);
  const Served server("env 'DATUM_TRANSPORT=\033[2J\nx' '" + program +
                      "' --serve -p 0 -q 2>/dev/null");
  unlink(program.c_str());
  const std::string pid = std::to_string(server.pid);
  const Ended text = run(kInfo + " -p " + pid + " 2>&1"), json = run(kInfo + " --json -p " + pid);
  EXPECT_FALSE(disturbs(text.output + json.output)) << text.output << json.output;
  EXPECT_NE(text.output.find("process " + pid + " (\\x1b[2J\\n"), std::string::npos) << text.output;
  EXPECT_NE(text.output.find("DATUM_TRANSPORT=\\x1b[2J\\nx when"), std::string::npos)
      << text.output;
  EXPECT_NE(json.output.find("\"command\": \"\\u001b[2J"), std::string::npos) << json.output;
}

TEST(DatInfo, ARunningProgramShowsLibrariesListenersAndThreads) {
  Served server(kPing + " --serve -p 0 -q");
  const Ended ended = run(kInfo + " -p " + std::to_string(server.pid));
  EXPECT_EQ(ended.code, 0);
  EXPECT_NE(ended.output.find("libdatum1.so"), std::string::npos) << ended.output;
  EXPECT_NE(ended.output.find("libdat.so.1"), std::string::npos) << ended.output;
  EXPECT_NE(ended.output.find("@datum/1/*/" + server.port), std::string::npos) << ended.output;
  EXPECT_NE(ended.output.find("datum-"), std::string::npos) << ended.output;
  EXPECT_NE(ended.output.find("IA datum: "), std::string::npos) << ended.output;
}

TEST(DatInfo, NumbersAreNumbersInJson) {
  const Served server(kPing + " --serve -p 0 -q");
  const std::string pid = std::to_string(server.pid);
  const Ended ended = run(kInfo + " --json -p " + pid);
  EXPECT_NE(ended.output.find("\"user\": " + std::to_string(getuid()) + ","), std::string::npos)
      << ended.output;
  const auto limit = [&] {
    const std::string text = run(kInfo + " --json -p " + pid).output;
    const std::size_t at = text.find("\"descriptor_limit\": ");
    return at == std::string::npos ? text : text.substr(at, text.find(',', at) - at);
  };
  rlimit files = {};
  ASSERT_EQ(prlimit(server.pid, RLIMIT_NOFILE, nullptr, &files), 0);
  EXPECT_EQ(limit(), "\"descriptor_limit\": " + std::to_string(files.rlim_cur));
  const Ended attributes = run(kInfo + " --json -a datum");
  EXPECT_NE(attributes.output.find("\"max_srqs\": 4096,"), std::string::npos) << attributes.output;
}

TEST(DatInfo, ALinkedProgramShowsWhomItReachesDirectly) {
  const Served server(kPing + " --serve -p 0 -q");
  // The shell that runs the client asks while the connection stands.
  const std::string client =
      kPing + " 127.0.0.1 -p " + server.port + " -c 500 -i 0.01 -q >/dev/null & client=$!; ";
  const std::string ask = "until " + kInfo + " -p " + std::to_string(server.pid) +
                          " | grep \"processes: $client;\"; do kill -0 $client || break; done; "
                          "kill -INT $client; wait $client";
  const Ended ended = run("sh -c '" + client + ask + "'");
  EXPECT_NE(ended.output.find("direct access  to processes: "), std::string::npos) << ended.output;
}

// What dat-info prints about a server while one client is connected to it. The two environments
// choose the path. The shell that runs the client repeats the inquiry until the connection exists.
std::string told_of_a_served_client(const std::string& options, const std::string& of_server,
                                    const std::string& of_client, const std::string& awaited) {
  const Served server("env " + of_server + " " + kPing + " --serve -p 0 -q");
  const std::string client = "env " + of_client + " " + kPing + " 127.0.0.1 -p " + server.port +
                             " -c 500 -i 0.01 -q >/dev/null & client=$!; ";
  const std::string ask = "until told=$(" + kInfo + options + " -p " + std::to_string(server.pid) +
                          ") && case $told in *\"" + awaited +
                          "\"*) true;; *) false;; esac; do kill -0 $client || break; done; "
                          "echo \"$told\"; kill -INT $client; wait $client";
  return run("sh -c '" + client + ask + "'").output;
}

TEST(DatInfo, AProgramShowsItsTcpConnectionsAndWhy) {
  const std::string told =
      told_of_a_served_client("", "DATUM_TRANSPORT=auto", "DATUM_TRANSPORT=tcp", "established");
  EXPECT_NE(told.find("established: this host; the peer chose TCP, or offers nothing else\n"),
            std::string::npos)
      << told;
  EXPECT_NE(told.find("  TCP            1 connection\n    127.0.0.1 port "), std::string::npos)
      << told;
  EXPECT_NE(told.find(" at every address (TCP)"), std::string::npos) << told;
}

TEST(DatInfo, ARunningProgramTellsWhatItsEndpointsDo) {
  const std::string told =
      told_of_a_served_client("", "DATUM_TRANSPORT=auto", "DATUM_TRANSPORT=auto", "CONNECTED with");
  EXPECT_NE(told.find("  IA datum: 1 EP, 2 EVDs\n"), std::string::npos) << told;
  EXPECT_NE(told.find(", path: shm"), std::string::npos) << told;
  for (const char* part : {"      posted ", "outstanding: ", " Recvs; 0 stalls\n", " events; "})
    EXPECT_NE(told.find(part), std::string::npos) << part << "\n" << told;
  const std::string over_tcp =
      told_of_a_served_client("", "DATUM_TRANSPORT=tcp", "DATUM_TRANSPORT=tcp", "CONNECTED with");
  EXPECT_NE(over_tcp.find(", path: tcp (DATUM_TRANSPORT=tcp)\n"), std::string::npos) << over_tcp;
}

TEST(DatInfo, AStoppedProgramDoesNotAnswerAndTheRestIsShown) {
  const Served server(kPing + " --serve -p 0 -q");
  ASSERT_EQ(kill(server.pid, SIGSTOP), 0);
  const Ended ended = run(kInfo + " -p " + std::to_string(server.pid));
  ASSERT_EQ(kill(server.pid, SIGCONT), 0);
  EXPECT_EQ(ended.code, 0);
  EXPECT_NE(ended.output.find("no answer within two seconds"), std::string::npos) << ended.output;
  EXPECT_NE(ended.output.find("listens on"), std::string::npos) << ended.output;
}

TEST(DatInfo, AProgramThatWasGivenTcpAloneSaysSo) {
  const std::string told =
      told_of_a_served_client("", "DATUM_TRANSPORT=tcp", "DATUM_TRANSPORT=auto", "established");
  EXPECT_NE(told.find("established: this host; DATUM_TRANSPORT=tcp in its environment\n"),
            std::string::npos)
      << told;
  EXPECT_NE(told.find("  environment    DATUM_TRANSPORT=tcp when it was started\n"),
            std::string::npos)
      << told;
}

TEST(DatInfo, JsonHasTheTcpSocketsToo) {
  const std::string told = told_of_a_served_client(" --json", "DATUM_TRANSPORT=auto",
                                                   "DATUM_TRANSPORT=tcp", "established");
  for (const char* part : {"\"tcp_listens_on\": [{\"address\": \"", "\"state\": \"established\"",
                           "\"peer_on\": \"this host\"", "\"network_namespace\": \"same\"",
                           "\"path_reason\": \"the peer chose TCP, or offers nothing else\""})
    EXPECT_NE(told.find(part), std::string::npos) << part << "\n" << told;
}

TEST(DatInfo, AProgramInAnotherNetworkNamespaceIsSeenThere) {
  if (run("unshare -n true 2>/dev/null").code != 0) GTEST_SKIP() << "may not unshare: not root";
  const Served server("unshare -n sh -c 'ip link set lo up && exec " + kPing + " --serve -p 0 -q'");
  const Ended ended = run(kInfo + " -p " + std::to_string(server.pid));
  EXPECT_EQ(ended.code, 0);
  EXPECT_NE(ended.output.find("nobody answers in this network namespace"), std::string::npos)
      << ended.output;
  EXPECT_NE(ended.output.find("  network        a namespace of its own: "), std::string::npos)
      << ended.output;
  EXPECT_NE(ended.output.find("port " + server.port + " at every address (TCP)"), std::string::npos)
      << ended.output;
}

// What dat-info prints for a user other than the server's. Without a value if this cannot be tried.
std::optional<Ended> told_as_another_user(const Served& server, const std::string& options) {
  const std::string nobody = "setpriv --reuid 65534 --regid 65534 --clear-groups ";
  if (run(nobody + kInfo + " --version 2>/dev/null").code != 0) return std::nullopt;
  return run(nobody + kInfo + options + " -p " + std::to_string(server.pid) + " 2>&1");
}
constexpr const char* kNoOtherUser =
    "becoming another user needs root, and the build to be readable";

TEST(DatInfo, ASocketOfAnotherUserIsNamedAsNotVisible) {
  const Served server(kPing + " --serve -p 0 -q");
  const std::optional<Ended> ended = told_as_another_user(server, "");
  if (!ended) GTEST_SKIP() << kNoOtherUser;
  EXPECT_NE(ended->output.find("not visible    its descriptors and sockets: another user's process "
                               "(run as that user, or as root)"),
            std::string::npos)
      << ended->output;
  for (const char* part : {"listens on", "links", "  descriptors", "does not use DAT"})
    EXPECT_EQ(ended->output.find(part), std::string::npos) << "nobody knows: " << ended->output;
}

TEST(DatInfo, WhetherAnotherUsersProcessUsesDatIsNotKnown) {
  const Served server(kPing + " --serve -p 0 -q");
  const std::optional<Ended> text = told_as_another_user(server, "");
  if (!text) GTEST_SKIP() << kNoOtherUser;
  const std::string line = "dat-info: process " + std::to_string(server.pid) +
                           ": whether it uses DAT cannot be seen: its mappings: another user's "
                           "process (run as that user, or as root)\n";
  EXPECT_EQ(text->code, 2);
  EXPECT_EQ(count(text->output, line), 1U) << text->output;
  const Ended json = *told_as_another_user(server, " --json");
  EXPECT_EQ(json.code, 2);
  EXPECT_EQ(count(json.output, line), 1U) << json.output;
  for (const std::string name :
       {"program", "uses_dat", "libraries", "memory", "links", "links_dialled_by_peer",
        "direct_access_to", "listens_on", "tcp_listens_on", "tcp_connections", "network_namespace",
        "datum_transport", "descriptors", "adapters"})
    EXPECT_EQ(count(json.output, "\"" + name + "\": null,"), 1U) << name << '\n' << json.output;
}

TEST(DatInfo, AProgramWithoutDatumTransportHasNoneInJson) {
  const Served plain("env -u DATUM_TRANSPORT " + kPing + " --serve -p 0 -q");
  const std::string none = run(kInfo + " --json -p " + std::to_string(plain.pid)).output;
  EXPECT_EQ(count(none, "\"datum_transport\": null,"), 1U) << none;
  const Served set("env DATUM_TRANSPORT=auto " + kPing + " --serve -p 0 -q");
  const std::string some = run(kInfo + " --json -p " + std::to_string(set.pid)).output;
  EXPECT_EQ(count(some, "\"datum_transport\": \"auto\","), 1U) << some;
}

TEST(DatInfo, AProgramWithoutDatIsAFailureAndNoProgramIsUsage) {
  EXPECT_EQ(run(kInfo + " -p " + std::to_string(getpid())).code, 1);
  EXPECT_EQ(run(kInfo + " -p 999999999 2>/dev/null").code, 2);
  EXPECT_EQ(run(kInfo + " -p 1 --check 2>/dev/null").code, 2);
}

} // namespace
} // namespace datum::info
